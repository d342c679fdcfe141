/** Commands as a person types them. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Single quotes keep a text unchanged in a POSIX shell. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A word of a command, in quotes if a POSIX shell would change it. */
export const shellWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))

/** The words of a command. Windows passes words to the shell unchanged. */
export const typedWords = (words: readonly string[]): string =>
  words.map((word) => (process.platform === 'win32' ? word : shellWord(word))).join(' ')

/** The lines of a curl command: method and address, then one option per line, quoted. */
export const curlLines = (method: string, address: string, options: readonly string[]): string[] => [
  `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}`,
  ...options,
]

/** For a platform's request. curl sends its own client headers, and the key is a shell variable. */
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

/** The command that starts paysim again: npx finds it in a project's packages, a shell does not. */
export function typedCommand(started = process.argv[1] ?? ''): string {
  const [, folder = ''] = /^(.*)[\\/]node_modules[\\/]\.bin[\\/]/.exec(started) ?? []
  if (folder === '') return 'paysim'
  const file = /[\\/]_npx[\\/][^\\/]+$/.test(folder) ? fileOfNpx(folder) : undefined
  return file === undefined ? 'npx paysim' : typedWords(['npx', '-p', file, 'paysim'])
}

/**
 * The file that `npx FILE` installed in its own folder. `npx paysim` would look up that name at npm, and npx runs a file with a
 * full path as a program, unless `-p` precedes it.
 */
function fileOfNpx(folder: string): string | undefined {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [, path] = /^file:(.*)/.exec(dependencies.paysim) ?? []
  return path && resolve(folder, path)
}
