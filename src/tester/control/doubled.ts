/** Money that moved twice, as the stories of the orders tell it: for conduct, the list of orders and the timeline alike. */
import type { Store } from '../../service/store/store.ts'
import { NAMED_MAX } from '../conduct/judge.ts'
import type { OrderSentence } from '../conduct/order-sentence.ts'
import type { Repeat } from '../conduct/repeats.ts'
import type { SandboxInternals } from './internals.ts'
import { orderOf, storiesOf } from './stories.ts'
import type { InTurns } from './turns.ts'

export interface DoubledMoney extends OrderSentence {
  /** The checkouts and authorizations of which it moved. */
  rows: readonly string[]
}

/** Of the orders in which a retry did something a second time. */
export function* doubledMoneyIn(
  internals: SandboxInternals,
  repeats: readonly Repeat[],
): InTurns<DoubledMoney[]> {
  const store = internals.committedStore()
  const again = new Set(repeats.flatMap(({ after }) => orderOf(internals, store, after) ?? []))
  // Without this, no story would be told, but the whole journal read.
  if (again.size === 0) return []
  const stories = yield* storiesOf(internals, { findings: [], repeats }, [...again].slice(0, NAMED_MAX))
  return stories
    .flatMap(({ sentences }) => sentences.filter(({ tooMuch }) => tooMuch !== null))
    .map((sentence) => ({ ...sentence, rows: sentence.about.map((id) => rowOf(store, id)) }))
}

function rowOf(store: Store, id: string): string {
  const refund = store.refunds.find(id)
  return refund?.checkoutId ?? refund?.authorizationId ?? id
}
