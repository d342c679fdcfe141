/** `paysim lint`: prints the mistakes in scenario files. */
import { lintCommand, printSchema } from '../../sandbox/scenario-file/lint.ts'
import type { Resolved } from '../options/commands.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { terminal } from './terminal.ts'

export async function lint({ schema, ...files }: Resolved<'lint'>): Promise<void> {
  if (schema) printSchema(terminal)
  else process.exitCode = await lintCommand(scenarioPaths('lint', files), terminal)
}
