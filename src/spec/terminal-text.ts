/** Makes text from scenarios, platforms and services safe to print. */

/** Control characters, and marks that reorder the text around them. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escaped = (character: string) =>
  ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A name or value on one line, with line breaks and other control characters escaped. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

const ESC = '\u001b'
const COLOR = new RegExp(`(${ESC}\\[\\d{1,2}m)`)

export interface Shown {
  /** Whether colors may reach the terminal. */
  color?: boolean
  /** Whether GitHub Actions reads the output, which must then not contain its commands. */
  inActions?: boolean
}

/** One line. Only tabs and colors reach the terminal; any other control character could clear it or overwrite earlier lines. */
export function terminalLine(line: string, { color = false, inActions = false }: Shown = {}): string {
  const parts = color ? line.split(COLOR) : [line]
  const safe = parts
    .map((part, index) => (index % 2 === 1 ? part : part.split('\t').map(printable).join('\t')))
    .join('')
  return inActions ? safe.replace(/^(\s*):(?=:)/, '$1\\:').replaceAll('##[', '##\\[') : safe
}

/** The same for a text with line breaks. */
export const terminalText = (text: string, shown?: Shown): string =>
  text
    .split('\n')
    .map((line) => terminalLine(line, shown))
    .join('\n')
