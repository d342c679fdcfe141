/** `paysim lint`: reads scenario files and says what is wrong with them. */
import { type LintOptions, lintCommand } from '../scenario-file/lint.ts'
import { terminal } from './terminal.ts'

export async function lint(options: LintOptions): Promise<void> {
  process.exitCode = await lintCommand(options, terminal)
}
