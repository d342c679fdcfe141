/** Searches pairs of failures, `--depth 2`: a pair that is not survived is made milder, and repeated to see how often it happens. */
import { counted } from '../../spec/contract/counted.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import { removeOutput } from './output-folder.ts'
import type { AfterBaseline, Gauntlet } from './runner.ts'
import { isFound, type TroubleResult } from './verdict.ts'

const REPLAYS = 10

interface Search {
  runs: Gauntlet
  field: AfterBaseline
  /** Called with the first pair that shows a bug. */
  show(result: TroubleResult): void
}

/** Of the results, each that shows a new bug is also made as mild as it can be, and repeated. */
export async function searchPairs(pairs: readonly Trouble[], search: Search): Promise<TroubleResult[]> {
  const { runs, field, show } = search
  const shown = new Set<string>()
  const found: TroubleResult[] = []
  for (const result of await runs.troubles(pairs, field)) {
    const isNew = isFound(result) && !shown.has(bugOf(result))
    shown.add(bugOf(result))
    found.push(isNew ? await shrunk(result, search) : result)
    if (isNew) show(found.at(-1)!)
  }
  return found
}

/** Two runs with the same verdict and the same broken rules show the same bug. */
const bugOf = (result: TroubleResult): string => [result.verdict, ...rulesIn(result)].join(' ')

const rulesIn = ({ findings }: TroubleResult): string[] => {
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...new Set(errors.map(({ rule }) => rule))].sort()
}

async function shrunk(result: TroubleResult, { runs, field }: Search): Promise<TroubleResult> {
  const rules = rulesIn(result)
  // Another rule may be broken in one run and not in the next, as the tests end sooner or later.
  const isSame = (found: TroubleResult) =>
    found.verdict === result.verdict &&
    (rules.length === 0 || rulesIn(found).some((rule) => rules.includes(rule)))
  const { trouble } = result
  const milder = await repeated(runs, field, trouble.milder ?? [])
  const mildest = trouble.milder?.find((_, index) => isSame(milder[index]!)) ?? trouble
  const replays = await repeated(runs, field, Array<Trouble>(REPLAYS).fill(mildest))
  const again = replays.filter(({ verdict }) => verdict !== 'not run')
  const rate = `${again.filter(isSame).length} of ${counted(again.length, 'more run')}`
  const as = mildest === trouble ? '' : `, as ${mildest.name},`
  return { ...result, notes: [...result.notes, `The same${as} in ${rate}.`] }
}

/** Each run by itself, unconfirmed, and under another name: its output does not replace that of the run that it repeats. */
async function repeated(runs: Gauntlet, field: AfterBaseline, troubles: readonly Trouble[]) {
  const named = troubles.map((trouble, index) => ({ ...trouble, name: `${trouble.name}~${index + 1}` }))
  const results = await runs.troubles(named, field, false)
  for (const { outputFile } of results) removeOutput(outputFile)
  return results
}

/** Such as `Pairs of failures: 212 of 340 tried, 128 left`. */
export function searchText(results: readonly TroubleResult[]): string | undefined {
  const pairs = results.filter(({ trouble }) => trouble.parts !== undefined)
  const count = (is: string) => pairs.filter(({ verdict }) => verdict === is).length
  const [idle, left] = [count('not exercised'), count('not run')]
  if (pairs.length === 0) return undefined
  const all = pairs.length - idle
  const more =
    left === 0 ? '' : `, ${left} left: continue with a larger --budget, or with --failed and the last report`
  const never = idle === 0 ? '' : `; in ${idle} more, one of the two never happened`
  return `Pairs of failures: ${all - left} of ${all} tried${more}${never}.`
}
