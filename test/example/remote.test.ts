import { createSimulator } from 'paysim'
import { useSandbox } from 'paysim/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { CheckoutClient } from './checkout-client.ts'

// A remote simulator, as in a container next to the tests.
const elsewhere = createSimulator({ adminToken: 'secret' })
const { url } = await elsewhere.listen()
afterAll(() => elsewhere.close())

const sandbox = useSandbox({ url, adminToken: 'secret', clock: 'frozen@2026-01-01T00:00:00Z' })

test('a remote sandbox is used like a local one, and can be awaited', async () => {
  const client = new CheckoutClient(sandbox)
  const { id } = await client.pay('order-1', 'acme', 1000)
  const refund = await client.refund(id, 250)
  expect(await sandbox.clock.advance('2d')).toMatchObject([{ what: 'refund.completed', id: refund.id }])
  expect((await sandbox.ledger()).sums).toMatchObject({ charged: 1000, refunded: 250 })
})

test('a remote sandbox is new for each test, and removed after it', async () => {
  expect((await sandbox.ledger()).sums).toMatchObject({ charges: 0 })
  expect(elsewhere.sandboxes().map(({ name }) => name)).toEqual(['default', sandbox.name])
})

describe('with the name of a built-in fixture', () => {
  const seeded = useSandbox({ url, adminToken: 'secret', fixture: 'demo' })

  test('it starts with its seed data', async () => {
    expect(await seeded.events({ type: 'customer.created' })).toHaveLength(3)
  })
})
