/** The SQL schema and the schemas of the rows describe the same tables. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Application } from '../../src/service/domain/application.ts'
import { Work } from '../../src/service/store/agenda.ts'
import { RecordedAnswer } from '../../src/service/store/answers.ts'
import { openDatabase } from '../../src/service/store/database.ts'
import { AttemptRow, DeliveryRow } from '../../src/service/store/deliveries.ts'
import { EventRow } from '../../src/service/store/events.ts'
import { Movement } from '../../src/service/store/ledger.ts'
import { MessageRow } from '../../src/service/store/outbox.ts'
import { Authorization } from '../../src/spec/contract/resources/authorization.ts'
import { Checkout } from '../../src/spec/contract/resources/checkout.ts'
import { Customer } from '../../src/spec/contract/resources/customer.ts'
import { PaymentMethod } from '../../src/spec/contract/resources/payment-method.ts'
import { Refund } from '../../src/spec/contract/resources/refund.ts'

const ROWS: Record<string, z.ZodObject> = {
  agenda: Work,
  answers: RecordedAnswer,
  applications: Application,
  attempts: AttemptRow,
  authorizations: Authorization,
  checkouts: Checkout,
  customers: Customer,
  deliveries: DeliveryRow,
  events: EventRow,
  ledger: Movement,
  outbox: MessageRow,
  payment_methods: PaymentMethod,
  refunds: Refund,
}

interface Column {
  name: string
  type: string
  notnull: number
}

const db = openDatabase({})
const columnsOf = (table: string) => db.pragma(`table_info(${table})`) as Column[]

test('every table has a schema', () => {
  const tables = db.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
  expect(tables.pluck().all()).toEqual([...Object.keys(ROWS), 'added', 'behavior_state', 'settings'].sort())
})

test('no check of a row builds a table', () => {
  const building = Object.entries(ROWS).filter(([table, schema]) => {
    const columns = Object.keys(schema.shape).map((name) => `"${name}"`)
    const steps = db.prepare<[], { opcode: string }>(
      `EXPLAIN INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => 1).join()})`,
    )
    return steps.all().some(({ opcode }) => opcode === 'OpenEphemeral')
  })
  expect(building.map(([table]) => table)).toEqual([])
})

describe.each(Object.entries(ROWS))('%s', (table, schema) => {
  /** Every table is numbered in insertion order; only the agenda's rows show that number. */
  const columns = columnsOf(table).filter(({ name }) => name !== 'seq')
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).filter(([name]) => name !== 'seq')

  test('has a column for each field, in its type, and NULL where the field may be null', () => {
    const described = fields.map(([name, field]) => ({
      name,
      type: isWhole(field) ? 'INTEGER' : 'TEXT',
      notnull: field instanceof z.ZodNullable ? 0 : 1,
    }))
    expect(columns.map(({ name, type, notnull }) => ({ name, type, notnull })).sort(byName)).toEqual(
      described.sort(byName),
    )
  })
})

function isWhole(field: z.ZodType): boolean {
  if (field instanceof z.ZodNullable) return isWhole(field.unwrap() as z.ZodType)
  if (field instanceof z.ZodCodec) return isWhole(field.def.out as z.ZodType)
  return field instanceof z.ZodNumber
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
