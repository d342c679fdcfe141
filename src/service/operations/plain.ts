/**
 * Shared by the operations of every resource: finding, creating and moving rows; and the operations that need nothing else
 * (lists, reads and moves).
 */
import type { z } from 'zod'
import { type AddedField, addedRows } from '../../spec/contract/added.ts'
import { ENDPOINTS, type OperationId } from '../../spec/contract/endpoints.ts'
import { alreadyInState, amountTooLarge, found, fullyRefunded, notFound } from '../../spec/contract/errors.ts'
import type { EventType } from '../../spec/contract/event.ts'
import { type Cents, ZERO } from '../../spec/contract/money.ts'
import { pageQuery } from '../../spec/contract/pages.ts'
import { DEFINITIONS, type Definitions, type ResourceName } from '../../spec/contract/resources/index.ts'
import { isGivenBack } from '../../spec/contract/resources/ledger.ts'
import { forMovingIds, PAYMENT_KINDS, paymentOf } from '../../spec/contract/resources/movements.ts'
import type { MoveRow } from '../../spec/contract/resources/resource.ts'
import { TIMED_MOVES_OF } from '../../spec/contract/resources/timed.ts'
import { type MoveOf, moved, type NewOf, newRow, type RowOf } from '../domain/rows.ts'
import { MOVES } from '../domain/states.ts'
import type { ListQuery } from '../store/table.ts'
import { tellOfMove } from './messages.ts'
import { type Operation, operation } from './operation.ts'
import { tableOf, type Unit } from './unit.ts'

type ShownOf<Name extends ResourceName> = z.output<Definitions[Name]['Shown']>

/** The row with this id; 404 if there is none. */
export const findRow = <Name extends ResourceName>(unit: Unit, kind: Name, id: string): RowOf<Name> =>
  found(tableOf(unit.store, kind).find(id), DEFINITIONS[kind].words.one)

/** Stores a new row and emits its event. `order`: for a resource whose rows do not name it. */
export function create<Name extends ResourceName>(unit: Unit, kind: Name, data: NewOf<Name>, order?: string) {
  const definition = DEFINITIONS[kind]
  const amount = movingAmount(unit, kind, data, definition)
  const row = newRow(kind, data, unit.now)
  row.id ??= unit.id(kind)
  tableOf(unit.store, kind).insert(row)
  unit.storeAdded(kind, row.id)
  moveMoney(unit, kind, row, definition, amount)
  const shown = emit(unit, kind, row, definition.created, order)
  startTime(unit, kind, row, true)
  return shown
}

/** Stores a row after a move and emits the event of its new state. */
export function change<Name extends ResourceName>(
  unit: Unit,
  kind: Name,
  row: RowOf<Name>,
  by: MoveOf<Name>,
) {
  const move = MOVES[kind][by]!
  const amount = movingAmount(unit, kind, row, move)
  tableOf(unit.store, kind).update(row)
  moveMoney(unit, kind, row, move, amount)
  tellOfMove(unit, kind, row, by)
  const shown = emit(unit, kind, row, move.to)
  startTime(unit, kind, row)
  return shown
}

/**
 * The amount that a creation or a move takes or gives back. All that a payment gives back is at most what it took, so more than
 * what is left is refused (D27). Nobody could react to the refusal of a move by time, which gives back what is left.
 */
function movingAmount(unit: Unit, kind: ResourceName, row: object, { ledger, by }: Cause): Cents {
  if (ledger === 'none') return ZERO
  const amount: Cents = Reflect.get(row, ledger.amount)
  if (!isGivenBack(ledger.kind)) return amount
  const left = unit.store.ledger.leftOf(orderOf(kind, row)!)
  if (amount <= left) return amount
  if (by === 'time') return left
  const { one } = DEFINITIONS[PAYMENT_KINDS.find((name) => Reflect.get(row, `${name}Id`)) ?? kind].words
  if (left === 0) throw fullyRefunded(one)
  throw by ? alreadyInState(one, 'partly refunded') : amountTooLarge('refundable')
}

type Cause = Pick<MoveRow, 'ledger'> & Partial<Pick<MoveRow, 'by'>>

/** Records the movement of money, for the payment that the row is or names. */
function moveMoney(unit: Unit, kind: ResourceName, row: { id: string }, { ledger }: Cause, amount: Cents) {
  if (ledger === 'none' || amount === 0) return
  const ids = { ...row, [`${kind}Id`]: row.id }
  const moving = forMovingIds((name): string | null => Reflect.get(ids, `${name}Id`) ?? null)
  unit.store.ledger.insert({ kind: ledger.kind, amount, currency: 'USD', ...moving, createdAt: unit.now })
}

/** Makes a move that nothing else depends on, by its name: 409 if the state of the row does not allow it. */
export function makeNamedMove<Name extends ResourceName>(unit: Unit, kind: Name, id: string, name: string) {
  const by = name as MoveOf<Name>
  return change(unit, kind, moved(kind, findRow(unit, kind, id), by, unit.now), by)
}

/** Schedules the timed moves of the row's state, and cancels those of an earlier state. */
function startTime(unit: Unit, kind: ResourceName, row: { id: string; status?: string }, isNew = false) {
  for (const { work, from, move } of TIMED_MOVES_OF[kind]) {
    const isWaiting = !isNew && unit.store.agenda.find(row.id, work) !== undefined
    const isToWait = from.some((state) => state === row.status)
    if (isWaiting && !isToWait) unit.store.agenda.remove(row.id, work)
    if (isWaiting || !isToWait) continue
    const timing = unit.services.timing(work, row)
    // With a delay of 0 the move is made now. The agenda would make it at a random point between other requests, so a test
    // could not rely on it.
    if (timing !== 'unscheduled' && timing.afterMs === 0) makeNamedMove(unit, kind, row.id, move)
    else unit.schedule(work, row.id, timing)
  }
}

/** Emits an event about a row, and returns the row as responses show it. */
function emit<Name extends ResourceName>(
  unit: Unit,
  kind: Name,
  row: RowOf<Name>,
  word: string,
  order = orderOf(kind, row),
): ShownOf<Name> {
  const shown = unit.services.shown({ name: kind, row }) as ShownOf<Name>
  unit.emit(`${kind}.${word}` as EventType, shown, order)
  return shown
}

function orderOf(kind: ResourceName, row: { id?: string }): string | undefined {
  const { order } = DEFINITIONS[kind]
  if (order === 'itself') return row.id
  return order === 'payment' ? paymentOf(row) : undefined
}

type Params = Readonly<Record<string, string>>

/** An operation that needs no special code, from its row in the table of endpoints. */
export function plainOperation(id: OperationId): Operation {
  const { does, what, of } = ENDPOINTS[id]
  if (does === 'create' || what === 'event') throw new Error(`${id} needs code`)
  if (does === 'list') return list(id, what, of)
  const move = id.slice(id.indexOf('.') + 1) as MoveOf<ResourceName>
  return operation({
    id,
    run(unit, { params }) {
      const row = rowOfPath<ResourceName>(unit, what, params as Params)
      if (does === 'read') return unit.services.shown({ name: what, row })
      return change<ResourceName>(unit, what, moved<ResourceName>(what, row, move, unit.now), move)
    },
  })
}

/** The query of a list as its table expects it; added fields are in separate rows. */
export function queryOfTable(filters: readonly AddedField[], query: ListQuery): ListQuery {
  if (filters.length === 0) return query
  const standard = Object.entries(query).filter(([name]) => !filters.some((filter) => filter.name === name))
  return { ...(Object.fromEntries(standard) as ListQuery), added: addedRows(filters, query) }
}

function list(id: OperationId, what: ResourceName, of: ResourceName | undefined): Operation {
  // Below another kind's path, only the page can be selected.
  const query = of === undefined || DEFINITIONS[what].parent ? DEFINITIONS[what].Query : pageQuery
  return operation({
    id,
    query,
    run(unit, { params, query }) {
      const parent = of && { [`${of}Id`]: findRow(unit, of, (params as Params).id!).id }
      const filters = unit.services.contract.addedFilters(what)
      const page = tableOf(unit.store, what).list({ ...queryOfTable(filters, query), ...parent })
      return { ...page, data: page.data.map((row) => unit.services.shown({ name: what, row })) }
    },
  })
}

/** The row that a path names; 404 if it belongs to a parent other than the path's. */
function rowOfPath<Name extends ResourceName>(unit: Unit, kind: Name, params: Params): RowOf<Name> {
  const { param, parent, words } = DEFINITIONS[kind]
  if (!parent) return findRow(unit, kind, params[param]!)
  const { id } = findRow(unit, parent.name as ResourceName, params.id!)
  const row: Readonly<Record<string, unknown>> = findRow(unit, kind, params[param]!)
  if (row[`${parent.name}Id`] !== id) throw notFound(words.one)
  return row as RowOf<Name>
}
