/** Runs the command in calm, then once for each trouble, each run in a sandbox of its own. */
import { join } from 'node:path'
import { stopwatch } from '../../spec/world/clock.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Trouble } from './catalog.ts'
import type { ChildResult } from './child.ts'
import { confirmed, isToBeConfirmed } from './confirm.ts'
import { calmLimit, costOf } from './limit.ts'
import { moneyOf, type OrderMoney, type Yardstick, yardstickOf } from './money.ts'
import { hitsIn, type Seen, seenIn } from './seen.ts'
import { type Ran, runInSandbox, type SuiteSetup } from './suite.ts'
import { trailOf, wrongText } from './trail.ts'
import { judge, type NoVerdict, type RuleBroken, type TroubleResult } from './verdict.ts'

export interface GauntletSetup extends SuiteSetup {
  /** How many runs at the same time. */
  jobs: number
  /** No run is started after this long. */
  budgetMs: number | undefined
  /** How long a run may take; left out, it follows from the trouble. */
  limitMs: number | undefined
  /** Whether a failure is repeated before it is believed; left out, where the run was short. */
  confirm: boolean | undefined
  /** A folder for what the runs print. */
  outputFolder: string
  watch: GauntletWatcher
}

export interface GauntletWatcher {
  started(name: string): void
  /** The second run in calm has ended. */
  again(calm: CalmAgain): void
  finished(result: TroubleResult): void
}

export interface Calm extends ChildResult {
  requests: number
  /** Whether at least one webhook got an answer, of any status. */
  hasReceiver: boolean
  money: readonly OrderMoney[]
  /** The rules of conduct that it broke. */
  findings: readonly RuleBroken[]
  /** What it asked for. */
  seen: Seen
  outputFile: string
}

/** What a second run in calm has shown: whether the tests are the same twice. */
export interface CalmAgain {
  failure: string | undefined
  yardstick: Yardstick
}

/** Nothing is known yet of how long the command takes. */
export const FIRST_RUN_LIMIT_MS = 10 * 60_000

export class Gauntlet {
  readonly #setup: GauntletSetup
  readonly #startedAt = stopwatch()

  constructor(setup: GauntletSetup) {
    this.#setup = setup
  }

  async calm(): Promise<Calm> {
    const { limitMs = FIRST_RUN_LIMIT_MS } = this.#setup
    const { child, shop, outputFile, conduct } = await this.#run('calm', [], () => limitMs)
    const seen = seenIn(shop)
    const calm = {
      ...child,
      outputFile,
      seen,
      findings: conduct.findings.filter(({ severity }) => severity === 'error'),
      money: moneyOf(shop),
      requests: shop.requests().length,
      hasReceiver: seen.events.length > 0,
    }
    this.#setup.simulator.remove(shop.name)
    return calm
  }

  /** In the order of the catalog, not in the order in which they end. */
  async troubles(calm: Calm, troubles: readonly Trouble[]): Promise<TroubleResult[]> {
    const { jobs, watch } = this.#setup
    const results: TroubleResult[] = []
    let again: Promise<Yardstick> | undefined
    const meet = async (trouble: Trouble, index: number) => {
      const result = await this.#meet(trouble, calm, again ?? Promise.resolve(yardstickOf(calm.money)))
      results[index] = result
      watch.finished(result)
    }
    // The second run in calm goes beside the first trouble, or before it where there is one run at a time.
    const calmAgain = async () => {
      again = this.#calmAgain(calm)
      await again
    }
    const runs = troubles.map((trouble, index) => () => meet(trouble, index))
    const waiting = troubles.some((trouble) => canAct(trouble, calm)) ? [calmAgain, ...runs] : runs
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next()
    }
    await Promise.all(Array.from({ length: jobs }, work))
    return results
  }

  #isOver(): boolean {
    const { budgetMs = Number.POSITIVE_INFINITY, stopped } = this.#setup
    return stopped.aborted || stopwatch() - this.#startedAt > budgetMs
  }

  async #calmAgain(calm: Calm): Promise<Yardstick> {
    const { limitMs, simulator, stopped, watch } = this.#setup
    if (this.#isOver()) return yardstickOf(calm.money)
    watch.started('calm again')
    const limit = limitMs ?? calmLimit(calm.tookMs)
    const { child, shop } = await this.#run('calm', [], () => limit)
    // Tests that failed have moved a part of it at most.
    const isWhole = child.failure === undefined && !stopped.aborted
    const yardstick = yardstickOf(calm.money, isWhole ? moneyOf(shop) : calm.money)
    simulator.remove(shop.name)
    watch.again({ failure: stopped.aborted ? undefined : child.failure, yardstick })
    return yardstick
  }

  async #meet(trouble: Trouble, calm: Calm, yardstick: Promise<Yardstick>): Promise<TroubleResult> {
    const { confirm } = this.#setup
    if (!canAct(trouble, calm)) return untried(trouble, 'not exercised')
    const first = await this.#judged(trouble, calm, yardstick)
    if (!isToBeConfirmed(first, confirm)) return first
    return confirmed(first, await this.#judged(trouble, calm, yardstick))
  }

  async #judged(trouble: Trouble, calm: Calm, yardstick: Promise<Yardstick>): Promise<TroubleResult> {
    const { simulator, stopped, watch } = this.#setup
    if (this.#isOver()) return untried(trouble, 'not run')
    watch.started(trouble.name)
    const ran = await this.#run(trouble.name, trouble.behaviors, (shop) => this.#limit(trouble, calm, shop))
    if (stopped.aborted) return untried(trouble, 'not run')
    const { child, shop, outputFile, conduct } = ran
    const fired = firedIn(shop).reduce((sum, count) => sum + count, 0)
    const money = moneyOf(shop)
    const { failure, tookMs } = child
    const { findings } = conduct
    const judged = judge({
      ...{ failure, fired, money, calm: await yardstick, findings },
      calmRules: new Set(calm.findings.map(({ rule }) => rule)),
      tell: (difference) => wrongText(shop, difference),
    })
    const trail = judged.reasons.length > 0 ? trailOf(shop) : undefined
    simulator.remove(shop.name)
    return { trouble, fired, tookMs, outputFile, findings, trail, runs: 1, notes: [], ...judged }
  }

  #limit({ behaviors }: Trouble, calm: Calm, shop: SandboxControl): number {
    const { limitMs } = this.#setup
    if (limitMs !== undefined) return limitMs
    const fired = firedIn(shop)
    const costs = behaviors.map((behavior, index) => costOf(behavior, fired[index] ?? 0, calm.seen))
    return calmLimit(calm.tookMs) + costs.reduce((sum, cost) => sum + cost, 0)
  }

  async #run(
    name: string,
    behaviors: Trouble['behaviors'],
    limitMs: (shop: SandboxControl) => number,
  ): Promise<Ran & { outputFile: string }> {
    const outputFile = join(this.#setup.outputFolder, `${name.replaceAll(':', '-')}.log`)
    return { outputFile, ...(await runInSandbox(this.#setup, { name, behaviors, limitMs, outputFile })) }
  }
}

/** How often each of its behaviors has acted, in the order in which they were armed. */
const firedIn = (shop: SandboxControl): number[] => shop.behaviors().map(({ fired }) => fired)

/** Whether the calm run asked for something that the trouble is about. */
export const canAct = ({ behaviors }: Trouble, { seen }: Calm): boolean =>
  behaviors.some((behavior) => hitsIn(seen, behavior) > 0)

const untried = (trouble: Trouble, verdict: NoVerdict): TroubleResult => ({
  trouble,
  verdict,
  reasons: [],
  orders: [],
  fired: 0,
  tookMs: 0,
  outputFile: undefined,
  findings: [],
  trail: undefined,
  runs: 0,
  notes: [],
})
