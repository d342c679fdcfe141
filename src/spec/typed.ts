/** Commands as a person types them. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Single quotes keep a text unchanged in a POSIX shell. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A word of a command, with quotes where a POSIX shell would read it otherwise. */
export const shellWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))

/** The words of a command. Windows gives its shell the words as they are. */
export const typedWords = (words: readonly string[]): string =>
  words.map((word) => (process.platform === 'win32' ? word : shellWord(word))).join(' ')

/** A curl command by its lines: method and address, then each option, with their quotes. */
export const curlLines = (method: string, address: string, options: readonly string[]): string[] => [
  `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}`,
  ...options,
]

/** Of a platform's request. The client names itself, and the key is a variable of the shell. */
export function curlOfRequest(
  url: string,
  { method, headers, body }: { method: string; headers: Readonly<Record<string, string>>; body: string },
): string[] {
  const { 'user-agent': _, ...repeated } = headers
  return curlLines(method, shellQuoted(url), [
    '-H "x-api-key: $PAYSIM_API_KEY"',
    ...Object.entries(repeated).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-raw ${shellQuoted(body)}`]),
  ])
}

/** One command on several lines. */
export const onLines = (lines: readonly string[]): string => lines.join(' \\\n  ')

/** How paysim is started again: npx finds it in a project's packages, and a shell does not. */
export function typedCommand(started = process.argv[1] ?? ''): string {
  const [, folder = ''] = /^(.*)[\\/]node_modules[\\/]\.bin[\\/]/.exec(started) ?? []
  if (folder === '') return 'paysim'
  const file = /[\\/]_npx[\\/][^\\/]+$/.test(folder) ? fileOfNpx(folder) : undefined
  return file === undefined ? 'npx paysim' : typedWords(['npx', '-p', file, 'paysim'])
}

/**
 * The file that `npx FILE` has installed in a folder of its own: `npx paysim` would look for the package of that name at npm, and
 * npx runs a file with a full path as a program, unless `-p` is before it.
 */
function fileOfNpx(folder: string): string | undefined {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [, path] = /^file:(.*)/.exec(dependencies.paysim) ?? []
  return path && resolve(folder, path)
}
