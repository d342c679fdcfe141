/** Searches pairs of failures, `--depth 2`: a pair that is not survived is made milder, and repeated to see how often it happens. */
import { counted } from '../../spec/contract/counted.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import { isPair, milder } from './pairs.ts'
import type { Calm, Gauntlet, GauntletWatcher } from './runner.ts'
import { isExercised, type TroubleResult } from './verdict.ts'

const REPLAYS = 10

interface Search {
  runs: Gauntlet
  calm: Calm
  jobs: number
  watch: GauntletWatcher
  /** Called with the first pair that shows a bug. */
  show(result: TroubleResult): void
}

/** Of the results, each that shows a new bug is also made as mild as it can be, and repeated. */
export async function searchPairs(pairs: readonly Trouble[], search: Search): Promise<TroubleResult[]> {
  const { runs, calm, jobs, watch } = search
  const results = (await runs.troubles(calm, pairs, jobs, watch)).map(onlyIfBothActed)
  const shown = new Set<string>()
  const found: TroubleResult[] = []
  for (const result of results) {
    const isNew = isFound(result) && !shown.has(bugOf(result))
    shown.add(bugOf(result))
    found.push(isNew ? await shrunk(result, search) : result)
    if (isNew) search.show(found.at(-1)!)
  }
  return found
}

const isFound = ({ verdict }: TroubleResult) => isExercised(verdict) && verdict !== 'survived'

/** Two runs with the same verdict and the same broken rules show the same bug. */
const bugOf = (result: TroubleResult): string => [result.verdict, ...rulesIn(result)].join(' ')

const rulesIn = ({ findings }: TroubleResult): string[] => {
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [...new Set(errors.map(({ rule }) => rule))].sort()
}

/** A pair of which one part never acted was not tried: alone, each was survived. */
const onlyIfBothActed = (result: TroubleResult): TroubleResult =>
  result.verdict === 'survived' && result.firedEach.includes(0)
    ? { ...result, verdict: 'not exercised' }
    : result

async function shrunk(result: TroubleResult, { runs, calm, jobs, watch }: Search): Promise<TroubleResult> {
  const rules = rulesIn(result)
  // Another rule may be broken in one run and not in the next, as the tests end sooner or later.
  const isSame = (other: TroubleResult) =>
    other.verdict === result.verdict &&
    (rules.length === 0 || rulesIn(other).some((rule) => rules.includes(rule)))
  const candidates = await runs.once(calm, milder(result.trouble), jobs, watch)
  const mildest = candidates.find(isSame)?.trouble ?? result.trouble
  const again = await runs.once(
    calm,
    Array.from({ length: REPLAYS }, () => mildest),
    jobs,
    watch,
  )
  const rate = `${again.filter(isSame).length} of ${counted(again.length, 'more run')}`
  const as = mildest === result.trouble ? '' : `, as ${mildest.name},`
  return { ...result, notes: [...result.notes, `The same${as} in ${rate}.`] }
}

/** Such as `Pairs of failures: 212 of 340 tried, 128 left`. */
export function searchText(results: readonly TroubleResult[]): string | undefined {
  const pairs = results.filter(({ trouble }) => isPair(trouble))
  const count = (is: string) => pairs.filter(({ verdict }) => verdict === is).length
  const [idle, left] = [count('not exercised'), count('not run')]
  if (pairs.length === 0) return undefined
  const all = pairs.length - idle
  const more =
    left === 0 ? '' : `, ${left} left: continue with a larger --budget, or with --failed and the last report`
  const never = idle === 0 ? '' : `; in ${idle} more, one of the two never happened`
  return `Pairs of failures: ${all - left} of ${all} tried${more}${never}.`
}
