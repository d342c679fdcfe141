/** Runs the command in the baseline run, then once for each trouble, each run in a sandbox of its own. */
import { join } from 'node:path'
import { stopwatch } from '../../spec/world/clock.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { Resolved } from '../options/commands.ts'
import type { ChildResult } from './child.ts'
import { isDoubt, isTouchedIn } from './doubts.ts'
import type { PathStep } from './facts.ts'
import { failureText, judgeRun } from './judge-run.ts'
import { patienceOf, runLimit } from './limit.ts'
import { type OrderMoney, type Yardstick, yardstickOf } from './money.ts'
import { isCrash, type Seen } from './seen.ts'
import { type Ran, runSuite, type SuiteSetup } from './suite.ts'
import { findingsOfAll, isMetIn, moneyOfAll } from './together.ts'
import { confirmed, isToBeConfirmed, type NoVerdict, type RuleBroken, type TroubleResult } from './verdict.ts'
import { freePorts } from './webhook-address.ts'

interface GauntletSetup extends SuiteSetup, Pick<Resolved<'gauntlet'>, 'budget' | 'timeout' | 'confirm'> {
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

/** What all runs after the baseline run have in common. */
export interface AfterBaseline {
  calm: Calm
  /** How many runs at the same time. */
  jobs: number
  watch: GauntletWatcher
}

export class Gauntlet {
  readonly #setup: GauntletSetup
  readonly #ports = freePorts()
  readonly #startedAt = stopwatch()
  #runs = 0
  #failedInCalm = false
  /** Undefined before the second baseline run. */
  #yardstick: Promise<Yardstick> | undefined

  constructor(setup: GauntletSetup) {
    this.#setup = setup
  }

  async calm(tick: (tookMs: number, limitMs: number) => void): Promise<Calm> {
    const { ran, outputFile } = await this.#run(CALM, undefined, {
      started() {},
      tick: (_, ...times) => tick(...times),
    })
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

  /**
   * In the order of the list, not of completion. The second baseline run is in parallel with the first trouble, or
   * before it with --jobs 1.
   */
  async troubles(
    troubles: readonly Trouble[],
    field: AfterBaseline,
    confirm = this.#setup.confirm,
  ): Promise<TroubleResult[]> {
    const results: TroubleResult[] = []
    const runs = troubles.map((trouble, place) => async () => {
      results[place] = await this.#meet(trouble, field, confirm)
      field.watch.finished(results[place], place)
    })
    const isFirst = this.#yardstick === undefined && troubles.some((trouble) => canAct(trouble, field.calm))
    const again = async () => {
      this.#yardstick = this.#calmAgain(field)
      await this.#yardstick
    }
    await atMost(field.jobs, isFirst ? [again, ...runs] : runs)
    return results
  }

  #isOver(): boolean {
    const { budget = Number.POSITIVE_INFINITY, stopped } = this.#setup
    return stopped.aborted || stopwatch() - this.#startedAt > budget
  }

  async #calmAgain({ calm, watch }: AfterBaseline): Promise<Yardstick> {
    if (this.#isOver()) return yardstickOf(calm.money)
    const { ran } = await this.#run(CALM, calm, watch)
    const { child, said, facts } = ran
    const hasFailed = child.failure !== undefined
    this.#failedInCalm = hasFailed && !this.#setup.stopped.aborted
    // Failed tests have moved at most a part of the money.
    const yardstick = yardstickOf(calm.money, hasFailed ? calm.money : moneyOfAll(facts))
    watch.again({ failure: this.#failedInCalm ? failureText(child.failure, said) : undefined, yardstick })
    return yardstick
  }

  async #meet(trouble: Trouble, field: AfterBaseline, confirm: boolean | undefined): Promise<TroubleResult> {
    if (!canAct(trouble, field.calm))
      return untried(trouble, 'not exercised', isMetIn(field.calm.seen, trouble) ? [NEEDS_APP] : [])
    const first = await this.#judged(trouble, field)
    // If tests fail even in the baseline run, a failure may be the suite's own, so it is repeated even if that takes long.
    const isAsked = confirm ?? (this.#failedInCalm || undefined)
    return isToBeConfirmed(first, isAsked) ? confirmed(first, await this.#judged(trouble, field)) : first
  }

  async #judged(trouble: Trouble, { calm, watch }: AfterBaseline): Promise<TroubleResult> {
    if (this.#isOver()) return untried(trouble, 'not run')
    const { ran, outputFile } = await this.#run(trouble, calm, watch)
    if (this.#setup.stopped.aborted) return untried(trouble, 'not run')
    const judged = judgeRun(ran, calm, (await this.#yardstick) ?? yardstickOf(calm.money), trouble)
    return { trouble, outputFile, tookMs: ran.child.tookMs, runs: 1, ...judged }
  }

  /** Every run: the baseline run, which knows of none before it, the second one, and those with a trouble. */
  async #run(
    { name, behaviors, profile }: Pick<Trouble, 'name' | 'behaviors' | 'profile'>,
    calm: Calm | undefined,
    watch: Pick<GauntletWatcher, 'started' | 'tick'>,
  ): Promise<{ ran: Ran; outputFile: string }> {
    const { outputFolder, timeout } = this.#setup
    watch.started(name)
    const outputFile = join(outputFolder, `${name.replaceAll(':', '-')}.log`)
    this.#runs += 1
    const folder = join(outputFolder, `run-${this.#runs}`)
    const round = {
      ...{ name, behaviors, profile, outputFile, folder },
      onTick: (tookMs: number, limitMs: number) => watch.tick(name, tookMs, limitMs),
      limitMs: (fired: readonly number[]) =>
        timeout ?? (calm ? runLimit(calm, behaviors, fired) : FIRST_RUN_LIMIT_MS),
      // It runs beside others, so its tests may take longer than alone.
      patienceMs: calm && patienceOf(behaviors, calm.seen),
    }
    const ran = await runSuite(this.#setup, round, this.#ports)
    return { outputFile, ran }
  }
}

const CALM = { name: 'calm', behaviors: [] }

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
  isDoubt(trouble)
    ? isTouchedIn(seen, trouble)
    : (hasApp || !trouble.behaviors.some(isCrash)) && isMetIn(seen, trouble)

const NEEDS_APP = 'Start the app with --app "node server.js", so that it can be killed and started again.'

const untried = (trouble: Trouble, verdict: NoVerdict, notes: string[] = []): TroubleResult => ({
  trouble,
  verdict,
  reasons: [],
  orders: [],
  fired: 0,
  tookMs: 0,
  outputFile: undefined,
  findings: [],
  trail: undefined,
  suspect: undefined,
  runs: 0,
  notes,
  hasNoTimeout: false,
  path: [],
  firedEach: [],
})
