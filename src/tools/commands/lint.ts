/** `paysim lint`: prints the mistakes in scenario files. */
import { type LintOptions, lintCommand } from '../../sandbox/scenario-file/lint.ts'
import { terminal } from './terminal.ts'

export async function lint(options: LintOptions): Promise<void> {
  process.exitCode = await lintCommand(options, terminal)
}
