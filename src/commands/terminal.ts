/** The terminal of a command: results go to stdout, problems to stderr. */
import type { LintTerminal } from '../scenario-file/lint.ts'

export const terminal: LintTerminal = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
}
