/** `paysim lint`: prints the mistakes in scenario files. */
import { lintCommand } from '../../sandbox/scenario-file/lint.ts'
import type { Resolved } from '../options/commands.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { terminal } from './terminal.ts'

export async function lint({ schema = false, ...files }: Resolved<'lint'>): Promise<void> {
  const paths = schema ? [] : scenarioPaths('lint', files)
  process.exitCode = await lintCommand({ paths, schema }, terminal)
}
