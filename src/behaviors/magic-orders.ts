/**
 * Faults without a file or a header: an `orderId` such as `sim:500,500,ok:anything` names the outcomes of the first,
 * second and third attempt to create it. Later attempts are ordinary, and so is any other `orderId`.
 */
import type { Do } from '../scenario-file/behavior.ts'
import type { Remembered, RememberedMap } from './remembered.ts'
import type { TakeBack } from './take-back.ts'

const CHAIN = /^sim:((?:ok|timeout|reset|close|[45]\d\d)(?:,(?:ok|timeout|reset|close|[45]\d\d))*):/

const CREATES = ['checkouts.create', 'authorizations.create']

const faultFor = (outcome: string): Do => {
  if (outcome === 'timeout') return { fault: 'hang' }
  if (outcome === 'reset' || outcome === 'close') return { fault: outcome }
  return { respond: { status: Number(outcome) } }
}

export class MagicOrders {
  /** How often each `orderId` was sent. */
  readonly #attempts: RememberedMap<number>

  constructor(remembered: Remembered) {
    this.#attempts = remembered.map('attempts of a magic order')
  }

  /** Counts an attempt, and names its fault unless it goes through; undefined for any other order. */
  next(op: string, orderId: unknown): { do?: Do; why: string; takeBack: TakeBack } | undefined {
    if (typeof orderId !== 'string' || !orderId.startsWith('sim:') || !CREATES.includes(op)) return undefined
    const chain = CHAIN.exec(orderId)?.[1]?.split(',')
    if (chain === undefined) return undefined
    const attempt = (this.#attempts.get(orderId) ?? 0) + 1
    this.#attempts.set(orderId, attempt)
    const outcome = chain[attempt - 1] ?? 'ok'
    return {
      ...(outcome !== 'ok' && { do: faultFor(outcome) }),
      why: `outcome ${attempt} of ${chain.length}`,
      takeBack: () => this.#attempts.set(orderId, (this.#attempts.get(orderId) ?? 1) - 1),
    }
  }

  clear(): void {
    this.#attempts.clear()
  }
}
