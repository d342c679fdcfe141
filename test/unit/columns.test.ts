/** The migrations and the schemas of the rows describe the same tables. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../src/service/store/database.ts'
import { ROWS } from '../../src/service/store/uploaded.ts'

interface Column {
  name: string
  type: string
  notnull: number
}

const db = openDatabase({})
const columnsOf = (table: string) => db.pragma(`table_info(${table})`) as Column[]

test('every table has a schema', () => {
  const tables = db.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
  expect(tables.pluck().all()).toEqual([...Object.keys(ROWS), 'behavior_state', 'settings'].sort())
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
