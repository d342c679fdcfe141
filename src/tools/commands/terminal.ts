/** The terminal of a command: results go to stdout, problems to stderr. */
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'

export const terminal: Terminal = {
  out: (line) => print(process.stdout, line),
  err: (line) => print(process.stderr, line),
}

/** The text of the progress line. */
let shown = ''

function print(stream: NodeJS.WriteStream, line: string): void {
  const under = shown
  if (under !== '') progress('')
  stream.write(`${line}\n`)
  if (under !== '') progress(under)
}

/** A terminal that does not know its width says 0. */
const UNKNOWN_COLUMNS = 80

/**
 * Shows one line that replaces the one before, for a person who waits; without a terminal, as in CI, it shows
 * nothing.
 */
export function progress(text: string): void {
  if (!process.stderr.isTTY || text === shown) return
  shown = text
  process.stderr.write(`\r\u001B[2K${text.slice(0, (process.stderr.columns || UNKNOWN_COLUMNS) - 1)}`)
}

/**
 * FORCE_COLOR gives colors to a log of CI that can show them; FORCE_COLOR=0 and NO_COLOR take them from a
 * terminal.
 */
export function hasColor(
  { isTTY }: { isTTY?: boolean },
  { FORCE_COLOR, NO_COLOR }: NodeJS.ProcessEnv,
): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTTY === true && !NO_COLOR
}
