/**
 * Faults without a file or a header: an `orderId` such as `sim:500,500,ok:anything` sets the outcomes of the first, second and
 * third attempt to create it. Later attempts succeed as usual, as does any other `orderId`.
 */
import { invalidField } from '../../spec/contract/errors.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import type { Do } from '../scenario-file/do.ts'
import type { Remembered, RememberedMap, Write } from './remembered.ts'

const PREFIX = 'sim:'
const CHAIN = /^sim:([^:]*):./s
const STATUS = /^[45]\d\d$/

/** The fault of each outcome that is not a status. */
const OUTCOMES: Readonly<Record<string, Do | undefined>> = {
  ok: undefined,
  timeout: { fault: 'hang' },
  reset: { fault: 'reset' },
  close: { fault: 'close' },
}
const WORDS = Object.keys(OUTCOMES)

/** Its name in the journal, instead of a behavior's id. */
export const outcomeBehaviorOf = (orderId: unknown) => `orderId ${orderId}`

export class OrderOutcomes {
  /** How often each `orderId` was sent. */
  readonly #attempts: RememberedMap<number>

  constructor(remembered: Remembered) {
    this.#attempts = remembered('attempts of an order with outcomes')
  }

  /** Counts an attempt and returns its fault, without `do` for `ok`; undefined for an ordinary order. */
  next(orderId: unknown, write: Write): { do?: Do; why: string } | undefined {
    if (typeof orderId !== 'string' || !orderId.startsWith(PREFIX)) return undefined
    const chain = outcomesOf(orderId)
    const attempt = (this.#attempts.get(orderId) ?? 0) + 1
    write(() => this.#attempts.set(orderId, attempt))
    const outcome = chain[attempt - 1] ?? 'ok'
    const fault = STATUS.test(outcome) ? { respond: { status: Number(outcome) } } : OUTCOMES[outcome]
    return { ...(fault && { do: fault }), why: `outcome ${attempt} of ${chain.length}` }
  }
}

/** Refuses a malformed one. As an ordinary order it would be created, and the test would get no fault. */
function outcomesOf(orderId: string): string[] {
  const chain = CHAIN.exec(orderId)?.[1]?.split(',')
  const wrong = chain?.find((outcome) => !WORDS.includes(outcome) && !STATUS.test(outcome))
  if (chain !== undefined && wrong === undefined) return chain
  const which = wrong === undefined ? '' : `, not ${JSON.stringify(wrong)}${didYouMean(wrong, WORDS)}`
  throw invalidField(
    'orderId',
    `must be sim:, comma-separated outcomes, a colon and a name, such as sim:500,ok:order-1; an outcome is ${WORDS.join(', ')} or a status from 400 to 599${which}`,
  )
}
