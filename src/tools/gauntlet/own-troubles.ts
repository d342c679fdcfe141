/** Troubles of the user's own (`--trouble`): the behaviors of a scenario file, under the file's name. */
import { basename, extname } from 'node:path'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { problemLine, readScenarios, ScenarioError } from '../../sandbox/scenario-file/read.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Trouble } from '../../tester/conduct/arms.ts'
import { CATALOG } from './catalog.ts'

/** A trouble has the name of its file, as `--only`, the baseline and a sandbox take it; its sentence is the scenario's name. */
export async function readOwnTroubles(files: readonly string[]): Promise<Trouble[]> {
  const troubles: Trouble[] = []
  for (const file of files) {
    const scenarios = await readScenarios(file).catch((cause: unknown) => {
      if (!(cause instanceof ScenarioError)) throw cause
      throw new UsageError(`--trouble ${file} cannot be read:\n${cause.problems.map(problemLine).join('\n')}`)
    })
    for (const { name: sentence, behaviors = [], case: of } of scenarios) {
      if (behaviors.length === 0) {
        throw new UsageError(
          `--trouble ${file} has no behaviors: it must say what happens, under behaviors:.`,
        )
      }
      const name = asName([basename(file, extname(file)), of].filter(Boolean).join('-'))
      if ([...CATALOG, ...troubles].some((one) => one.name === name)) {
        throw new UsageError(
          `--trouble ${file} would be the trouble ${name}, which there is: rename the file.`,
        )
      }
      troubles.push({ name, sentence, behaviors: behaviors as readonly Armable[], file })
    }
  }
  return troubles
}

const NAME_MAX_CHARS = 60

const asName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, NAME_MAX_CHARS) || 'own'
