/**
 * Trouble without a file or a header: an order whose `orderId` is a chain such as `sim:500,500,ok:anything` meets its
 * outcomes one after the other, each time that it is created. After the last one it works like any other.
 *
 * Whatever is not such a chain to the letter is an ordinary order.
 */
import type { Do } from '../scenario-file/behavior.ts'

const CHAIN = /^sim:((?:ok|timeout|reset|close|[45]\d\d)(?:,(?:ok|timeout|reset|close|[45]\d\d))*):/

const CREATES = ['checkouts.create', 'authorizations.create']

const wordsOf = (outcome: string): Do => {
  if (outcome === 'timeout') return { fault: 'hang' }
  if (outcome === 'reset' || outcome === 'close') return { fault: outcome }
  return { respond: { status: Number(outcome) } }
}

export class MagicOrders {
  /** How often each chain was met. */
  readonly #met = new Map<string, number>()

  /** What comes next for this order; nothing for one that works. */
  next(op: string, orderId: unknown): { words: Do; why: string } | undefined {
    if (typeof orderId !== 'string' || !orderId.startsWith('sim:') || !CREATES.includes(op)) return undefined
    const chain = CHAIN.exec(orderId)?.[1]?.split(',')
    if (chain === undefined) return undefined
    const met = (this.#met.get(orderId) ?? 0) + 1
    this.#met.set(orderId, met)
    const outcome = chain[met - 1] ?? 'ok'
    return outcome === 'ok'
      ? undefined
      : { words: wordsOf(outcome), why: `outcome ${met} of ${chain.length}` }
  }

  clear(): void {
    this.#met.clear()
  }
}
