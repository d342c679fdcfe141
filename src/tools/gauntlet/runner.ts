/** Runs the command in calm, then once for each trouble, each run in a sandbox of its own. */
import { join } from 'node:path'
import { stopwatch } from '../../spec/world/clock.ts'
import type { Sandboxes } from '../../tester/control/control.ts'
import type { Trouble } from './catalog.ts'
import { type ChildResult, runChild } from './child.ts'
import { moneyOf, type OrderMoney } from './money.ts'
import { type Judged, judge, type NoVerdict, type RuleBroken } from './verdict.ts'
import { webhookAddress } from './webhook-address.ts'

export interface GauntletSetup {
  command: readonly string[]
  troubles: readonly Trouble[]
  /** How many runs at the same time. */
  jobs: number
  /** No run is started after this long. */
  budgetMs: number | undefined
  webhookUrl: string
  /** Rules of conduct that are not applied, each with its reason. */
  ignoredRules: Readonly<Record<string, string>>
  /** A folder for what the runs print. */
  outputFolder: string
  env: Readonly<Record<string, string | undefined>>
  simulator: Sandboxes
  /** Where it listens. */
  url: string
  stopped: AbortSignal
  watch: GauntletWatcher
}

export interface GauntletWatcher {
  started(name: string): void
  finished(result: TroubleResult): void
}

export interface Calm extends ChildResult {
  requests: number
  /** Whether at least one webhook got an answer, of any status. */
  hasReceiver: boolean
  money: readonly OrderMoney[]
  outputFile: string
}

export interface TroubleResult extends Judged {
  trouble: Trouble
  fired: number
  tookMs: number
  outputFile: string | undefined
  /** What the client did that would hurt in production. */
  findings: readonly RuleBroken[]
}

/** A run may take ten times as long as the calm one, as retries take time, and at least this long. */
const TIMEOUT_MIN_MS = 30_000
const TIMEOUT_FACTOR = 10
/** Nothing is known yet of how long the command takes. */
const CALM_TIMEOUT_MS = 10 * 60_000
/** Refunds are completed soon, so that tests need not wait for them. */
const REFUND_DELAY = '200ms'
/** For requests that still are under way when the command ends: their money belongs to the run. */
const SETTLE_WITHIN = '5s'

export class Gauntlet {
  readonly #setup: GauntletSetup
  readonly #startedAt = stopwatch()

  constructor(setup: GauntletSetup) {
    this.#setup = setup
  }

  async calm(): Promise<Calm> {
    const { child, shop, outputFile } = await this.#run('calm', [], CALM_TIMEOUT_MS)
    const calm = {
      ...child,
      outputFile,
      money: moneyOf(shop),
      requests: shop.requests({ limit: 1 }).length,
      hasReceiver: shop.deliveries().some(({ attempts }) => attempts.some(isAnswered)),
    }
    this.#setup.simulator.remove(shop.name)
    return calm
  }

  /** In the order of the catalog, not in the order in which they end. */
  async troubles(calm: Calm): Promise<TroubleResult[]> {
    const { troubles, jobs, watch } = this.#setup
    const results: TroubleResult[] = []
    const waiting = troubles.map((trouble, index) => ({ trouble, index }))
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const result = await this.#meet(next.trouble, calm)
        results[next.index] = result
        watch.finished(result)
      }
    }
    await Promise.all(Array.from({ length: jobs }, work))
    return results
  }

  #isOver(): boolean {
    const { budgetMs = Number.POSITIVE_INFINITY, stopped } = this.#setup
    return stopped.aborted || stopwatch() - this.#startedAt > budgetMs
  }

  async #meet(trouble: Trouble, calm: Calm): Promise<TroubleResult> {
    const { simulator, stopped, watch } = this.#setup
    if (this.#isOver()) return untried(trouble, 'not run')
    if (trouble.needsReceiver && !calm.hasReceiver) return untried(trouble, 'not exercised')
    watch.started(trouble.name)
    const timeoutMs = Math.max(TIMEOUT_MIN_MS, TIMEOUT_FACTOR * calm.tookMs)
    const { child, shop, outputFile } = await this.#run(trouble.name, trouble.behaviors, timeoutMs)
    if (stopped.aborted) return untried(trouble, 'not run')
    const fired = shop.behaviors().reduce((sum, behavior) => sum + behavior.fired, 0)
    const { failure, tookMs } = child
    const { findings } = shop.conduct()
    const evidence = { failure, fired, money: moneyOf(shop), calm: calm.money, findings }
    simulator.remove(shop.name)
    return { trouble, fired, tookMs, outputFile, findings, ...judge(evidence) }
  }

  async #run(name: string, behaviors: Trouble['behaviors'], timeoutMs: number) {
    const { command, env, ignoredRules, outputFolder, simulator, stopped, url } = this.#setup
    const webhook = await webhookAddress(this.#setup.webhookUrl)
    const shop = simulator.create({
      name,
      rateLimit: 'off',
      refundDelay: REFUND_DELAY,
      webhook: { url: webhook.url },
      conduct: { ignore: ignoredRules },
    })
    shop.arm(behaviors)
    const outputFile = join(outputFolder, `${name}.log`)
    const child = await runChild({
      command,
      outputFile,
      timeoutMs,
      stopped,
      env: {
        ...env,
        PAYSIM_URL: url,
        PAYSIM_API_KEY: shop.apiKey,
        PAYSIM_WEBHOOK_SECRET: shop.signingSecret,
        PAYSIM_WEBHOOK_URL: webhook.url,
        PAYSIM_WEBHOOK_PORT: webhook.port,
        PAYSIM_TROUBLE: name,
      },
    })
    // Retries of webhooks whose receiver has ended may keep it from settling; only the requests matter here.
    if (!stopped.aborted) await shop.settle({ within: SETTLE_WITHIN }).catch(() => {})
    return { child, shop, outputFile }
  }
}

const isAnswered = ({ status }: { status: number | null }) => status !== null

const untried = (trouble: Trouble, verdict: NoVerdict): TroubleResult => ({
  trouble,
  verdict,
  reasons: [],
  fired: 0,
  tookMs: 0,
  outputFile: undefined,
  findings: [],
})
