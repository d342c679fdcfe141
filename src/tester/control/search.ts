/** A tester's search in a sandbox, by a part of a text or by an amount: rows of each kind, and requests. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Store } from '../../service/store/store.ts'
import type { SearchTerm, Table } from '../../service/store/table.ts'
import { type Cents, moneyText } from '../../spec/contract/money.ts'
import { cutPage, idOf } from '../../spec/contract/pages.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import type { ResourceField } from '../../spec/contract/resources/field.ts'
import { byResource, type Definitions, type ResourceName } from '../../spec/contract/resources/index.ts'
import { paymentOf } from '../../spec/contract/resources/movements.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { amountsOf } from './request-filter.ts'
import { pickRequests, requestsAbout } from './requests.ts'
import type { ResourceRow } from './resources.ts'
import { resourcesOf } from './stories.ts'

export type FoundKind = ResourceName | 'message' | 'event' | 'delivery'

/** How many of each kind a search shows. */
const FOUND_MOST = 6

/** The name of an order finds everything that belongs to it: refunds, messages, events and requests too. */
export function find(internals: Sandbox, text: string) {
  const { journal, contract } = internals
  const store = internals.committedStore()
  const ofOrder = resourcesOf(store, text)
  const term = { text, amounts: amountsOf(text) }
  const limit = FOUND_MOST + 1
  const names = Object.values(contract.added).flatMap((fields) =>
    fields.flatMap(({ name, search }) => (search ? name : [])),
  )
  const byAdded = names.length === 0 ? [] : store.added.search(names, text, limit)
  const rowsOf: RowsOf = (table, own = [...ofOrder, ...byAdded].flatMap((id) => table.find(id) ?? [])) =>
    [...new Map([...own, ...table.search(term, limit)].map((row) => [row.id, row])).values()].slice(0, limit)
  const rows = (Object.keys(SEARCHES) as FoundKind[]).flatMap((kind) => {
    const found = SEARCHES[kind](store, rowsOf, ofOrder, contract.currency)
    if (found.length === 0) return []
    return [{ kind, ...cutPage(found, FOUND_MOST, idOf) }]
  })
  const requests =
    ofOrder.length > 0
      ? requestsAbout(journal, [text, ...ofOrder], limit)
      : pickRequests(journal, { text, limit })
  return {
    rows,
    /** Newest first. */
    requests: cutPage(requests.reverse(), FOUND_MOST, idOf),
    /** The ids of the order, if the text is its name. */
    ofOrder,
  }
}

/** The rows of an order, if the text is its name, and then those that a search finds. */
type RowsOf = <Row extends { id: string }>(
  table: { find(id: string): Row | undefined; search(term: SearchTerm, limit: number): Row[] },
  own?: readonly Row[],
) => Row[]
type Search = (store: Store, rowsOf: RowsOf, ofOrder: readonly string[], currency: string) => ResourceRow[]

/** The rows of a kind, each with its searched fields, starting with the name of the order. */
function searchOf({ name, fields, order }: Definitions[ResourceName]): Search {
  const searched = Object.entries(fields as Readonly<Record<string, ResourceField>>)
    .filter(([, { options, inRows }]) => options.search && !inRows)
    .map(([field]) => field)
    .sort((a, b) => Number(b === 'orderId') - Number(a === 'orderId'))
  return (store, rowsOf, _, currency) =>
    rowsOf(store.tables[name] as Table<FoundRow>).map((row) => {
      const values = searched.map((field) =>
        field === 'amount' ? moneyText(row.amount, currency) : row[field],
      )
      const words = order === 'payment' ? [...values, paymentOf(row)] : values
      return shown(row, words.flatMap(textsIn), row.status)
    })
}

interface FoundRow {
  id: string
  amount: Cents
  createdAt: number
  status?: string
  readonly [field: string]: unknown
}

/** The texts in a value; a card has several. */
const textsIn = (value: unknown) =>
  (isObject(value) ? Object.values(value) : [value]).filter((text) => typeof text === 'string')

/** In display order. */
const SEARCHES: Readonly<Record<FoundKind, Search>> = {
  ...byResource(searchOf),
  message: ({ outbox }, rowsOf, ofOrder) =>
    rowsOf(
      outbox,
      ofOrder.flatMap((relatedId) => outbox.lookBack.look({ where: { relatedId }, limit: FOUND_MOST }).data),
    ).map((one) => shown(one, [one.to, one.subject ?? one.body])),
  event: ({ events }, rowsOf, ofOrder) =>
    rowsOf(
      events,
      ofOrder.flatMap((resourceId) => events.newest({ resourceId, limit: FOUND_MOST })),
    ).map((one) =>
      shown(one, [one.type, one.resourceId, one.belongsTo === one.resourceId ? null : `of ${one.belongsTo}`]),
    ),
  delivery: ({ deliveries }, rowsOf) =>
    rowsOf(deliveries).map((one) => shown(one, [`of ${one.eventId}`], one.status)),
}

const shown = (
  { id, createdAt }: { id: string; createdAt: number },
  words: readonly (string | null)[],
  status: string | null = null,
): ResourceRow => ({
  id,
  text: words.filter(Boolean).join(' · '),
  status,
  createdAt: formatInstant(createdAt),
})
