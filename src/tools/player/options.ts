/** The options of `paysim run`. An invalid combination is refused with a one-sentence error. */
import { findScenarios } from '../../sandbox/scenario-file/files.ts'
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { problemLine, readScenarios, ScenarioError } from '../../sandbox/scenario-file/read.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Resolved } from '../options/commands.ts'
import type { Target } from './session.ts'
import type { Patience } from './stage.ts'

/** The resolved options, with the content of the files that they name. */
export interface PlayOptions
  extends Omit<Resolved<'run'>, 'scenarios' | 'bundled' | 'maxWait' | 'profile' | 'learn'> {
  /** Files, folders, and patterns such as `scenarios/refund-*.yaml`. */
  paths: readonly string[]
  /** How the target, or the simulator that is started, differs from the defaults. */
  profile?: ProfileChanges | undefined
  /** How long a target without a tester's API may take to reach what moving the clock would have caused. */
  patience?: Partial<Patience> | undefined
}

export interface LoadedFile {
  path: string
  scenario: Scenario
}

/** A file that cannot be played, with its mistakes as `paysim lint` prints them. */
export interface UnreadFile {
  path: string
  mistakes: readonly string[]
}

export function readTarget({ target, apiKey, adminToken, profile, ...how }: PlayOptions): Target | undefined {
  const { tls, compare, watch, jobs } = how
  if (compare && watch) throw new UsageError('--watch cannot be combined with --compare.')
  if (compare && jobs !== undefined && jobs > 1)
    throw new UsageError('--jobs cannot be combined with --compare, which plays one file at a time.')
  if (tls && target !== undefined)
    throw new UsageError('--tls cannot be combined with --target: write https in its URL instead.')
  if (target === undefined) {
    if (compare) throw new UsageError('Missing --target URL to compare with.')
    if (apiKey !== undefined) throw new UsageError('Missing --target URL for --api-key.')
    return undefined
  }
  return { base: new URL(target), apiKey, adminToken, profile }
}

/** The files to play, and those that cannot be played. */
export async function readFiles({ paths, filter, tags }: PlayOptions) {
  const files: LoadedFile[] = []
  const mistakes = new Map<string, string[]>()
  for (const path of await findScenarios(paths)) {
    try {
      const scenarios = await readScenarios(path)
      files.push(...scenarios.filter(isPlayed).map((scenario) => ({ path, scenario })))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      // A mistake may be in another file, whose setups this one uses.
      for (const problem of error.problems)
        mistakes.set(problem.file, [...(mistakes.get(problem.file) ?? []), problemLine(problem)])
    }
  }
  const isChosen = (text: string) => filter === undefined || text.includes(filter)
  const filtered = files.filter(({ path, scenario }) => isChosen(`${path} ${scenario.name}`))
  const chosen = {
    files: filtered.filter(({ scenario }) => hasChosenTags(scenario, tags)),
    // Chosen by path alone, because the name and the tags of an unreadable file are unknown.
    unread: [...mistakes].flatMap(([path, mistakes]) => (isChosen(path) ? [{ path, mistakes }] : [])),
  }
  if (filtered.length + chosen.unread.length === 0)
    throw new UsageError(`No scenario's path or name contains ${filter}.`)
  if (chosen.files.length + chosen.unread.length === 0) throw noneTagged(tags, filtered)
  return chosen
}

function hasChosenTags({ tags = [] }: Scenario, chosen: readonly string[]): boolean {
  const wanted = chosen.filter((tag) => !tag.startsWith('!'))
  const unwanted = chosen.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1))
  if (tags.some((tag) => unwanted.includes(tag))) return false
  return wanted.length === 0 || tags.some((tag) => wanted.includes(tag))
}

function noneTagged(chosen: readonly string[], files: readonly LoadedFile[]): UsageError {
  const known = [...new Set(files.flatMap(({ scenario }) => scenario.tags ?? []))].sort()
  const there = known.length === 0 ? 'none has any tag' : `the tags are ${known.join(', ')}`
  return new UsageError(`No scenario fits --tag ${chosen.join(' --tag ')}: ${there}.`)
}

/** A file that contains only setups is used by other files and not played itself. */
const isPlayed = ({ setups, steps, behaviors }: Scenario): boolean =>
  setups === undefined || steps !== undefined || behaviors !== undefined
