/** An advance settles what was due when it was called; requests that come later do not make it wait. */
import { expect, test } from 'vitest'
import { CHECKOUT, start } from '../scenarios/start.ts'

test('an advance comes back under a platform that never pauses', async () => {
  const { send, call, advance, refund, confirmCheckout, readRefund } = start()
  const id = await refund(await confirmCheckout())
  let stopped = false
  // Each sends its next request in the very turn in which the one before is answered, so there is always one in flight.
  const clients = Array.from({ length: 8 }, async () => {
    while (!stopped) await send('POST /v1/checkouts', { json: CHECKOUT })
  })
  expect(await advance(86_400_000)).toMatchObject([{ what: 'refund.completed', id }])
  stopped = true
  await Promise.all(clients)
  expect(await readRefund(id)).toBe('completed')
  expect((await call('GET /v1/checkouts')).status).toBe(200)
})
