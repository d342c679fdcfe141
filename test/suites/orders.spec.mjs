import { useSandbox } from 'paysim/vitest'
import { describe, expect, test } from 'vitest'
import { clientOf } from './client.mjs'

const shop = useSandbox()

test('an order is charged once', async () => {
  await clientOf(shop).sell('order-1', 100)
  expect(shop.ledger().sums).toMatchObject({ charges: 1, charged: 100 })
  expect(shop.behaviors()).toEqual([])
})

describe('a refund', () => {
  test('of a part', async () => {
    const client = clientOf(shop)
    await client.refund(await client.sell('order-1', 80), 25)
    expect(shop.ledger().sums.charged).toBe(80)
  })

  test('is made once where its request is lost', async () => {
    const client = clientOf(shop)
    const checkout = await client.sell('order-1', 60)
    shop.arm({ when: { op: 'checkouts.refund' }, times: 1, do: { fault: 'reset', at: 'before' } })
    await client.refund(checkout, 10)
    expect(shop.behaviors()).toMatchObject([{ fired: 1 }])
    // It counts on its own trouble being all that there is.
    expect(shop.requests({ op: 'checkouts.refund' })).toHaveLength(2)
    expect(shop.ledger().sums.charged).toBe(60)
  })
})
