import { describe, expect, test } from 'vitest'
import { openReceiver } from '../receiver.ts'
import { confirmedCheckout, openShop, order, START } from './shop.ts'

const steps = (explained: { steps: { step: string; outcome: string }[] }) =>
  explained.steps
    .filter(({ outcome }) => outcome !== 'not reached')
    .map(({ step, outcome }) => `${step} ${outcome}`)

describe('an explained request', () => {
  test('that changed something lists its steps, the change and the events', async () => {
    const { shop, call } = openShop()
    const { body } = await call('POST', '/v1/checkouts', order())
    const { headers } = await call(
      'POST',
      `/v1/checkouts/${body.id}/cancel`,
      {},
      { 'idempotency-key': 'k-1' },
    )
    const explained = shop.request(headers.get('x-sim-request')!)

    expect(explained).toMatchObject({
      id: 'req_2',
      status: 200,
      operation: 'checkouts.cancel',
      summary: `Done: checkout.canceled (${body.id}).`,
      idempotency: { verdict: 'first use', firstUsedAt: null, differences: [] },
      before: { id: body.id, status: 'pending', amount: 1000, checkoutUrl: body.checkoutUrl },
      after: { id: body.id, status: 'canceled', canceledAt: START },
      changes: [
        { path: '$.status', first: '"pending"', now: '"canceled"' },
        { path: '$.canceledAt', first: 'null', now: `"${START}"` },
      ],
      events: [{ type: 'checkout.canceled', resourceId: body.id, deliveries: [] }],
      request: { headers: { 'idempotency-key': 'k-1' }, body: '{}', json: {} },
      response: { json: { id: body.id, status: 'canceled' } },
    })
    expect(steps(explained).at(-1)).toBe('commit answered')
    expect(explained.response!.body).toContain('"amount":1000.00')
  })

  test('that was refused names the step that refused it, and no change', async () => {
    const { shop, call } = openShop()
    const id = await confirmedCheckout(call)
    await call('POST', `/v1/checkouts/${id}/cancel`)
    expect(shop.request('req_3')).toMatchObject({
      status: 409,
      step: 'operation',
      summary: 'Refused at the step "operation": Checkout is already confirmed.',
      before: { status: 'confirmed' },
      after: null,
      changes: [],
      events: [],
    })
  })

  test('that failed at the door has only the first steps', async () => {
    const { shop, call } = openShop()
    await call('GET', '/v1/checkouts', undefined, { 'x-api-key': 'sk_wrong' })
    const explained = shop.request('req_1')
    expect(steps(explained)).toEqual(['rate limit passed', 'api key answered'])
    expect(explained.summary).toBe('Refused at the step "api key": Invalid API key.')
    expect(JSON.stringify(explained)).not.toContain('sk_wrong')
  })

  test('that asked for its own fault names its header', async () => {
    const { shop, call } = openShop()
    await call('POST', '/v1/checkouts', order(), { 'x-sim': 'respond=503' })
    expect(shop.request('req_1')).toMatchObject({
      status: 503,
      step: 'behaviors',
      fired: ['X-Sim'],
      behaviors: [{ behavior: 'X-Sim', fired: true, why: 'the header asks for it' }],
      summary: expect.stringMatching(/^X-Sim .*, in the operation's place\.$/),
    })
  })

  test('shows whether the rate limit counted or refused it', async () => {
    const { shop, call } = openShop({ rateLimit: 1 })
    for (let n = 0; n < 2; n += 1) await call('GET', '/v1/checkouts')
    const note = '0 of 1 left until 2026-01-01T00:01:00.000Z'
    expect(shop.request('req_1').steps[0]).toEqual({ step: 'rate limit', outcome: 'passed', note })
    expect(shop.request('req_2').steps[0]).toEqual({ step: 'rate limit', outcome: 'answered', note })
  })

  test.each([
    ['POST', 'hold=gate', 201, 'before the commit'],
    ['POST', 'hold=gate; at=after-commit', 201, 'after the commit'],
    // A GET commits nothing.
    ['GET', 'hold=gate', 200, 'before the answer'],
    ['POST', 'hold=gate, respond=503', 503, 'before the answer'],
    ['POST', 'hold=gate', 404, 'before the answer', '/chk_none/confirm'],
  ])('a %s whose client left during %s (status %i)', async (method, sim, status, when, path = '') => {
    const { simulator, shop } = openShop()
    const leaving = new AbortController()
    const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json', 'x-sim': sim }
    const request = new Request(`http://paysim.test/v1/checkouts${path}`, {
      ...{ method, headers, signal: leaving.signal },
      ...(method === 'POST' && { body: JSON.stringify(order()) }),
    })
    const answer = simulator.fetch(request)
    await shop.untilHeld('gate')
    leaving.abort()
    shop.release('gate')
    await answer
    expect(shop.request('req_1')).toMatchObject({
      status,
      fault: 'client left',
      summary: expect.stringContaining(`The client left ${when}, and did not receive the answer.`),
    })
  })

  test('whose connection broke before the operation has no effects', async () => {
    const { shop, call } = openShop()
    await call('POST', '/v1/checkouts', order(), { 'x-sim': 'fault=reset' }).catch(() => {})
    const explained = shop.request('req_1')
    expect(explained).toMatchObject({
      status: null,
      fault: 'reset',
      summary: "X-Sim resets the connection, in the operation's place.",
    })
    expect(steps(explained).at(-1)).toBe('behaviors answered')
    expect(shop.explain('req_1').text).toMatch(/^req_1 {2}POST \/v1\/checkouts → reset\n/)
  })

  test('can still be in flight', async () => {
    const { shop, call } = openShop()
    const waiting = call('POST', '/v1/checkouts', order(), { 'x-sim': 'delay=1s' })
    await expect.poll(() => shop.requests({ status: 'none' }).length).toBe(1)
    expect(shop.request('req_1')).toMatchObject({
      status: null,
      answeredAt: null,
      response: null,
      summary: 'It is still in flight, at the step "behaviors".',
    })
    await expect(shop.settle({ within: '10ms' })).rejects.toMatchObject({
      status: 408,
      details: { inFlight: [{ id: 'req_1' }], delivering: 0, due: [] },
    })
    await shop.settle({ held: false })
    await shop.clock.advance('1s')
    await shop.settle()
    expect((await waiting).status).toBe(201)
  })

  test('at the flat refund endpoint names the checkout of its body', async () => {
    const { shop, call } = openShop()
    const checkoutId = await confirmedCheckout(call)
    await call('POST', '/v1/refunds', { checkoutId, amount: 1 })
    expect(shop.request('req_3')).toMatchObject({
      subject: checkoutId,
      changes: [{ path: '$.amountRefunded', first: '0', now: '1' }],
    })
  })

  test('lists each delivery of its events, and each attempt', async () => {
    const receiver = await openReceiver(500)
    const { shop, call } = openShop({ webhook: { url: receiver.url } })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    receiver.reply(204)
    await shop.clock.advance('10s')
    expect(shop.request('req_1').events).toMatchObject([
      {
        type: 'customer.created',
        deliveries: [
          { status: 'delivered', attempts: [{ status: 500 }, { status: 204 }], nextAttemptAt: null },
        ],
      },
    ])
    expect(shop.explain('req_1').text).toMatch(/attempt 1 .*: 500, \d+ ms\n.*attempt 2 .*: 204, \d+ ms/)
  })

  test('as text shows a reused key with the steps, the difference of the bodies and the request', async () => {
    const { shop, call } = openShop()
    await call('POST', '/v1/checkouts', order(1000), { 'idempotency-key': 'k-1' })
    await call('POST', '/v1/checkouts', order(2000), { 'idempotency-key': 'k-1' })
    expect(shop.explain('req_2').text.replace(/\d+(\.\d+)? ms/, '1 ms')).toMatchInlineSnapshot(`
      "req_2  POST /v1/checkouts → 422 Unprocessable Entity

      2026-01-01T00:00:00.000Z, 1 ms
      The Idempotency-Key k-1 was first used at 2026-01-01T00:00:00.000Z with another body; nothing ran.

      Steps
        rate limit               passed: there is no limit
        api key                  passed
        route                    passed: checkouts.create
        body and media type      passed
        idempotency key syntax   passed: k-1
        json                     passed
        idempotency              answered: reused with another body

      The first body and this one
        $.amount                 1000 → 2000

      Request
        {"orderId":"o-1","externalId":"acme","amount":2000,"successUrl":"https://shop.test/ok","cancelUrl":"https://shop.test/no"}

      Answer
        {"error":"Unprocessable Entity","message":"Idempotency-Key was already used with a different request body"}

      Again
        curl -X POST 'http://paysim.test/v1/checkouts' -H "x-api-key: $PAYSIM_API_KEY" -H 'content-type: application/json' -H 'idempotency-key: k-1' --data-raw '{"orderId":"o-1","externalId":"acme","amount":2000,"successUrl":"https://shop.test/ok","cancelUrl":"https://shop.test/no"}'

      o-1: no money moved

        o-1: The key k-1 was sent with another body 1 time (C3).
        Use a new key for each payment or refund that should happen once.

        o-1: chk_00000HuK0NsvLntFZKrkh8WP is still pending (C15).
        Confirm a checkout when its buyer approved it, and cancel it when the order ends.

        00:00:00.000  req_1     POST /v1/checkouts → 201  Done: checkout.created (chk_00000HuK0NsvLntFZKrkh8WP).
        00:00:00.000  req_2     POST /v1/checkouts → 422  The Idempotency-Key k-1 was first used at 2026-01-01T00:00:00.000Z with another body; nothing ran."
    `)
  })
})
