/** Where a command writes to: results, and complaints. */
import type { LintTerminal } from '../scenario-file/lint.ts'

export const terminal: LintTerminal = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
}
