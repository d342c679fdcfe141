/** The orders of a sandbox for pages: checkouts and authorizations in one list, each with its states and the worst that happened. */
import { isOpen, statesOf } from '../../service/domain/states.ts'
import type { Store } from '../../service/store/store.ts'
import type { Cents } from '../../spec/contract/money.ts'
import { cutPage, formatCursor, type Page } from '../../spec/contract/pages.ts'
import type { Authorization } from '../../spec/contract/resources/authorization.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { LEDGER_KINDS } from '../../spec/contract/resources/ledger.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { DoubledMoney } from './doubled.ts'
import { placeOfCursor } from './history.ts'
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

/** At most this many refunds of one order, the newest ones, are shown in its life and asked for failing webhooks. */
const NAMED_LOOKED_AT = 20

const KINDS = ['checkout', 'authorization'] as const

type Made = { kind: 'checkout'; row: Checkout } | { kind: 'authorization'; row: Authorization }

/** Newest first. The cursor is that of a list of checkouts and that of a list of authorizations. */
export function orders(
  store: Store,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  doubled: readonly DoubledMoney[],
  now: number,
): Page<ShownOrder> {
  const before = cursor?.split('.') ?? []
  const newest = KINDS.flatMap((kind, at) =>
    store[`${kind}s`]
      .newest({ limit: limit + 1, cursor: placeOfCursor(before[at] || undefined) })
      .map((row) => ({ kind, row }) as Made),
  )
  newest.sort((one, other) => other.row.createdAt - one.row.createdAt)
  const page = cutPage(newest, limit, (_, shown) =>
    KINDS.map((kind, at) => {
      const last = shown.findLast((one) => one.kind === kind)
      return last ? formatCursor(store[`${kind}s`].seqOf(last.row.id)!) : before[at]
    }).join('.'),
  )
  return { ...page, data: ordersOf(store, page.data, doubled, now) }
}

/** One order by the id of its checkout or authorization. */
export function shownOrderOf(
  store: Store,
  id: string,
  doubled: readonly DoubledMoney[],
  now: number,
): ShownOrder | undefined {
  const made = KINDS.flatMap((kind) => {
    const row = store[`${kind}s`].find(id)
    return row ? [{ kind, row } as Made] : []
  })
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
  const named = made.map(({ kind, row }) => rowsOfPayment(store, kind, row.id, NAMED_LOOKED_AT))
  const ids = made.flatMap(({ row }, index) => [row.id, ...named[index]!.map((one) => one.row.id)])
  const failing = store.deliveries.troubledOf(ids)
  const doubledOf = new Map(doubled.flatMap((one) => one.rows.map((row) => [row, one])))
  return made.map(({ kind, row }, index) => {
    const own = named[index]!
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
        failing: [row, ...own.map((one) => one.row)].reduce((sum, { id }) => sum + (failing.get(id) ?? 0), 0),
        openState: isOpen(kind, status) ? status : undefined,
        openMs: now - createdAt,
      }),
    }
  })
}

/** The states of the payment, and the present one of each resource that names it. */
function lifeOf(
  kind: ResourceName,
  row: object,
  named: ReturnType<typeof rowsOfPayment>,
): ShownOrder['life'] {
  return [
    ...datedStatesOf(kind, row),
    ...named.flatMap((one) => {
      const { words, ledger } = DEFINITIONS[one.kind]
      return datedStatesOf(one.kind, one.row)
        .slice(-1)
        .map(({ state, at }) => {
          const hasMoved = ledger !== 'none' && !isOpen(one.kind, state)
          const word = hasMoved ? LEDGER_KINDS[ledger.kind].sum : `${words.one.toLowerCase()} ${state}`
          return { state: word, at }
        })
    }),
  ]
}

const datedStatesOf = (kind: ResourceName, row: object): ShownOrder['life'] =>
  statesOf(kind).flatMap(([state, time]) => {
    const at: number | null = Reflect.get(row, time)
    return at === null ? [] : { state, at: formatInstant(at) }
  })
