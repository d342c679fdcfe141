/**
 * Where `paysim run` and `paysim lint` look for scenarios: in the package, at the given paths, or in the folder `scenarios` here.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../../spec/options/read.ts'
import { PACKAGE_ROOT } from '../../spec/package.ts'

export function scenarioPaths(
  command: string,
  { scenarios, bundled }: { scenarios: readonly string[]; bundled?: boolean | undefined },
): readonly string[] {
  if (bundled) return [fileURLToPath(new URL('scenarios', PACKAGE_ROOT)), ...scenarios]
  if (scenarios.length > 0) return scenarios
  if (existsSync('scenarios')) return ['scenarios']
  throw new UsageError(
    `No folder named scenarios here. Name one, or use the bundled scenarios: paysim ${command} --bundled`,
  )
}
