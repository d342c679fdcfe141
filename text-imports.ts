/**
 * `import text from './page.css?text'` gives a file's content as a string, also of a package: `open-props/gray.min.css?text`. A
 * TypeScript file is first bundled with what it imports and minified, as it is a script for the browser. Both the build and the
 * tests use this plugin.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const SUFFIX = '?text'
/**
 * By its id the module is not a file on the disk (NUL), and no style sheet (it does not end in .css, where Vitest would empty it).
 */
const MODULE = { start: '\0text:', end: '.js' }

interface LoadContext {
  addWatchFile(file: string): void
}

export const textImports = {
  name: 'text-imports',
  enforce: 'pre' as const,

  resolveId(source: string, importer?: string) {
    if (!source.endsWith(SUFFIX) || importer === undefined) return null
    const file = source.slice(0, -SUFFIX.length)
    return `${MODULE.start}${file.startsWith('.') ? resolve(dirname(importer), file) : file}${MODULE.end}`
  },

  async load(this: LoadContext, id: string) {
    if (!id.startsWith(MODULE.start)) return null
    const name = id.slice(MODULE.start.length, -MODULE.end.length)
    // Only here a package becomes a path: Vitest does not transform a module whose id has node_modules in it.
    const file = isAbsolute(name) ? name : createRequire(import.meta.url).resolve(name)
    this.addWatchFile(file)
    const text = file.endsWith('.ts') ? await browserScript(file) : await readFile(file, 'utf8')
    return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' as const }
  },
}

async function browserScript(file: string): Promise<string> {
  const bundle = await rolldown({ input: file, platform: 'browser' })
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}
