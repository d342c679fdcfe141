/** What `paysim shadow` has seen: for the terminal, the dashboard, the reports and learning alike. */

import type { MendableDifference, RealService, ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import type { ServiceExchange } from '../learn/evidence.ts'
import { type Learned, learn } from '../learn/learn.ts'
import { type DifferenceGroup, groupedDifferences } from '../player/difference-groups.ts'
import { mendingKey } from './mending-key.ts'
import { withoutBodies } from './shadowed.ts'

/** The most exchanges that are kept, so that a proxy that runs for days does not fill the memory. */
const KEPT_MAX = 5_000
const KEPT_MAX_BYTES = 64 * 1024 ** 2

/** What is learned of so many exchanges is found within milliseconds. */
const LEARNED_AT_ONCE = 200

/** An estimate: texts are the largest part of an exchange. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum, one) => sum + bytesOf(one), ROOM_OF_OBJECT)
}

const ROOM_OF_OBJECT = 64

export class ShadowList implements RealService {
  /** The address of the service. */
  readonly target: string
  /** In their order; only the latest are kept. */
  readonly exchanges: ShadowedExchange[] = []
  readonly evidence: ServiceExchange[] = []
  count = 0
  differing = 0
  #bytes = 0
  /** `learned` is what the first `of` exchanges showed. */
  #learned: { of: number; learned: Learned } | undefined

  constructor(target: string) {
    this.target = target
  }

  /** Adds an exchange and makes room: the oldest lose their bodies first, then everything but their count. */
  add(shadowed: ShadowedExchange, evidence: ServiceExchange): void {
    this.count += 1
    if (shadowed.differences.length > 0) this.differing += 1
    this.exchanges.push(shadowed)
    this.evidence.push(evidence)
    this.#bytes += bytesOf(shadowed) + bytesOf(evidence)
    while (this.#bytes > KEPT_MAX_BYTES && this.evidence.length > 1) this.#forgetBodies()
    while (this.#bytes > KEPT_MAX_BYTES && this.exchanges.length > 1) this.#forget()
    if (this.exchanges.length > KEPT_MAX) this.#forget()
  }

  #forgetBodies(): void {
    const index = this.exchanges.length - this.evidence.length
    const whole = this.exchanges[index]!
    const rest = withoutBodies(whole)
    this.#bytes += bytesOf(rest) - bytesOf(whole) - bytesOf(this.evidence.shift())
    this.exchanges[index] = rest
  }

  #forget(): void {
    if (this.evidence.length === this.exchanges.length) this.#forgetBodies()
    this.#bytes -= bytesOf(this.exchanges.shift()!)
  }

  /** The newest first. */
  latest(limit: number): readonly ShadowedExchange[] {
    return this.exchanges.slice(-limit).reverse()
  }

  find(number: number): ShadowedExchange | undefined {
    return this.exchanges.find((one) => one.number === number)
  }

  /**
   * What it shows of the service's profile. All that is kept is read for it, so of many requests it is done again only when
   * there are a tenth more.
   */
  learned(): Learned {
    const more = this.count - (this.#learned?.of ?? 0)
    if (this.#learned === undefined || more > this.count / 10 || this.count < LEARNED_AT_ONCE) this.learnAll()
    return this.#learned!.learned
  }

  /** Reads all of it, before what is shown for good. */
  learnAll(): void {
    if (this.#learned?.of === this.count) return
    this.#learned = { of: this.count, learned: learn({ exchanges: this.evidence, webhooks: [] }) }
  }

  /** Of all that is kept. */
  groups(): DifferenceGroup[] {
    return groupedDifferences(
      this.exchanges.flatMap((one) => {
        const where = `request ${one.number}, ${one.method} ${one.target}`
        return this.differencesOf(one).map((difference) => ({ ...difference, where }))
      }),
    )
  }

  differencesOf(exchange: ShadowedExchange): readonly MendableDifference[] {
    const { keys } = this.learned()
    const { method, target, ours, number } = exchange
    const answer = { method, target, ...ours, seenIn: `request ${number}` }
    return exchange.differences.map((difference) => ({
      ...difference,
      mendedBy: mendingKey(difference, answer, keys),
    }))
  }
}
