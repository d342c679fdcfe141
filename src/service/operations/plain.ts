/**
 * Shared by the operations of every resource: finding, creating and moving rows; and the operations that need nothing else
 * (lists, reads and moves).
 */
import type { z } from 'zod'
import { type AddedField, rowsAsked } from '../../spec/contract/added.ts'
import { ENDPOINTS, type OperationId } from '../../spec/contract/endpoints.ts'
import { found, notFound } from '../../spec/contract/errors.ts'
import type { EventType } from '../../spec/contract/event.ts'
import type { Cents } from '../../spec/contract/money.ts'
import { pageQuery } from '../../spec/contract/pages.ts'
import { DEFINITIONS, type Definitions, type ResourceName } from '../../spec/contract/resources/index.ts'
import type { LedgerEffect } from '../../spec/contract/resources/ledger.ts'
import { paymentOf } from '../../spec/contract/resources/movements.ts'
import { TIMED_MOVES_OF } from '../../spec/contract/resources/timed.ts'
import { type MoveOf, moved, type RowOf } from '../domain/rows.ts'
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
export function create<Name extends ResourceName>(unit: Unit, kind: Name, row: RowOf<Name>, order?: string) {
  tableOf(unit.store, kind).insert(row)
  unit.storeAdded(kind, row.id)
  moveMoney(unit, kind, row, DEFINITIONS[kind].ledger)
  const shown = emit(unit, kind, row, DEFINITIONS[kind].created, order)
  startTime(unit, kind, row)
  return shown
}

/** Stores a row after a move and emits the event of its new state. */
export function change<Name extends ResourceName>(
  unit: Unit,
  kind: Name,
  row: RowOf<Name>,
  by: MoveOf<Name>,
) {
  tableOf(unit.store, kind).update(row)
  const { ledger, to } = MOVES[kind][by]!
  moveMoney(unit, kind, row, ledger)
  tellOfMove(unit, kind, row, by)
  const shown = emit(unit, kind, row, to)
  startTime(unit, kind, row)
  return shown
}

/** Records the movement of money that the change causes, for the payment that the row is or names. */
function moveMoney(unit: Unit, kind: ResourceName, row: { id: string }, effect: LedgerEffect | 'none'): void {
  if (effect === 'none') return
  const values: Readonly<Record<string, unknown>> = { ...row, [`${kind}Id`]: row.id }
  unit.writeLedgerRow(effect.kind, values[effect.amount] as Cents, values)
}

/** Makes a move that nothing else depends on, by its name: 409 if the state of the row does not allow it. */
export function makeNamedMove<Name extends ResourceName>(unit: Unit, kind: Name, id: string, name: string) {
  const by = name as MoveOf<Name>
  return change(unit, kind, moved(kind, findRow(unit, kind, id), by, unit.now), by)
}

/** Schedules the timed moves of the row's state, and cancels those of an earlier state. */
function startTime(unit: Unit, kind: ResourceName, row: { id: string; status?: string }): void {
  for (const { work, from, move } of TIMED_MOVES_OF[kind]) {
    const isWaiting = unit.store.agenda.find(row.id, work) !== undefined
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

function orderOf(kind: ResourceName, row: { id: string }): string | undefined {
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
  return { ...(Object.fromEntries(standard) as ListQuery), added: rowsAsked(filters, query) }
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
