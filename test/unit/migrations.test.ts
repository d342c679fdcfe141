/** Databases of earlier versions, and what the checks of the present one cost. */
import { expect, test } from 'vitest'
import { migrate, ourSchema, schemaOf, versionOf } from '../../src/service/store/database.ts'
import { MIGRATIONS } from '../../src/service/store/migrations.ts'
import { Database } from '../../src/service/store/sqlite.ts'
import { ROWS } from '../../src/service/store/uploaded.ts'

function databaseOf(version: number) {
  const db = new Database(':memory:')
  for (const sql of ourSchema(version)!.values()) db.exec(sql)
  db.pragma(`user_version = ${version}`)
  return db
}

const INSERT = `INSERT INTO checkouts (id, orderId, externalId, amount, currency, status, successUrl, cancelUrl, amountRefunded,
  createdAt, updatedAt) VALUES (?, 'order', 'buyer', 1000, 'USD', ?, 'https://shop.test', 'https://shop.test', 0, 1, 1)`

test.each(MIGRATIONS.map((_, index) => index + 1))(
  'a database of version %i becomes the present one',
  (version) => {
    const db = databaseOf(version)
    db.prepare(INSERT).run('chk_kept', 'approved')
    migrate(db, 'it')
    expect(versionOf(db)).toBe(MIGRATIONS.length)
    expect(schemaOf(db)).toEqual(ourSchema())
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.prepare('SELECT id, status FROM checkouts').all()).toEqual([
      { id: 'chk_kept', status: 'approved' },
    ])
    expect(() => db.prepare(INSERT).run('chk_other', 'lost')).toThrow('CHECK constraint failed: status')
    expect(() => db.exec('UPDATE sqlite_schema SET sql = NULL')).toThrow('may not be modified')
  },
)

test('no check of a row makes a table of its own', () => {
  const db = databaseOf(MIGRATIONS.length)
  const makingTables = Object.entries(ROWS).filter(([table, schema]) => {
    const columns = Object.keys(schema.shape).map((name) => `"${name}"`)
    const written = db.prepare<[], { opcode: string }>(
      `EXPLAIN INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => 1).join()})`,
    )
    return written.all().some(({ opcode }) => opcode === 'OpenEphemeral')
  })
  expect(makingTables.map(([table]) => table)).toEqual([])
})
