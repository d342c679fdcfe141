import { useSandbox } from 'paysim/vitest'
import { describe, expect, test } from 'vitest'

const sandbox = useSandbox({ clock: 'frozen@2026-01-01T00:00:00Z' })

const post = (path: string, body: object, key = 'order-1', apiKey = sandbox.apiKey) =>
  fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })

test('a customer is created again under another name', async () => {
  await post('/v1/customers', { externalId: 'acme', name: 'Acme' })
  const { status } = await post('/v1/customers', { externalId: 'acme', name: 'Acme LLC' })
  expect(status).toBe(201)
})

test('a customer is created with a wrong key', async () => {
  expect((await post('/v1/customers', { externalId: 'acme' }, 'k', 'sk_wrong')).status).toBe(201)
})

test('a customer is created outside /v1', async () => {
  expect((await post('/customers', { externalId: 'acme' })).status).toBe(201)
})

test('this one is right', async () => {
  expect((await post('/v1/customers', { externalId: 'acme' })).status).toBe(201)
})

const refunds = { id: 'refunds', when: { op: 'refunds.create' }, do: { respond: { status: 500 } } } as const

test('a refund fails, but of another operation', async () => {
  sandbox.arm([refunds])
  expect((await post('/v1/checkouts/chk_x/refunds', { amount: 1 })).status).toBe(404)
})

test('a refund may fail', () => void sandbox.arm([{ ...refunds, optional: true }]))

describe('at once', () => {
  test.concurrent('one', async () => void (await post('/v1/customers', { externalId: 'acme' })))
  test.concurrent('two', async () => void (await post('/v1/customers', { externalId: 'acme' })))
})
