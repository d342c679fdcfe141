/** The package's documents by path, for people and agents at a running paysim. A folder is shown as a list of links. */
import { readdirSync, readFileSync } from 'node:fs'

const FOLDERS = ['docs', 'examples', 'fixtures', 'scenarios'] as const
const FILES = ['README.md', 'CHANGELOG.md', 'LICENSE', 'llms.txt'] as const

export const DOCUMENT_PATHS = [
  '/llms-full.txt',
  ...FILES.map((file) => `/${file}`),
  ...FOLDERS.map((folder) => `/${folder}/*`),
]

/**
 * All pages in one text, in the order of llms.txt. Their links are relative to the root, where the text is served.
 */
export function allPages(root: URL): string {
  const read = (path: string) => readDocument(new URL(path, root))
  const index = read('llms.txt')
  const pages = [...index.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, path]) => path!)
  const rooted = (path: string) =>
    read(path).replaceAll(/(?<=\]\()(?!https?:|#)[^)\s]+/g, (link) =>
      new URL(link, `file:///${path}`).href.slice(8),
    )
  return [index, ...pages.map((path) => `<!-- ${path} -->\n\n${rooted(path)}`)].join('\n')
}

/** The media types; an HTML example is served as text, so that no browser runs it. */
const TYPES: Readonly<Record<string, string>> = { md: 'text/markdown', json: 'application/json' }

export function packageDocuments(root: URL): { fetch(request: Request): Response } {
  // Only files in this list are read, so `..` in a path is harmless.
  const listed = new Set<string>(FILES)
  // Hidden files and folders, such as .benchmarks of pytest, are those of tools.
  for (const folder of FOLDERS)
    for (const path of readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }))
      if (/\.(?!webp)\w+$/.test(path) && !/(^|[\\/])\./.test(path))
        listed.add(`${folder}/${path.replaceAll('\\', '/')}`)
  /** The files below a folder as links; empty if there is no such folder. */
  const linksBelow = (folder: string) =>
    [...listed]
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => `- [${path.slice(folder.length + 1)}](/${path})\n`)
      .join('')
  return {
    fetch({ url }) {
      const path = new URL(url).pathname.slice(1)
      if (path === 'llms-full.txt') return textAnswer(allPages(root), 'text/plain')
      if (!listed.has(path)) {
        const folder = path.replace(/\/$/, '')
        const links = linksBelow(folder)
        if (links !== '') return textAnswer(`# ${folder}\n\n${links}`, TYPES.md!)
        return new Response('404 Not Found', { status: 404 })
      }
      return textAnswer(readDocument(new URL(path, root)), TYPES[path.split('.').at(-1)!] ?? 'text/plain')
    },
  }
}

/** Without pictures, which the package does not have. */
const readDocument = (file: URL) => readFileSync(file, 'utf8').replaceAll(/<picture>.*<\/picture>\n+/g, '')

const textAnswer = (text: string, type: string) =>
  new Response(text, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' },
  })
