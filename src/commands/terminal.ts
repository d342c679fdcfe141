/** Where a command writes to: results, and complaints. */
import type { Terminal } from '../scenarios/lint.ts'

export const terminal: Terminal = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
}
