/** The checks of the definitions are rules of the database file too, for a mistake in the code that no request should be able to show. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSimulator, readFixture } from '../../src/index.ts'
import { Database } from '../../src/service/store/sqlite.ts'
import { byResource, DEFINITIONS, RESOURCE_NAMES } from '../../src/spec/contract/resources/index.ts'
import { folder } from '../given.ts'

/** What each check refuses, in SQL. */
const REFUSED: Record<string, string[]> = {
  'checkout.amount': ['amount = 0'],
  'checkout.amountRefunded': [
    'amountRefunded = -1',
    'amountRefunded = amount + 1',
    "amountRefunded = 1, status = 'approved'",
  ],
  'authorization.amount': ['amount = -1, amountCaptured = -1, amountRefunded = -1'],
  'authorization.amountCaptured': ['amountCaptured = -1', 'amountCaptured = amount + 1'],
  'authorization.amountRefunded': ['amountRefunded = -1', 'amountRefunded = amountCaptured + 1'],
  'refund.authorizationId': [
    'checkoutId = NULL, authorizationId = NULL',
    'checkoutId = (SELECT id FROM checkouts), authorizationId = (SELECT id FROM authorizations)',
  ],
  'refund.amount': ['amount = 0'],
  'payment_method.card': ['card = NULL', "type = 'bank_account'"],
  'payment_method.bankAccount': ["bankAccount = '{}'"],
}

const CHECKS = new Map(
  RESOURCE_NAMES.flatMap((kind) =>
    Object.entries(DEFINITIONS[kind].fields).flatMap(([name, { options }]) =>
      'check' in options && options.check ? [[`${kind}.${name}`, options.check]] : [],
    ),
  ),
)

test('each check of a definition is in the database', async () => {
  const data = folder()
  const fixture = await readFixture(join(import.meta.dirname, '../../fixtures/demo.yaml'))
  await createSimulator({ data, fixture }).close()
  const db = new Database(join(data, 'default.sqlite'))
  const tables: Record<string, string> = byResource(({ table }) => table)

  expect(Object.keys(REFUSED).toSorted()).toEqual([...CHECKS.keys()].toSorted())
  for (const [field, changes] of Object.entries(REFUSED)) {
    const [kind] = field.split('.')
    const rows = db.prepare(`SELECT count(*) FROM ${tables[kind!]}`).pluck().get()
    expect(rows, `rows of ${kind} in fixtures/demo.yaml`).not.toBe(0)
    for (const values of changes)
      expect(() => db.exec(`UPDATE ${tables[kind!]} SET ${values}`), `${field}: ${values}`).toThrow(
        `CHECK constraint failed: ${CHECKS.get(field)}`,
      )
  }
  db.close()
})
