import { useSandbox } from 'paysim/vitest'
import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'

const sandbox = useSandbox({ environment: 'production' })

test('a production sandbox has a production address', async () => {
  const call = (path: string, body = {}) =>
    fetch(`${sandbox.url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const created = await call('/checkouts', ORDER)
  const { id } = (await created.json()) as { id: string }
  expect((await call(`/checkouts/${id}/confirm`)).status).toBe(409)
  sandbox.buyer.approve(id)
  expect((await call(`/checkouts/${id}/confirm`)).status).toBe(200)
})
