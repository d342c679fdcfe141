/** What a list is narrowed by and a page counts has an index, so that a large sandbox holds up no other. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agendaStore } from '../../src/store/agenda.ts'
import { authorizationStore } from '../../src/store/authorizations.ts'
import { checkoutStore } from '../../src/store/checkouts.ts'
import { customerStore } from '../../src/store/customers.ts'
import { openDatabase } from '../../src/store/database.ts'
import { deliveryStore } from '../../src/store/deliveries.ts'
import { eventStore } from '../../src/store/events.ts'
import { paymentMethodStore } from '../../src/store/payment-methods.ts'
import { refundStore } from '../../src/store/refunds.ts'
import { Statements } from '../../src/store/statements.ts'
import type { ListQuery } from '../../src/store/table.ts'
import { CountedWork } from '../../src/store/work-counts.ts'

/** Keeps what is prepared. */
class Watched extends Statements {
  readonly prepared: string[] = []

  override prepare<Params extends unknown[] = [], Row = unknown>(sql: string) {
    this.prepared.push(sql)
    return super.prepare<Params, Row>(sql)
  }
}

const db = openDatabase({})
const statements = new Watched(db)

/** How SQLite would answer what this asks. */
function plansOf(ask: () => unknown, only = /SELECT/): string[] {
  statements.prepared.length = 0
  ask()
  return statements.prepared
    .filter((sql) => only.test(sql))
    .flatMap((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...Array.from(sql.matchAll(/\?/g), () => 1))
        .all(),
    )
    .map((step) => (step as { detail: string }).detail)
}

const LISTS: [name: string, store: { list(query: ListQuery): unknown }, filters: string[]][] = [
  ['checkouts', checkoutStore(statements), ['status', 'orderId', 'externalId', 'customerId']],
  ['authorizations', authorizationStore(statements), ['status', 'orderId', 'customerId']],
  ['refunds', refundStore(statements), ['status', 'checkoutId', 'authorizationId']],
  ['customers', customerStore(statements), ['externalId']],
  ['payment methods', paymentMethodStore(statements), ['customerId']],
  ['events', eventStore(statements), ['type', 'resourceId']],
  ['deliveries', deliveryStore(statements, () => {}), ['eventId', 'status']],
]

test.for(LISTS.flatMap(([name, store, filters]) => filters.map((filter) => ({ name, store, filter }))))(
  '$name by $filter',
  ({ store, filter }) => {
    for (const cursor of [undefined, 7]) {
      for (const step of plansOf(() => store.list({ limit: 20, cursor, [filter]: 'x' }))) {
        expect(step).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX/)
      }
    }
  },
)

test('of two filters, the index of the one that leaves fewer rows is used', () => {
  const [, checkouts] = LISTS[0]!
  const [step] = plansOf(() => checkouts.list({ limit: 20, status: 'pending', orderId: 'x' }))
  expect(step).toBe('SEARCH checkouts USING INDEX checkouts_by_order_id (orderId=?)')
})

test('counts read no rows', () => {
  const counting = () => {
    for (const one of [checkoutStore(statements), refundStore(statements), paymentMethodStore(statements)])
      one.countBy('status').next()
    new CountedWork(statements)
  }
  const steps = plansOf(counting, /count\(|total\(/)
  expect(steps.length).toBeGreaterThan(8)
  for (const step of steps) {
    expect(step).not.toMatch(/TEMP B-TREE/)
    if (/^(SCAN|SEARCH) (?!CONSTANT)\w+/.test(step)) expect(step).toMatch(/USING (COVERING )?INDEX/)
  }
})

test('the work that is due next is not sorted out of all the work that is due', () => {
  const steps = plansOf(
    () =>
      agendaStore(
        statements,
        () => {},
        () => {},
      ),
    /^(?!.*UNION).* LIMIT (1|\? \+ 0)$/,
  )
  expect(steps).toHaveLength(2)
  for (const step of steps) expect(step).toMatch(/^SCAN agenda USING INDEX agenda_/)
})

test('no statement is planned anew for its limit', () => {
  const folder = new URL('../../src/store/', import.meta.url)
  for (const file of readdirSync(folder)) {
    const wholeLimits = readFileSync(new URL(file, folder), 'utf8').match(/LIMIT \?(?! \+ [01]')/g)
    expect({ file, wholeLimits }).toEqual({ file, wholeLimits: null })
  }
})
