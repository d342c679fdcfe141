import { useSandbox } from 'paysim/vitest'
import { beforeEach, expect, test } from 'vitest'
import { CheckoutClient } from './checkout-client.ts'

const sandbox = useSandbox({ clock: 'frozen@2026-01-01T00:00:00Z' })

let client: CheckoutClient
beforeEach(() => {
  client = new CheckoutClient(sandbox)
})

test('a payment charges the business once', async () => {
  expect(await client.pay('order-1', 'acme', 1000)).toMatchObject({ status: 'confirmed', amount: 1000 })
  expect(sandbox.ledger().sums).toMatchObject({ charges: 1, charged: 1000 })
  expect(sandbox.outbox()).toMatchObject([{ template: 'checkout_receipt', to: 'acme' }])
})

test('a refund completes two days later', async () => {
  const { id } = await client.pay('order-1', 'acme', 1000)
  const refund = await client.refund(id, 250)
  expect(refund.status).toBe('pending')

  expect(await sandbox.clock.advance('2d')).toMatchObject([{ what: 'refund.completed', id: refund.id }])
})

test('a lost response does not cause a second refund', async () => {
  const { id } = await client.pay('order-1', 'acme', 1000)
  sandbox.arm([{ when: { op: 'checkouts.refund' }, times: 1, do: { fault: 'reset', at: 'after-commit' } }])
  await client.refund(id, 250)

  await sandbox.verify({ op: 'checkouts.refund', count: 2 })
  expect(sandbox.ledger().sums).toMatchObject({ refunds: 1, refunded: 250 })
})

test('a refund of more than the payment is refused', async () => {
  const { id } = await client.pay('order-1', 'acme', 1000)
  await expect(client.refund(id, 1001)).rejects.toThrow('Amount exceeds the refundable amount')
})
