/** The options of `paysim run`. An invalid combination is refused in one sentence. */

import type { Eventually } from '../scenario-file/expectation.ts'
import { findScenarios } from '../scenario-file/files.ts'
import type { Scenario } from '../scenario-file/format.ts'
import { type LocatedProblem, readScenario, ScenarioError } from '../scenario-file/read.ts'
import { REPORT_KINDS, type ReportKind } from './report.ts'
import type { Target } from './session.ts'

export interface PlayOptions {
  /** Files, and folders of them. */
  paths: readonly string[]
  /** The address to play against, instead of a simulator of our own. */
  target?: string
  /** A platform's key at the target. Without it the target must be a paysim, in which each file gets a sandbox. */
  apiKey?: string
  /** For a target whose tester's API is protected. */
  adminToken?: string
  /** Play each file in our own simulator as well and report the differences. */
  compare?: boolean
  /** `junit=FILE` or `json=FILE`. */
  reports?: readonly string[]
  /** Stop after the first file that fails. */
  bail?: boolean
  /** How long a target without a tester's API may take for what a moved clock would have caused. */
  patience?: Eventually
  /** Play only files whose path or name contains this. */
  filter?: string
}

export interface Report {
  kind: ReportKind
  file: string
}

export interface LoadedFile {
  path: string
  scenario: Scenario
}

export class PlayUsageError extends Error {}

export function readReports({ reports = [], compare }: PlayOptions): Report[] {
  return reports.map((text) => {
    const [kind = '', file = ''] = text.split(/=(.*)/s)
    const known = REPORT_KINDS.find((one) => one === kind)
    if (known === undefined || file === '')
      throw new PlayUsageError(`--report takes junit=FILE or json=FILE, not ${text}.`)
    if (compare && known !== 'json') throw new PlayUsageError('--compare reports as json=FILE only.')
    return { kind: known, file }
  })
}

export function readTarget({ target, apiKey, adminToken, compare }: PlayOptions): Target | undefined {
  if (target === undefined) {
    if (compare) throw new PlayUsageError('--compare needs a --target to compare with.')
    if (apiKey !== undefined) throw new PlayUsageError('--api-key needs the --target that it is for.')
    return undefined
  }
  if (!/^https?:\/\//.test(target) || !URL.canParse(target)) {
    throw new PlayUsageError(`--target takes an address such as http://127.0.0.1:4100, not ${target}.`)
  }
  return { base: new URL(target), apiKey, adminToken }
}

export interface ReadFiles {
  files: LoadedFile[]
  /** The mistakes in the other files, which cannot be played. */
  problems: LocatedProblem[]
}

export async function readFiles({ paths, filter }: PlayOptions): Promise<ReadFiles> {
  const files: LoadedFile[] = []
  const problems: LocatedProblem[] = []
  for (const path of await findScenarios(paths)) {
    try {
      files.push({ path, scenario: await readScenario(path) })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      problems.push(...error.problems)
    }
  }
  const isChosen = (text: string) => filter === undefined || text.includes(filter)
  const chosen = {
    files: files.filter(({ path, scenario }) => isChosen(`${path} ${scenario.name}`)),
    // The name of a file that cannot be read is not known.
    problems: problems.filter(({ file }) => isChosen(file)),
  }
  if (chosen.files.length + chosen.problems.length === 0)
    throw new PlayUsageError(`No scenario has ${filter} in its path or name.`)
  return chosen
}
