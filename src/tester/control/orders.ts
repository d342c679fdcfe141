/** The orders of a sandbox for pages: checkouts and authorizations in one list, each with its states and the worst that happened. */
import { MOVES, statesOf } from '../../service/domain/states.ts'
import type { Store } from '../../service/store/store.ts'
import type { Authorization } from '../../spec/contract/authorization.ts'
import type { Checkout } from '../../spec/contract/checkout.ts'
import type { Cents } from '../../spec/contract/money.ts'
import type { Refund } from '../../spec/contract/refund.ts'
import { formatInstant } from '../../spec/contract/wire.ts'
import type { DoubledMoney } from './doubled.ts'
import { wrongCursor } from './history.ts'
import { rowsOfPayment } from './stories.ts'
import { type Worst, worstOf } from './worst.ts'

export interface ShownOrder {
  /** Of the checkout or the authorization. */
  id: string
  /** What the platform calls it. */
  name: string
  buyer: string
  amount: Cents
  refunded: Cents
  at: string
  /** The states that it went through, the first one first. */
  life: readonly { state: string; at: string }[]
  worst: Worst | null
}

export interface PageOfOrders {
  data: ShownOrder[]
  nextCursor: string | null
}

/** At most this many refunds of one order, the newest ones, are shown in its life and asked for failing webhooks. */
const REFUNDS_LOOKED_AT = 20

type Made = { kind: 'checkout'; row: Checkout } | { kind: 'authorization'; row: Authorization }

/** Newest first. A cursor has the places of the last checkout and of the last authorization. */
export function orders(
  store: Store,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  doubled: readonly DoubledMoney[],
  now: number,
): PageOfOrders {
  const [checkoutsBefore, authorizationsBefore] = placesOf(cursor)
  const { checkouts, authorizations } = store
  const found: Made[] = [
    ...checkouts
      .list({ limit: limit + 1, cursor: checkoutsBefore })
      .data.map((row) => ({ kind: 'checkout' as const, row })),
    ...authorizations
      .list({ limit: limit + 1, cursor: authorizationsBefore })
      .data.map((row) => ({ kind: 'authorization' as const, row })),
  ].sort((one, other) => other.row.createdAt - one.row.createdAt)
  const shown = found.slice(0, limit)
  const lastPlace = (kind: Made['kind'], before: number | undefined) => {
    const last = shown.findLast((one) => one.kind === kind)
    return last ? store[`${kind}s`].seqOf(last.row.id) : before
  }
  return {
    data: ordersOf(store, shown, doubled, now),
    nextCursor:
      found.length > limit
        ? [lastPlace('checkout', checkoutsBefore), lastPlace('authorization', authorizationsBefore)]
            .map((place) => place ?? '')
            .join('.')
        : null,
  }
}

/** One order by the id of its checkout or authorization. */
export function shownOrderOf(
  store: Store,
  id: string,
  doubled: readonly DoubledMoney[],
  now: number,
): ShownOrder | undefined {
  const checkout = store.checkouts.find(id)
  const authorization = checkout ? undefined : store.authorizations.find(id)
  const made: Made[] = checkout
    ? [{ kind: 'checkout', row: checkout }]
    : authorization
      ? [{ kind: 'authorization', row: authorization }]
      : []
  return ordersOf(store, made, doubled, now)[0]
}

/** What the platform calls an order. An authorization may have no order: its customer's name stands in for it. */
export const nameOf = ({ orderId, externalId }: Pick<Authorization, 'orderId' | 'externalId'>): string =>
  orderId || externalId

function ordersOf(
  store: Store,
  made: readonly Made[],
  doubled: readonly DoubledMoney[],
  now: number,
): ShownOrder[] {
  const refunds = made.map(({ kind, row }) =>
    rowsOfPayment(store, { [`${kind}Id`]: row.id }, REFUNDS_LOOKED_AT),
  )
  const ids = made.flatMap(({ row }, index) => [row.id, ...refunds[index]!.map(({ id }) => id)])
  const failing = store.deliveries.troubledOf(ids)
  const doubledOf = new Map(doubled.flatMap((one) => one.rows.map((row) => [row, one])))
  return made.map(({ kind, row }, index) => {
    const own = refunds[index]!
    const { id, status, createdAt } = row
    return {
      id,
      name: nameOf(row),
      buyer: row.externalId,
      amount: row.amount,
      refunded: row.amountRefunded,
      at: formatInstant(createdAt),
      life: lifeOf(kind, row, own),
      worst: worstOf({
        doubled: doubledOf.get(id),
        failing: [id, ...own.map((refund) => refund.id)].reduce(
          (sum, one) => sum + (failing.get(one) ?? 0),
          0,
        ),
        openState: isOpen(kind, status) ? status : undefined,
        openMs: now - createdAt,
      }),
    }
  })
}

/** Whether a move leads on from the state. */
const isOpen = (kind: Made['kind'], status: string) =>
  Object.values(MOVES[kind]).some(({ from }) => (from as readonly string[]).includes(status))

function lifeOf(kind: Made['kind'], row: Made['row'], refunds: readonly Refund[]): ShownOrder['life'] {
  return [
    ...statesOf(kind).map(
      ([state, time]) => [state, row[time as keyof typeof row]] as [string, number | null],
    ),
    ...refunds.map(({ completedAt, createdAt }): [string, number] => [
      completedAt === null ? 'refund pending' : 'refunded',
      completedAt ?? createdAt,
    ]),
  ].flatMap(([state, at]) => (at === null ? [] : [{ state, at: formatInstant(at) }]))
}

function placesOf(cursor: string | undefined): (number | undefined)[] {
  if (cursor === undefined) return []
  if (!/^\d{0,15}\.\d{0,15}$/.test(cursor)) throw wrongCursor()
  return cursor.split('.').map((place) => (place === '' ? undefined : Number(place)))
}
