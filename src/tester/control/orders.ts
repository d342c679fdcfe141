/** The orders of a sandbox for pages: checkouts and authorizations in one list, each with its states and the worst that happened. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { isLeftOpen, isOpen, statesOf } from '../../service/domain/states.ts'
import { paymentsOf } from '../../service/operations/unit.ts'
import { cutPage, formatCursor, type Page } from '../../spec/contract/pages.ts'
import type { Authorization } from '../../spec/contract/resources/authorization.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { LEDGER_KINDS } from '../../spec/contract/resources/ledger.ts'
import { PAYMENT_KINDS } from '../../spec/contract/resources/movements.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { tally } from '../../spec/grouping.ts'
import type { DoubledMoney } from './audit.ts'
import { placeOfCursor } from './history.ts'
import { rowsOfPayment } from './stories.ts'

export type ShownOrder = ReturnType<typeof ordersOf>[number]

/** How many refunds of an order, newest first, are shown and checked for failing webhooks. */
const NAMED_LOOKED_AT = 20

interface Made {
  kind: ResourceName
  row: Checkout | Authorization
}

/** Newest first. The cursor combines the cursors of a list of each kind. */
export function orders(
  internals: Sandbox,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  doubled: readonly DoubledMoney[],
): Page<ShownOrder> {
  const store = internals.committedStore()
  const before = cursor?.split('.') ?? []
  const newest = PAYMENT_KINDS.flatMap((kind, at) =>
    paymentsOf(store, kind)
      .newest({ limit: limit + 1, cursor: placeOfCursor(before[at] || undefined) })
      .map((row): Made => ({ kind, row })),
  )
  newest.sort((one, other) => other.row.createdAt - one.row.createdAt)
  const page = cutPage(newest, limit, (_, shown) =>
    PAYMENT_KINDS.map((kind, at) => {
      const last = shown.findLast((one) => one.kind === kind)
      return last ? formatCursor(paymentsOf(store, kind).seqOf(last.row.id)!) : before[at]
    }).join('.'),
  )
  return { ...page, data: ordersOf(internals, page.data, doubled) }
}

export type OpenedOrder = NonNullable<ReturnType<typeof openedOrderOf>>

/** One order by the id of its checkout or authorization, with the money that it gave back. */
export function openedOrderOf(internals: Sandbox, id: string, doubled: readonly DoubledMoney[]) {
  const store = internals.committedStore()
  const made = PAYMENT_KINDS.flatMap((kind) => {
    const row = paymentsOf(store, kind).find(id)
    return row ? [{ kind, row }] : []
  })
  const [order] = ordersOf(internals, made, doubled)
  return order && { ...order, returns: store.ledger.returnsOf(id) }
}

/** The platform's name of an order. An authorization may have no order; its customer's name is used then. */
export const nameOf = ({ orderId, externalId }: Pick<Authorization, 'orderId' | 'externalId'>): string =>
  orderId || externalId

function ordersOf(internals: Sandbox, made: readonly Made[], doubled: readonly DoubledMoney[]) {
  const { behaviors, clock } = internals
  const store = internals.committedStore()
  const now = clock.now()
  const named = made.map(({ kind, row }) => rowsOfPayment(store, kind, row.id, NAMED_LOOKED_AT))
  const ids = made.flatMap(({ row }, index) => [row.id, ...named[index]!.map((one) => one.row.id)])
  // A receiver is right to refuse a webhook that a behavior has forged.
  const honest = store.deliveries
    .troubledOf(ids)
    .filter(([, event]) => !behaviors.deliveryFaults.signatureFaultOf(event))
  const failing = tally(honest.map(([resource]) => resource))
  const doubledOf = new Map(doubled.flatMap((one) => one.rows.map((row) => [row, one])))
  return made.map(({ kind, row }, index) => {
    const own = named[index]!
    const { id, status, createdAt } = row
    return {
      /** The checkout's or authorization's. */
      id,
      name: nameOf(row),
      buyer: row.externalId,
      amount: row.amount,
      at: formatInstant(createdAt),
      /** The states that it went through, in order. */
      life: lifeOf(kind, row, own),
      /** The worst that happened to it. */
      worst: worstOf(
        doubledOf.get(id),
        [row, ...own.map((one) => one.row)].reduce((sum, { id }) => sum + (failing.get(id) ?? 0), 0),
        isLeftOpen(kind, status) && now - createdAt >= LEFT_OPEN_MS,
      ),
    }
  })
}

/** An order counts as left open after this long; before that, its buyer may still be paying. */
const LEFT_OPEN_MS = 60 * 60 * 1000

/**
 * Its story has more, but needs the audit's verdict, for which the whole sandbox is read. `failing`: the number of its events
 * whose last delivery is failing or failed.
 */
function worstOf(doubled: DoubledMoney | undefined, failing: number, leftOpen: boolean) {
  if (doubled) return { tone: 'bad', text: doubled.worst }
  if (failing > 0)
    return { tone: 'wait', text: failing === 1 ? 'webhook failing' : `${failing} webhooks failing` }
  return leftOpen ? { tone: 'wait', text: 'left open' } : null
}

/** The states of the payment, and the current one of each resource that names it. */
function lifeOf(kind: ResourceName, row: object, named: ReturnType<typeof rowsOfPayment>) {
  return [
    ...datedStatesOf(kind, row),
    ...named.map(({ kind, row }) => {
      const { words, ledger } = DEFINITIONS[kind]
      const { state, at } = datedStatesOf(kind, row).at(-1)!
      const hasMoved = ledger !== 'none' && !isOpen(kind, state)
      return { state: hasMoved ? LEDGER_KINDS[ledger.kind].sum : `${words.one.toLowerCase()} ${state}`, at }
    }),
  ]
}

const datedStatesOf = (kind: ResourceName, row: object) =>
  statesOf(kind).flatMap(([state, time]) => {
    const at: number | null = Reflect.get(row, time)
    return at === null ? [] : { state, at: formatInstant(at) }
  })
