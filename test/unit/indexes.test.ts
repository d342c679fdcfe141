/** What a list is narrowed by and a page counts has an index, so that a large sandbox holds up no other. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AgendaTable } from '../../src/service/store/agenda.ts'
import { AuthorizationTable } from '../../src/service/store/authorizations.ts'
import { CHECKOUTS, CheckoutTable } from '../../src/service/store/checkouts.ts'
import { CustomerTable } from '../../src/service/store/customers.ts'
import { openDatabase } from '../../src/service/store/database.ts'
import { DeliveryTable } from '../../src/service/store/deliveries.ts'
import { EventTable } from '../../src/service/store/events.ts'
import { PAYMENT_METHODS, PaymentMethodTable } from '../../src/service/store/payment-methods.ts'
import { REFUNDS, RefundTable } from '../../src/service/store/refunds.ts'
import { Statements } from '../../src/service/store/statements.ts'
import type { ListQuery } from '../../src/service/store/table.ts'
import { CountedWork } from '../../src/service/store/work-counts.ts'

const db = openDatabase({})

/** How SQLite would answer what a database is asked that is asked nothing else. */
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

type Listed = new (statements: Statements, changed: () => void) => { list(query: ListQuery): unknown }

const LISTS: [table: Listed, filters: string[]][] = [
  [CheckoutTable, ['status', 'orderId', 'externalId', 'customerId']],
  [AuthorizationTable, ['status', 'orderId', 'customerId']],
  [RefundTable, ['status', 'checkoutId', 'authorizationId']],
  [CustomerTable, ['externalId']],
  [PaymentMethodTable, ['customerId']],
  [EventTable, ['type', 'resourceId']],
  [DeliveryTable, ['eventId', 'status']],
]

const nothing = () => {}

test.for(LISTS.flatMap(([Table, filters]) => filters.map((filter) => ({ Table, name: Table.name, filter }))))(
  '$name by $filter',
  ({ Table, filter }) => {
    for (const cursor of [undefined, 7]) {
      const steps = plansOf((db) => new Table(db, nothing).list({ limit: 20, cursor, [filter]: 'x' }))
      expect(steps).not.toEqual([])
      for (const step of steps) expect(step).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX/)
    }
  },
)

test('of two filters, the index of the one that leaves fewer rows is used', () => {
  const [step] = plansOf((db) => new CheckoutTable(db).list({ limit: 20, status: 'pending', orderId: 'x' }))
  expect(step).toBe('SEARCH checkouts USING INDEX checkouts_by_order_id (orderId=?)')
})

test('counts read no rows', () => {
  const counting = (db: Statements) => {
    for (const { valueAfter, countOf } of [CHECKOUTS, REFUNDS, PAYMENT_METHODS]) {
      db.get(valueAfter(['status']), '')
      db.get(countOf(['status']), 'pending', 0, 1)
    }
    new CountedWork(db).read()
  }
  const steps = plansOf(counting, /count\(|min\(/)
  expect(steps.length).toBeGreaterThan(8)
  for (const step of steps) {
    expect(step).not.toMatch(/TEMP B-TREE/)
    if (/^(SCAN|SEARCH) (?!CONSTANT)\w+/.test(step)) expect(step).toMatch(/USING (COVERING )?INDEX/)
  }
})

test('the work that is due next is not sorted out of all the work that is due', () => {
  const steps = plansOf((db) => {
    const agenda = new AgendaTable(db, nothing, nothing)
    agenda.first()
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

test('no statement is planned anew for its limit', () => {
  const folder = new URL('../../src/service/store/', import.meta.url)
  for (const file of readdirSync(folder)) {
    const wholeLimits = readFileSync(new URL(file, folder), 'utf8').match(/LIMIT \?(?! \+ [01]')/g)
    expect({ file, wholeLimits }).toEqual({ file, wholeLimits: null })
  }
})
