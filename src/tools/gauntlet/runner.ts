/** Runs the command in the baseline run, then once for each trouble, each run in a sandbox of its own. */
import { join } from 'node:path'
import { stopwatch } from '../../spec/world/clock.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { Resolved } from '../options/commands.ts'
import type { ChildResult } from './child.ts'
import type { PathStep } from './facts.ts'
import { failureText, judgeRun } from './judge-run.ts'
import { costOf, patienceOf, runLimit } from './limit.ts'
import { type OrderMoney, type Yardstick, yardstickOf } from './money.ts'
import { removeOutput } from './output-folder.ts'
import { isCrash, type Seen } from './seen.ts'
import { type Ran, Suite, type SuiteSetup } from './suite.ts'
import { findingsOfAll, isMetIn, isTakenIn, moneyOfAll } from './together.ts'
import { confirmed, isToBeConfirmed, type NoVerdict, type RuleBroken, type TroubleResult } from './verdict.ts'
import { plus } from './watched-sandbox.ts'

export interface GauntletSetup
  extends SuiteSetup,
    Pick<Resolved<'gauntlet'>, 'budget' | 'timeout' | 'confirm'> {
  /** A folder for what the runs print. */
  outputFolder: string
}

export interface GauntletWatcher {
  started(name: string): void
  /** Called each second while a run goes on. */
  tick(name: string, tookMs: number, limitMs: number): void
  /** Called when the second baseline run has ended. */
  again(calm: CalmAgain): void
  /** `place` is that of its trouble in the list. */
  finished(result: TroubleResult, place: number): void
}

export interface Calm extends ChildResult {
  requests: number
  /** Whether at least one webhook got an answer, of any status. */
  hasReceiver: boolean
  sharedReceiver: string | undefined
  /** Whether the gauntlet starts the app, and so can kill it. */
  hasApp: boolean
  money: readonly OrderMoney[]
  /** The audit rules that it broke. */
  findings: readonly RuleBroken[]
  /** The requests of the command, by sandbox. */
  seen: readonly Seen[]
  path: readonly PathStep[]
  /** How many of the sandboxes in tests left no facts, as their process was killed. */
  lost: number
  outputFile: string
}

/** The result of a second baseline run, which shows whether the tests do the same twice. */
export interface CalmAgain {
  failure: string | undefined
  yardstick: Yardstick
}

/** The limit of the first run, when it is not known yet how long the command takes. */
export const FIRST_RUN_LIMIT_MS = 10 * 60_000

export class Gauntlet {
  readonly #setup: GauntletSetup
  readonly #suite: Suite
  readonly #startedAt = stopwatch()
  #runs = 0
  #failedInCalm = false
  /** Undefined before the second run in calm. */
  #yardstick: Promise<Yardstick> | undefined

  constructor(setup: GauntletSetup) {
    this.#setup = setup
    this.#suite = new Suite(setup)
  }

  async calm(tick: (tookMs: number, limitMs: number) => void): Promise<Calm> {
    const { timeout = FIRST_RUN_LIMIT_MS } = this.#setup
    const { ran, outputFile } = await this.#run('calm', [], () => timeout, tick)
    const { child, facts, lost, sharedReceiver } = ran
    return {
      ...child,
      ...{ outputFile, lost, sharedReceiver, hasApp: this.#setup.app !== undefined },
      seen: facts.map(({ seen }) => seen),
      path: facts.flatMap(({ path }) => path),
      findings: findingsOfAll(facts).filter(({ severity }) => severity === 'error'),
      money: moneyOfAll(facts),
      requests: facts.reduce((sum, { requests }) => sum + requests, 0),
      hasReceiver: facts.some(({ seen }) => seen.events.length > 0),
    }
  }

  /** `jobs` runs at the same time. In the order of the catalog, not in the order in which they end. */
  async troubles(
    calm: Calm,
    troubles: readonly Trouble[],
    jobs: number,
    watch: GauntletWatcher,
  ): Promise<TroubleResult[]> {
    const results: TroubleResult[] = []
    const meet = async (trouble: Trouble, place: number) => {
      const result = await this.#meet(trouble, calm, watch)
      results[place] = result
      watch.finished(result, place)
    }
    // The second baseline run is in parallel with the first trouble, or before it with --jobs 1.
    const calmAgain = async () => {
      this.#yardstick = this.#calmAgain(calm, watch)
      await this.#yardstick
    }
    const runs = troubles.map((trouble, place) => () => meet(trouble, place))
    const isFirst = this.#yardstick === undefined && troubles.some((trouble) => canAct(trouble, calm))
    await atMost(jobs, isFirst ? [calmAgain, ...runs] : runs)
    return results
  }

  /** One more run for each of these, without a repetition. */
  async once(calm: Calm, troubles: readonly Trouble[], jobs: number, watch: GauntletWatcher) {
    const results: TroubleResult[] = []
    const runs = troubles.map((trouble, index) => async () => {
      // Its output does not replace that of the run that is repeated.
      const named = { ...trouble, name: `${trouble.name}~${index + 1}` }
      const result = await this.#judged(named, calm, watch)
      removeOutput(result.outputFile)
      watch.finished(result, 0)
      if (result.verdict !== 'not run') results.push({ ...result, trouble })
    })
    await atMost(jobs, runs)
    return results
  }

  #isOver(): boolean {
    const { budget = Number.POSITIVE_INFINITY, stopped } = this.#setup
    return stopped.aborted || stopwatch() - this.#startedAt > budget
  }

  async #calmAgain(calm: Calm, watch: GauntletWatcher): Promise<Yardstick> {
    const { timeout = runLimit(calm.tookMs), stopped } = this.#setup
    if (this.#isOver()) return yardstickOf(calm.money)
    const name = 'calm again'
    watch.started(name)
    const tick = (tookMs: number, limitMs: number) => watch.tick(name, tookMs, limitMs)
    // It runs beside others, so its tests may take longer than alone.
    const { ran } = await this.#run('calm', [], () => timeout, tick, patienceOf([], calm.seen))
    const { child, said, facts } = ran
    // Failed tests have moved at most a part of the money.
    const isWhole = child.failure === undefined && !stopped.aborted
    const yardstick = yardstickOf(calm.money, isWhole ? moneyOfAll(facts) : calm.money)
    this.#failedInCalm = child.failure !== undefined && !stopped.aborted
    watch.again({ failure: this.#failedInCalm ? failureText(child.failure, said) : undefined, yardstick })
    return yardstick
  }

  async #meet(trouble: Trouble, calm: Calm, watch: GauntletWatcher): Promise<TroubleResult> {
    const { confirm } = this.#setup
    if (!canAct(trouble, calm)) return notExercised(trouble, calm)
    const first = await this.#judged(trouble, calm, watch)
    // If tests fail even in calm, a failure may be the suite's own, so it is repeated even if that takes
    // long.
    const asked = confirm ?? (this.#failedInCalm || undefined)
    if (!isToBeConfirmed(first, asked)) return first
    return confirmed(first, await this.#judged(trouble, calm, watch))
  }

  async #judged(trouble: Trouble, calm: Calm, watch: GauntletWatcher): Promise<TroubleResult> {
    const { stopped } = this.#setup
    if (this.#isOver()) return untried(trouble, 'not run')
    watch.started(trouble.name)
    const { behaviors, name } = trouble
    const { ran, outputFile } = await this.#run(
      name,
      behaviors,
      (fired) => this.#limit(trouble, calm, fired),
      (tookMs, limitMs) => watch.tick(name, tookMs, limitMs),
      patienceOf(behaviors, calm.seen),
    )
    if (stopped.aborted) return untried(trouble, 'not run')
    const judged = judgeRun(ran, calm, (await this.#yardstick) ?? yardstickOf(calm.money))
    const { facts, child } = ran
    const firedEach = facts.reduce<readonly number[]>((sum, { fired }) => plus(fired, sum), [])
    const path = facts.flatMap((one) => one.path)
    return { trouble, outputFile, tookMs: child.tookMs, runs: 1, ...{ path, firedEach }, ...judged }
  }

  #limit({ behaviors }: Trouble, calm: Calm, fired: readonly number[]): number {
    const costs = behaviors.map((behavior, index) => costOf(behavior, fired[index] ?? 0, calm.seen))
    const { timeout } = this.#setup
    return (
      timeout ??
      runLimit(
        calm.tookMs,
        costs.reduce((sum, cost) => sum + cost, 0),
      )
    )
  }

  async #run(
    name: string,
    behaviors: Trouble['behaviors'],
    limitMs: (fired: readonly number[]) => number,
    onTick: (tookMs: number, limitMs: number) => void,
    patienceMs?: number,
  ): Promise<{ ran: Ran; outputFile: string }> {
    const { outputFolder } = this.#setup
    const outputFile = join(outputFolder, `${name.replaceAll(':', '-')}.log`)
    this.#runs += 1
    const folder = join(outputFolder, `run-${this.#runs}`)
    const round = { name, behaviors, limitMs, onTick, outputFile, folder, patienceMs }
    return { outputFile, ran: await this.#suite.run(round) }
  }
}

/** Runs so many of them at the same time. */
async function atMost(jobs: number, tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...tasks]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next()
  }
  await Promise.all(Array.from({ length: jobs }, work))
}

/** Whether the baseline run sent a request on which the trouble can act. */
export const canAct = (trouble: Trouble, { seen, hasApp }: Pick<Calm, 'seen' | 'hasApp'>): boolean =>
  (hasApp || !trouble.behaviors.some(isCrash)) && isMetIn(seen, trouble)

const OWN_FIRST = 'A behavior that the tests arm themselves acts there first.'

const NEEDS_APP = 'Start the app with --app "node server.js", so that it can be killed and started again.'

const notExercised = (trouble: Trouble, { seen }: Calm): TroubleResult => ({
  ...untried(trouble, 'not exercised'),
  notes: isMetIn(seen, trouble) ? [NEEDS_APP] : isTakenIn(seen, trouble) ? [OWN_FIRST] : [],
})

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
  hasNoTimeout: false,
  path: [],
  firedEach: [],
})
