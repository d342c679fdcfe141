import { useSandbox } from 'paysim/vitest'
import { expect, test } from 'vitest'
import { clientOf } from './client.mjs'

const sandbox = useSandbox({ clock: 'frozen' })
// Nothing listens there. In a gauntlet run, its sandboxes are created in the gauntlet's simulator.
const elsewhere = process.env.PAYSIM_GAUNTLET ? useSandbox({ url: 'http://127.0.0.1:9' }) : undefined

test('a refund with a clock that stands still', async () => {
  const client = clientOf(sandbox)
  await client.refund(await client.sell('order-1', 40), 15)
  await sandbox.clock.advance('2d')
  expect(sandbox.ledger().sums.charged).toBe(40)
})

test.runIf(elsewhere)('an order is charged in a simulator that runs elsewhere', async () => {
  await clientOf(elsewhere).sell('order-1', 30)
  expect((await elsewhere.ledger()).sums.charged).toBe(30)
})
