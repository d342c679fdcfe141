/** Chooses which files are not played, by their keys `skip` and `only`. */
import type { LoadedFile } from './options.ts'

/** Why a file is not played; undefined for one that is. */
export function reasonsToSkip(files: readonly LoadedFile[]): (file: LoadedFile) => string | undefined {
  const only = files.find(({ scenario }) => scenario.only !== undefined)
  return ({ scenario }) => {
    if (scenario.skip !== undefined) return scenario.skip
    if (only === undefined || scenario.only !== undefined) return undefined
    return `only ${only.path} is played now: ${only.scenario.only}`
  }
}
