/** Faults without a file or a header: an `orderId` such as sim:500,ok:order-1. */
import { describe, expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { start, statuses } from './start.ts'

describe('precedence', () => {
  const outcomes = { json: { ...ORDER, orderId: 'sim:500:precedence' } }

  test('a header wins over a behavior, an orderId and the default', async () => {
    const { arm, call, behaviors } = start()
    arm({ id: 'behavior', times: 1, do: { respond: { status: 502 } } })
    const status = async (sim?: string) =>
      (await call('POST /v1/checkouts', { ...outcomes, ...(sim !== undefined && { sim }) })).status
    expect(await status('respond=503')).toBe(503)
    expect(behaviors.armed.list()).toMatchObject([{ matched: 0 }])
    expect(await status()).toBe(502)
    expect(await status()).toBe(500)
    expect(await status()).toBe(201)
  })
})

describe('outcomes in an orderId', () => {
  test('happen one after the other', async () => {
    const started = start()
    expect(await statuses(started, 4, { orderId: 'sim:500,503,ok:a' })).toEqual([500, 503, 201, 201])
    expect(await statuses(started, 1, { orderId: 'sim:500,503,ok:b' })).toEqual([500])
    expect(started.journal().map(({ behaviors }) => behaviors)).toEqual([
      [{ behavior: 'orderId sim:500,503,ok:a', did: 'answers 500', fired: true, why: 'outcome 1 of 3' }],
      [{ behavior: 'orderId sim:500,503,ok:a', did: 'answers 503', fired: true, why: 'outcome 2 of 3' }],
      [],
      [],
      [{ behavior: 'orderId sim:500,503,ok:b', did: 'answers 500', fired: true, why: 'outcome 1 of 3' }],
    ])
  })

  test('leave the key free, so that a retry with the same key succeeds and can be replayed', async () => {
    const { call } = start()
    const sent = { json: { ...ORDER, orderId: 'sim:500,500:retry' }, key: 'k' }
    const answers = []
    for (let n = 0; n < 4; n += 1) answers.push(await call('POST /v1/checkouts', sent))
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 201, 201])
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
      null,
      null,
      null,
      'true',
    ])
    expect(answers[3]?.text).toBe(answers[2]?.text)
  })

  test('can lose the response', async () => {
    const { send, call } = start()
    const sent = { json: { ...ORDER, orderId: 'sim:reset,timeout,close:x' } }
    for (const kind of ['reset', 'hang', 'close']) {
      await expect(send('POST /v1/checkouts', sent)).rejects.toMatchObject({ kind })
    }
    expect((await call('POST /v1/checkouts', sent)).status).toBe(201)
  })

  test.each([' sim:500:x', 'simulator', 'SIM:500:x'])('%j is an ordinary order', async (orderId) => {
    expect(await statuses(start(), 1, { orderId })).toEqual([201])
  })

  test.each([
    ['sim:', ''],
    ['sim:500', ''],
    ['sim:500:', ''],
    ['sim::x', ', not ""'],
    ['sim:200:x', ', not "200"'],
    ['sim:600:order', ', not "600"'],
    ['sim:500,:x', ', not ""'],
    ['sim:timeot,ok:order', ', not "timeot"; did you mean timeout?'],
  ])('%j is refused with the right format, and nothing is created', async (orderId, mistake) => {
    const { call, sandbox } = start()
    const refused = await call('POST /v1/checkouts', { json: { ...ORDER, orderId }, key: 'k' })
    expect(refused.status).toBe(400)
    expect(refused.json.message).toBe(
      `Invalid field: orderId must be sim:, comma-separated outcomes, a colon and a name, such as sim:500,ok:order-1; an outcome is ok, timeout, reset, close or a status from 400 to 599${mistake}`,
    )
    expect(sandbox.committedStore().checkouts.count()).toBe(0)
    const corrected = await call('POST /v1/checkouts', { json: ORDER, key: 'k' })
    expect(corrected.status).toBe(201)
  })

  test('work in the orderId of an authorization', async () => {
    const { call } = start()
    await call('POST /v1/customers', { json: { externalId: 'acme' } })
    const sent = { json: { amount: 10, externalId: 'acme', orderId: 'sim:429:a' } }
    expect((await call('POST /v1/authorizations', sent)).status).toBe(429)
    expect((await call('POST /v1/authorizations', sent)).status).toBe(201)
  })
})
