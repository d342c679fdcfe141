/** `paysim lint`: prints the mistakes in scenario files. */
import { lintCommand, printSchema } from '../../sandbox/scenario-file/lint.ts'
import type { Resolved } from '../options/commands.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { terminal } from './terminal.ts'

export async function lint({ schema, ...files }: Resolved<'lint'>): Promise<number> {
  if (!schema) return lintCommand(scenarioPaths('lint', files), terminal)
  printSchema(terminal)
  return 0
}
