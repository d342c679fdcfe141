/** Filters of lists and counts on pages use an index, so that a large sandbox does not slow down others. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newRow } from '../../src/service/domain/rows.ts'
import { AgendaTable } from '../../src/service/store/agenda.ts'
import { openDatabase } from '../../src/service/store/database.ts'
import { DeliveryTable } from '../../src/service/store/deliveries.ts'
import { EventTable } from '../../src/service/store/events.ts'
import { LedgerTable } from '../../src/service/store/ledger.ts'
import { CheckoutTable, PaymentMethodTable, TABLE_OF } from '../../src/service/store/resources.ts'
import { Statements } from '../../src/service/store/statements.ts'
import { nextDueIn } from '../../src/service/store/store.ts'
import { type ListQuery, Table } from '../../src/service/store/table.ts'
import { CheckoutCreate } from '../../src/spec/contract/resources/checkout.ts'
import { ORDER } from '../order.ts'

const db = openDatabase({})

/** SQLite's query plans for the statements of a fresh database. */
function plansOf(ask: (statements: Statements) => unknown, only = /SELECT/): string[] {
  const asked: string[] = []
  const watched = openDatabase({})
  const { prepare } = watched
  watched.prepare = (sql: string) => {
    asked.push(sql)
    return prepare.call(watched, sql) as never
  }
  ask(new Statements(watched))
  return asked
    .filter((sql) => only.test(sql))
    .flatMap((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...Array.from(sql.matchAll(/\?/g), () => 1))
        .all(),
    )
    .map((step) => (step as { detail: string }).detail)
}

type Listed = (statements: Statements) => { list(query: ListQuery): unknown }

const LISTS: [name: string, table: Listed, filters: string[]][] = [
  ...Object.entries(TABLE_OF).map(([name, table]): [string, Listed, string[]] => [
    name,
    (db) => new Table(db, table as never),
    [...table.filters],
  ]),
  ['events', (db) => new EventTable(db), ['type', 'resourceId']],
  ['deliveries', (db) => new DeliveryTable(db), ['eventId', 'status']],
]

test.for(LISTS.flatMap(([name, tableOf, filters]) => filters.map((filter) => ({ name, tableOf, filter }))))(
  '$name by $filter',
  ({ tableOf, filter }) => {
    for (const cursor of [undefined, 7]) {
      const steps = plansOf((db) => tableOf(db).list({ limit: 20, cursor, [filter]: 'x' }))
      expect(steps).not.toEqual([])
      for (const step of steps) expect(step).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX/)
    }
  },
)

test('of two filters, the more selective index is used', () => {
  const [step] = plansOf((db) => new CheckoutTable(db).list({ limit: 20, status: 'pending', orderId: 'x' }))
  expect(step).toBe('SEARCH checkouts USING INDEX checkouts_by_orderId (orderId=?)')
})

test('counts read no rows', () => {
  const counting = (db: Statements) => {
    const checkouts = new CheckoutTable(db)
    const input = CheckoutCreate.parse({ ...ORDER })
    checkouts.insert(newRow('checkout', { ...input, id: 'chk_1' }, 1))
    const tables = [checkouts, new Table(db, TABLE_OF.refund), new PaymentMethodTable(db)]
    expect(tables.map((table) => table.countUpTo(10, { status: 'pending' }))).toEqual([1, 0, 0])
    nextDueIn(db)
  }
  const steps = plansOf(counting, /count\(|min\(/)
  expect(steps.length).toBeGreaterThan(8)
  for (const step of steps) {
    expect(step).not.toMatch(/TEMP B-TREE/)
    if (/^(SCAN|SEARCH) (?!CONSTANT)\w+/.test(step)) expect(step).toMatch(/USING (COVERING )?INDEX/)
  }
})

test('the money that is left of a payment is summed by an index', () => {
  const steps = plansOf((db) => new LedgerTable(db).leftOf('chk_1'))
  expect(steps).toEqual(['SEARCH ledger USING INDEX ledger_by_payment (<expr>=?)'])
})

test('the next due work is found without sorting', () => {
  const steps = plansOf((db) => {
    const agenda = new AgendaTable(db, () => {})
    agenda.firstMove()
    agenda.nextAfter(1)
    agenda.countDue(1)
    agenda.deliveries(1)
  })
  expect(steps.filter((step) => / agenda /.test(step))).toHaveLength(6)
  for (const step of steps) {
    expect(step).not.toMatch(/TEMP B-TREE/)
    if (/^(SCAN|SEARCH) (agenda|deliveries|events)/.test(step))
      expect(step).toMatch(/USING (COVERING )?INDEX/)
  }
})

test('no LIMIT makes SQLite plan a statement again', () => {
  const folder = new URL('../../src/service/store/', import.meta.url)
  for (const file of readdirSync(folder)) {
    const wholeLimits = readFileSync(new URL(file, folder), 'utf8').match(/LIMIT \?(?! \+ [01]')/g)
    expect({ file, wholeLimits }).toEqual({ file, wholeLimits: null })
  }
})
