import { describe, expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { NOW, start } from './start.ts'

const create = { json: ORDER, key: 'k' }

describe('a malformed header gets a 400 that names the right form', () => {
  test.each([
    ['', 'must start with respond, delay, hold, fault, rateLimit, as in delay=2s, not ""'],
    [
      'dealy=2s',
      'must start with respond, delay, hold, fault, rateLimit, as in delay=2s, not "dealy"; did you mean delay?',
    ],
    ['webhook=drop', 'must start with respond, delay, hold, fault, rateLimit, as in delay=2s, not "webhook"'],
    ['fault=rest', 'not "rest"; did you mean reset?'],
    ['respond=5o3', 'respond must be a status such as 503, or { status: 503 }, not "5o3"'],
    ['respond=99', 'respond must be at least 200, not 99'],
    ['delay=2', 'delay must be a duration such as 2s, or { p50: 80ms, p99: 2s }, not "2"'],
    ['delay=2s; att=before', 'att is unknown; did you mean at?'],
    ['delay=2s; at=after', 'at must be one of before, after-commit, not "after"'],
    ['delay=2s, hold=', 'hold must be a name of letters, digits, dots and dashes, not ""'],
  ])('%s', async (sim, rule) => {
    const { call, sandbox } = start()
    expect(await call('POST /v1/checkouts', { ...create, sim })).toMatchObject({
      status: 400,
      json: { error: 'Bad Request', message: expect.stringContaining(rule) },
    })
    expect(sandbox.committedStore().checkouts.list({ limit: 1 }).data).toEqual([])
    expect((await call('POST /v1/checkouts', create)).status).toBe(201)
  })
})

test('a fault after the commit is refused for a read, and the error suggests the operation that commits', async () => {
  const { arm, call, createCheckout } = start()
  const id = await createCheckout()
  const rule =
    'at cannot be after-commit: checkouts.refunds (GET /v1/checkouts/{id}/refunds) only reads and commits nothing; did you mean checkouts.refund (POST /v1/checkouts/{id}/refunds)?'
  const lost = await call(`GET /v1/checkouts/${id}/refunds`, { sim: 'fault=reset; at=after-commit' })
  expect(lost).toMatchObject({ status: 400, json: { message: `Malformed X-Sim: ${rule}` } })
  const lose = { fault: 'reset', at: 'after-commit' } as const
  expect(() => arm({ when: { op: 'checkouts.refunds' }, do: lose })).toThrow(`do.${rule}`)
  expect(() => arm({ when: { call: 'GET /v1/checkouts/{id}/refunds' }, do: lose })).toThrow(`do.${rule}`)
  expect(() => arm({ when: { op: '*.list' }, do: { delay: '1s', at: 'after-commit' } })).toThrow(
    'authorizations.list (GET /v1/authorizations) only reads',
  )
  arm({ when: { op: 'checkouts.*' }, do: lose }, { when: { call: '* /v1/refunds' }, do: lose })
})

test.each(['respond=503', 'fault=reset', 'rateLimit=exhausted', 'fault=reset; at=after-commit'])(
  '%s acts on the first request with a key; an identical retry goes through',
  async (sim) => {
    const { call, send, journal } = start()
    const first = await send('POST /v1/checkouts', { ...create, sim }).then(
      ({ status }) => status,
      () => 'lost',
    )
    expect(first).not.toBe(201)
    expect((await call('POST /v1/checkouts', { ...create, sim })).status).toBe(201)
    expect((await call('POST /v1/checkouts', { ...create, key: 'another', sim: 'respond=503' })).status).toBe(
      503,
    )
    expect((await call('POST /v1/checkouts', { json: ORDER, sim: 'respond=503' })).status).toBe(503)
    expect((await call('POST /v1/checkouts', { json: ORDER, sim: 'respond=503' })).status).toBe(503)
    expect((await call('GET /v1/checkouts')).json.data).toHaveLength(1)
    expect(journal()[0]).toMatchObject({ behaviors: [{ behavior: 'X-Sim', fired: true }] })
  },
)

test('acts again if its key has expired, but not while the key is stored', async () => {
  const { call, sandbox } = start()
  const sent = { ...create, sim: 'respond=503' }
  const [hour, day] = [3_600_000, 86_400_000]
  expect((await call('POST /v1/checkouts', sent)).status).toBe(503)
  await sandbox.agenda.advanceTo(() => NOW + hour)
  expect((await call('POST /v1/checkouts', sent)).status).toBe(201)
  await sandbox.agenda.advanceTo(() => NOW + hour + day - 1)
  expect((await call('POST /v1/checkouts', sent)).headers.get('idempotent-replayed')).toBe('true')
  await sandbox.agenda.advanceTo(() => NOW + hour + day)
  expect((await call('POST /v1/checkouts', sent)).status).toBe(503)
})
