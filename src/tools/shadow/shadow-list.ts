/** What `paysim shadow` has seen: for the terminal, the dashboard, the reports and learning alike. */

import type { MendableDifference, RealService, ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import type { ServiceExchange } from '../learn/evidence.ts'
import { type Learned, learn } from '../learn/learn.ts'
import { mendingKey } from './mending-key.ts'

/** The bodies of more exchanges would fill the memory of a proxy that runs for days. */
const KEPT_MAX = 5_000

/** What is learned of so many exchanges is found within milliseconds. */
const LEARNED_AT_ONCE = 200

export class ShadowList implements RealService {
  /** The address of the service. */
  readonly target: string
  readonly #exchanges: ShadowedExchange[] = []
  readonly #evidence: ServiceExchange[] = []
  #count = 0
  #differing = 0
  /** `learned` is what the first `of` exchanges showed. */
  #learned: { of: number; learned: Learned } | undefined

  constructor(target: string) {
    this.target = target
  }

  add(shadowed: ShadowedExchange, evidence: ServiceExchange): void {
    this.#count += 1
    if (shadowed.differences.length > 0) this.#differing += 1
    this.#exchanges.push(shadowed)
    this.#evidence.push(evidence)
    if (this.#exchanges.length > KEPT_MAX) {
      this.#exchanges.shift()
      this.#evidence.shift()
    }
  }

  get count(): number {
    return this.#count
  }

  get differing(): number {
    return this.#differing
  }

  /** In their order; only the latest are kept. */
  get exchanges(): readonly ShadowedExchange[] {
    return this.#exchanges
  }

  get evidence(): readonly ServiceExchange[] {
    return this.#evidence
  }

  /** The newest first. */
  latest(limit: number): readonly ShadowedExchange[] {
    return this.#exchanges.slice(-limit).reverse()
  }

  find(number: number): ShadowedExchange | undefined {
    return this.#exchanges.find((one) => one.number === number)
  }

  /**
   * What it shows of the service's profile. All that is kept is read for it, so of many requests it is done again only when
   * there are a tenth more.
   */
  learned(): Learned {
    const more = this.#count - (this.#learned?.of ?? 0)
    if (this.#learned === undefined || more > this.#count / 10 || this.#count < LEARNED_AT_ONCE)
      this.learnAll()
    return this.#learned!.learned
  }

  /** Reads all of it, before what is shown for good. */
  learnAll(): void {
    if (this.#learned?.of === this.#count) return
    this.#learned = { of: this.#count, learned: learn({ exchanges: this.#evidence, webhooks: [] }) }
  }

  differencesOf(exchange: ShadowedExchange): readonly MendableDifference[] {
    const { keys } = this.learned()
    return exchange.differences.map((difference) => {
      const found = mendingKey(difference, exchange, keys)
      return { ...difference, mendedBy: found && { key: found.key, value: found.value } }
    })
  }
}
