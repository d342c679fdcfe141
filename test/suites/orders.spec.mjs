import { useSandbox } from 'paysim/vitest'
import { describe, expect, test } from 'vitest'
import { clientOf } from './client.mjs'

const sandbox = useSandbox()

test('an order is charged once', async () => {
  await clientOf(sandbox).sell('order-1', 100)
  expect(sandbox.ledger().sums).toMatchObject({ charges: 1, charged: 100 })
  expect(sandbox.behaviors()).toEqual([])
})

describe('a refund', () => {
  test('of a part', async () => {
    const client = clientOf(sandbox)
    await client.refund(await client.sell('order-1', 80), 25)
    expect(sandbox.ledger().sums.charged).toBe(80)
  })

  test('is made once where its request is lost', async () => {
    const client = clientOf(sandbox)
    const checkout = await client.sell('order-1', 60)
    sandbox.arm({ when: { op: 'checkouts.refund' }, times: 1, do: { fault: 'reset', at: 'before' } })
    await client.refund(checkout, 10)
    expect(sandbox.behaviors()).toMatchObject([{ fired: 1 }])
    // The test assumes that only its own trouble is active.
    expect(sandbox.requests({ op: 'checkouts.refund' })).toHaveLength(2)
    expect(sandbox.ledger().sums.charged).toBe(60)
  })
})
