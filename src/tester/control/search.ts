/** What a tester finds in a sandbox by a part of a text or by an amount: rows of each kind, and requests. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Store } from '../../service/store/store.ts'
import type { SearchTerm } from '../../service/store/table.ts'
import { moneyText } from '../../spec/contract/money.ts'
import { formatInstant } from '../../spec/contract/wire.ts'
import { amountsOf } from './request-filter.ts'
import { pickRequests } from './requests.ts'
import type { RequestSummary } from './shapes.ts'

export type FoundKind =
  | 'checkout'
  | 'authorization'
  | 'refund'
  | 'customer'
  | 'payment_method'
  | 'message'
  | 'event'
  | 'delivery'

export interface FoundRow {
  kind: FoundKind
  id: string
  text: string
  state: string | null
  at: string
}

export interface SearchResult {
  /** Of each kind at most so many, and whether there are more. */
  rows: { kind: FoundKind; data: FoundRow[]; hasMore: boolean }[]
  /** Newest first. */
  requests: { data: RequestSummary[]; hasMore: boolean }
}

/** How many of each kind a search shows. */
const FOUND_MOST = 6

export function find(internals: Sandbox, text: string): SearchResult {
  const store = internals.committedStore()
  const term = { text, amounts: amountsOf(text) }
  const rows = (Object.keys(SEARCHES) as FoundKind[]).flatMap((kind) => {
    const found = SEARCHES[kind](store, term, FOUND_MOST + 1, internals.contract.currency)
    if (found.length === 0) return []
    const data = found.slice(0, FOUND_MOST).map((row) => ({ kind, ...row }))
    return [{ kind, data, hasMore: found.length > FOUND_MOST }]
  })
  const requests = pickRequests(internals.journal, { text, limit: FOUND_MOST + 1 }).reverse()
  return { rows, requests: { data: requests.slice(0, FOUND_MOST), hasMore: requests.length > FOUND_MOST } }
}

type Search = (store: Store, term: SearchTerm, limit: number, currency: string) => Omit<FoundRow, 'kind'>[]

/** In the order in which they are shown. */
const SEARCHES: Readonly<Record<FoundKind, Search>> = {
  checkout: ({ checkouts }, term, limit, currency) =>
    checkouts
      .search(term, limit)
      .map((one) => shown(one, [one.orderId, one.externalId, moneyText(one.amount, currency)], one.status)),
  authorization: ({ authorizations }, term, limit, currency) =>
    authorizations
      .search(term, limit)
      .map((one) => shown(one, [one.orderId, one.externalId, moneyText(one.amount, currency)], one.status)),
  refund: ({ refunds }, term, limit, currency) =>
    refunds
      .search(term, limit)
      .map((one) =>
        shown(one, [moneyText(one.amount, currency), one.checkoutId ?? one.authorizationId], one.status),
      ),
  customer: ({ customers }, term, limit) =>
    customers.search(term, limit).map((one) => shown(one, [one.name, one.email, one.phone, one.externalId])),
  payment_method: ({ paymentMethods }, term, limit) =>
    paymentMethods
      .search(term, limit)
      .map((one) => shown(one, [one.type, (one.card ?? one.bankAccount)?.last4 ?? null], one.status)),
  message: ({ outbox }, term, limit) =>
    outbox.search(term, limit).map((one) => shown(one, [one.to, one.subject ?? one.body])),
  event: ({ events }, term, limit) =>
    events
      .search(term, limit)
      .map((one) =>
        shown(one, [
          one.type,
          one.resourceId,
          one.belongsTo === one.resourceId ? null : `of ${one.belongsTo}`,
        ]),
      ),
  delivery: ({ deliveries }, term, limit) =>
    deliveries.search(term, limit).map((one) => shown(one, [`of ${one.eventId}`], one.status)),
}

const shown = (
  { id, createdAt }: { id: string; createdAt: number },
  words: readonly (string | null)[],
  state: string | null = null,
): Omit<FoundRow, 'kind'> => ({
  id,
  text: words.filter(Boolean).join(' · '),
  state,
  at: formatInstant(createdAt),
})
