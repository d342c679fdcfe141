/** The terminal of a command: results go to stdout, problems to stderr. */
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'

export const terminal: Terminal = {
  out: (line) => print(process.stdout, line),
  err: (line) => print(process.stderr, line),
}

/** What stands in the line that is written over. */
let shown = ''

function print(stream: NodeJS.WriteStream, line: string): void {
  const under = shown
  if (under !== '') progress('')
  stream.write(`${line}\n`)
  if (under !== '') progress(under)
}

/** A terminal that does not know its width says 0. */
const UNKNOWN_COLUMNS = 80

/** One line that is written over, for a person who waits; a log of CI shows the results alone. */
export function progress(text: string): void {
  if (!process.stderr.isTTY || text === shown) return
  shown = text
  process.stderr.write(`\r\u001B[2K${text.slice(0, (process.stderr.columns || UNKNOWN_COLUMNS) - 1)}`)
}

/** FORCE_COLOR says it for a log of CI that shows colors too; 0 in it and NO_COLOR take them from a terminal. */
export function hasColor(
  { isTTY }: { isTTY?: boolean },
  { FORCE_COLOR, NO_COLOR }: NodeJS.ProcessEnv,
): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTTY === true && !NO_COLOR
}
