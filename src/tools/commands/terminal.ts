/** The terminal of a command: results go to stdout, problems to stderr. */
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'
import { printable, type Shown, terminalLine, terminalText } from '../../spec/terminal-text.ts'
import type { Writing } from '../checks/write.ts'

export const terminal: Terminal = {
  out: (line) => print(process.stdout, terminalLine(line, shownAt(process.stdout))),
  err: (line) => print(process.stderr, terminalLine(line, shownAt(process.stderr))),
}

/** Prints a multi-line text whose user-supplied names have been made {@link printable}. */
export const printText = (text: string, stream: NodeJS.WriteStream = process.stdout): void =>
  print(stream, terminalText(text, shownAt(stream)))

const shownAt = (stream: NodeJS.WriteStream): Shown => ({
  color: hasColor(stream, process.env),
  inActions: process.env.GITHUB_ACTIONS === 'true',
})

/** Prints a workflow command of GitHub Actions, whose data is already escaped. */
export const annotation = (line: string): void => print(process.stdout, line)

/** Writes a command's reports to these files, and to what its CI shows. */
export const reportsTo = (files: Writing['files']): Writing => ({
  files,
  env: process.env,
  annotate: annotation,
})

/** The current text of the progress line. */
let shown = ''

function print(stream: NodeJS.WriteStream, text: string): void {
  const under = shown
  if (under !== '') progress('')
  stream.write(`${text}\n`)
  if (under !== '') progress(under)
}

/** A terminal of unknown width reports 0. */
const UNKNOWN_COLUMNS = 80

/** Shows a status line that replaces the previous one. Without a terminal, as in CI, nothing is shown. */
export function progress(text: string): void {
  if (!process.stderr.isTTY || text === shown) return
  shown = text
  process.stderr.write(
    `\r\u001B[2K${printable(text).slice(0, (process.stderr.columns || UNKNOWN_COLUMNS) - 1)}`,
  )
}

/** FORCE_COLOR enables colors in CI logs that support them; FORCE_COLOR=0 and NO_COLOR disable them in a terminal. */
export function hasColor(
  { isTTY }: { isTTY?: boolean },
  { FORCE_COLOR, NO_COLOR }: NodeJS.ProcessEnv,
): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTTY === true && !NO_COLOR
}
