/** Reads the behaviors that `paysim start --scenario` arms: of a scenario file, or of a folder of them. */
import type { Environment } from '../../spec/environments/environment.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Behavior } from '../scenario-file/behavior.ts'
import { findScenarios } from '../scenario-file/files.ts'
import { fill, type Placeholder, placeholderText, takesFromRequest } from '../scenario-file/placeholder.ts'
import { readScenario } from '../scenario-file/read.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** By environment, which a file names with `sandbox: { environment }`. Throws for an invalid file. */
export async function behaviorsOfFiles(
  path: string,
  env: Variables,
  environments: readonly Environment[],
): Promise<Map<Environment, Behavior[]>> {
  const read = new Map<Environment, Behavior[]>(environments.map((environment) => [environment, []]))
  for (const file of await findScenarios([path])) {
    const { behaviors = [], sandbox } = await readScenario(file)
    const environment: Environment = sandbox?.environment ?? 'staging'
    const found = read.get(environment)
    if (!found) throw new UsageError(`${file} is for ${environment}, which is started with --${environment}`)
    found.push(...fill(behaviors, (placeholder) => envValue(placeholder, env, file)))
  }
  return read
}

function envValue(placeholder: Placeholder, env: Variables, file: string): string {
  if (takesFromRequest(placeholder)) return placeholderText(placeholder)
  if (placeholder.kind !== 'env')
    throw new UsageError(`${file}: captured values and UUIDs work only in steps`)
  const value = env[placeholder.name]
  if (value === undefined) {
    throw new UsageError(`${file}: the environment variable ${placeholder.name} is not set`)
  }
  return value
}
