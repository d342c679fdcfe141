/** Finds money that moved twice, for the audit, the list of orders and the timeline. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { tableOf } from '../../service/operations/unit.ts'
import type { Store } from '../../service/store/store.ts'
import { beginsPayment } from '../../spec/contract/endpoints.ts'
import { KINDS_OF_PAYMENT, paymentOf } from '../../spec/contract/resources/movements.ts'
import { NAMED_MAX } from '../audit/judge.ts'
import type { OrderSentence } from '../audit/order-sentence.ts'
import { groupBy, type JournaledRequest } from '../audit/picture.ts'
import { type JudgedRequests, orderOf, storiesOf } from './stories.ts'

export interface DoubledMoney extends OrderSentence {
  /** The checkouts and authorizations concerned. */
  rows: readonly string[]
}

/** Money that moved twice in the orders of these repeats, and in the orders `others`. */
export function doubledMoneyIn(
  internals: Sandbox,
  judged: Omit<JudgedRequests, 'findings'>,
  others: readonly string[],
): DoubledMoney[] {
  const store = internals.committedStore()
  const retried = judged.repeats.flatMap(({ after }) => orderOf(internals, store, after) ?? [])
  const again = new Set([...retried, ...others])
  // `storiesOf` would read the whole journal even without orders.
  if (again.size === 0) return []
  const stories = storiesOf(internals, { ...judged, findings: [] }, [...again].slice(0, NAMED_MAX))
  return stories
    .flatMap(({ sentences }) => sentences.filter(({ tooMuch }) => tooMuch !== null))
    .map((sentence) => ({ ...sentence, rows: sentence.about.map((id) => paymentOfMove(store, id)) }))
}

/** The orders for which more than one payment was started: both may have been paid, without a retry. */
export function ordersBegunAgain(requests: readonly JournaledRequest[]): string[] {
  const begun = groupBy(requests, ({ operation, events, json: { orderId } }) =>
    operation !== null && beginsPayment(operation) && events.length > 0 && typeof orderId === 'string'
      ? orderId
      : null,
  )
  return [...begun].flatMap(([orderId, { length }]) => (length > 1 ? orderId : []))
}

function paymentOfMove(store: Store, id: string): string {
  const row = KINDS_OF_PAYMENT.map((kind) => tableOf(store, kind).find(id)).find(Boolean)
  return row ? paymentOf(row) : id
}
