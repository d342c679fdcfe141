/** Without Vitest, so no test name is known; it exits without closing anything. */
import assert from 'node:assert/strict'
import { createSimulator } from 'paysim'
import { clientOf } from './client.mjs'

const simulator = createSimulator()
const { url } = await simulator.listen()
for (const name of ['first', 'second']) {
  const shop = simulator.sandbox(name, { rateLimit: 'off' })
  const client = clientOf({ url, apiKey: shop.apiKey })
  await client.refund(await client.sell('order-1', 100), 25)
  assert.equal(shop.ledger().sums.charged, 100)
}
if (process.env.DIES && process.env.PAYSIM_TROUBLE !== 'calm') process.kill(process.pid, 'SIGKILL')
process.exit()
