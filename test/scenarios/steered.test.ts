import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { play } from './playing.ts'
import { KEY, type Reply, SECRET, service, steered } from './service.ts'

const OK: Reply = { status: 200, json: { id: 'x_1', status: 'pending' } }

/** Delivers a webhook like the service, with the defects that the test asks for. */
async function deliver(
  url: string,
  { id = 'evt_1', type = 'refund.completed', data = {}, ago = 0, secret = SECRET, signed = true } = {},
): Promise<void> {
  const body = JSON.stringify({ id, type, timestamp: '2026-01-01T00:00:00.000Z', data })
  const timestamp = Math.floor((performance.timeOrigin + performance.now()) / 1000) - ago
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers: Record<string, string> = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) }
  if (signed) headers['webhook-signature'] = `v1,bm90aGluZw== v1,${signature}`
  const { status } = await fetch(url, { method: 'POST', body, headers })
  expect(status).toBe(204)
}

test('each file gets a sandbox with its options and behaviors, which is removed afterwards', async () => {
  const { playAgainst, asked } = await steered(
    () => OK,
    (what) =>
      what === 'GET /behaviors/unfired'
        ? { data: [{ id: 'b', why: 'the nearest requests were\n  req_1 GET /v1/a' }] }
        : {},
  )
  const { code, out } = await playAgainst(
    `
name: n
sandbox: { seed: 7, clock: { at: 2026-01-01T00:00:00Z }, rateLimit: off, refundDelay: 90s, requireApproval: true }
behaviors:
  - { id: a, when: { key: "\${uuid:k}" }, ttl: 1d, do: { delay: 2s } }
  - { id: b, do: { fault: reset } }
steps:
  - { call: GET /v1/checkouts, key: "\${uuid:k}" }
`,
  )
  expect(code).toBe(1)
  const [made, armed, called, ...rest] = asked
  expect(JSON.parse(made!.body)).toEqual({
    seed: 7,
    clock: { at: '2026-01-01T00:00:00Z', mode: 'frozen' },
    rateLimit: 'off',
    refundDelay: '1m30s',
    requireApproval: true,
  })
  expect(armed).toMatchObject({ method: 'PUT', target: '/_sim/sandboxes/box/behaviors' })
  expect(JSON.parse(armed!.body)[0]).toMatchObject({
    when: { key: called!.headers['idempotency-key'] },
    ttl: 86_400_000,
    do: { delay: 2000 },
  })
  expect(called!.headers).toMatchObject({ 'x-api-key': KEY, connection: 'close' })
  expect(rest.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'GET /_sim/sandboxes/box/behaviors/unfired',
    'DELETE /_sim/sandboxes/box',
  ])
  expect(out).toContain(
    '  ./it.yaml\n    The behavior b never acted; the nearest requests were\n      req_1 GET /v1/a.\n    Set optional: true if that is fine.\n',
  )
  expect(out).toContain('1/1  failed: the behavior b never acted')
  expect(out).not.toContain('behavior a')
})

test('the same seed generates the same UUIDs, and another seed generates others', async () => {
  const keysOf = async (seed: string) => {
    const { playAgainst, asked } = await steered(() => OK)
    const steps = 'steps:\n  - { call: GET /v1/a, key: "${uuid}" }\n  - { call: GET /v1/a, key: "${uuid:x}" }'
    await playAgainst(`name: n\n${seed}\n${steps}`)
    // Without armed behaviors, no request is sent for them.
    expect(asked.map(({ method }) => method)).toEqual(['PUT', 'GET', 'GET', 'DELETE'])
    return asked.map(({ headers }) => headers['idempotency-key']).filter(Boolean)
  }
  const [seven, again, eight, none] = await Promise.all(
    ['sandbox: { seed: 7 }', 'sandbox: { seed: 7 }', 'sandbox: { seed: 8 }', ''].map(keysOf),
  )
  expect(seven).toEqual(again)
  expect(new Set([...seven!, ...eight!, ...none!]).size).toBe(6)
})

test('a sim step calls /_sim', async () => {
  const steering: string[] = []
  const { playAgainst } = await steered(
    () => OK,
    (what, json) => {
      if (what !== 'made') steering.push(json === undefined ? what : `${what} ${JSON.stringify(json)}`)
      return { id: 'pm_1' }
    },
  )
  const { code } = await playAgainst(
    `
name: n
steps:
  - { call: POST /v1/checkouts, capture: { id: $.id } }
  - sim: { advance: 36h }
  - sim: { set: 2026-01-01T00:00:00Z }
  - sim: { freeze: true }
  - sim: { resume: true }
  - sim: { settle: 5s }
  - sim: { held: gate-a }
  - sim: { release: gate-a }
  - sim: { arm: [{ id: x, do: { hold: gate-a, max: 10s } }] }
  - sim: { disarm: x }
  - sim: { disarm: all }
  - sim: { reset: true }
  - sim: { reset: [state, clock] }
  - sim: { approve: "\${id}", method: bank_account, applicant: Test Approved, lastFour: "0000" }
  - sim: { decline: "\${id}" }
  - { sim: { attach: "\${id}", type: bank_account }, capture: { method: $.id }, expect: { json: { id: pm_1 } } }
  - sim: { complete: "\${method}" }
`,
  )
  expect(code).toBe(0)
  expect(steering).toEqual([
    'POST /clock {"advance":"1d12h"}',
    'POST /clock {"set":"2026-01-01T00:00:00Z"}',
    'POST /clock {"freeze":true}',
    'POST /clock {"resume":true}',
    'POST /settle?within=5s&held=false',
    'GET /gates/gate-a?within=10s',
    'POST /gates/gate-a/release',
    'POST /behaviors [{"id":"x","when":{},"scope":"sandbox","skip":0,"continue":false,"optional":false,"do":{"hold":"gate-a","max":10000}}]',
    'DELETE /behaviors/x',
    'DELETE /behaviors',
    'POST /reset {}',
    'POST /reset {"what":["state","clock"]}',
    'POST /checkouts/x_1/approve {"method":"bank_account","applicant":"Test Approved","lastFour":"0000"}',
    'POST /checkouts/x_1/decline',
    'POST /customers/x_1/payment-methods {"type":"bank_account"}',
    'POST /refunds/pm_1/complete',
    'GET /behaviors/unfired',
    'DELETE',
  ])
})

describe('webhooks', () => {
  /** A service that delivers the test's webhooks as soon as it is called. */
  const delivering = async (deliveries: Parameters<typeof deliver>[1][], expectation: string) => {
    let endpoint = ''
    const { playAgainst } = await steered(
      async () => {
        for (const delivery of deliveries) await deliver(endpoint, delivery)
        return OK
      },
      (what, json) => {
        if (what === 'made') endpoint = (json as { webhook: { url: string } }).webhook.url
      },
    )
    return playAgainst(`name: n\nsteps:\n  - call: POST /v1/refunds\n  - webhook: ${expectation}\n`)
  }
  const created = { id: 'evt_0', type: 'refund.created', data: { id: 'ref_1' } }
  const completed = { id: 'evt_1', type: 'refund.completed', data: { id: 'ref_1' } }

  test.each<[string, string, Parameters<typeof deliver>[1][]]>([
    ['one', '{ type: refund.completed }', [completed]],
    ['exactly one, signed', '{ type: refund.completed, exactly: 1, signature: valid }', [created, completed]],
    ['none', '{ type: refund.completed, exactly: 0 }', [created]],
    ['those of a resource', '{ type: refund.*, exactly: 2, data: { id: ref_1 } }', [created, completed]],
    ['twice the same', '{ exactly: 2, events: 1 }', [completed, completed]],
    ['out of order', '{ order: [refund.completed, refund.created] }', [completed, created]],
    ['an old signature', '{ signature: stale }', [{ ...completed, ago: 301 }]],
    ['one not so old', '{ signature: valid }', [{ ...completed, ago: 290 }]],
    ['another secret', '{ signature: invalid }', [{ ...completed, secret: `whsec_${'A'.repeat(32)}` }]],
    ['no signature', '{ signature: missing }', [{ ...completed, signed: false }]],
  ])('%s', async (_, expectation, deliveries) => {
    expect(await delivering(deliveries, expectation)).toMatchObject({ code: 0 })
  })

  test.each<[string, string, Parameters<typeof deliver>[1][]]>([
    [
      '{ type: refund.completed, within: 50ms }',
      'deliveries: expected at least 1 of refund.completed, received 0 among refund.created of ref_1',
      [created],
    ],
    [
      '{ type: refund.completed, exactly: 1 }',
      'deliveries: expected exactly 1 of refund.completed, received 2: refund.completed of ref_1 ×2',
      [completed, completed],
    ],
    [
      '{ type: refund.completed, within: 50ms }',
      'received 0 among a delivery without a type of ref_1',
      [{ ...completed, type: 7 as never }],
    ],
    ['{ events: 2, within: 50ms }', 'events: expected 2, received 1', [completed, completed]],
    [
      '{ data: { id: ref_2 }, within: 50ms }',
      'deliveries: expected at least 1 of *, received 0 among refund.completed of ref_1',
      [completed],
    ],
    [
      '{ data: { id: ref_2 }, within: 50ms }',
      'refund.completed of ref_1: $.data.id: expected "ref_2", received "ref_1"',
      [completed],
    ],
    [
      '{ atMost: 1 }',
      'deliveries: expected at most 1 of *, received 2: refund.created of ref_1, refund.completed of ref_1',
      [created, completed],
    ],
    ['{ count: 0 }', 'deliveries: expected exactly 0 of *, received 1', [created]],
    [
      '{ signature: valid }',
      'signature of evt_1: expected valid, received stale',
      [{ ...completed, ago: 400 }],
    ],
    [
      '{ order: [refund.created, refund.completed], within: 50ms }',
      'order: expected refund.created, refund.completed, received refund.completed, refund.created',
      [completed, created],
    ],
  ])('%s is not met', async (expectation, difference, deliveries) => {
    const { code, out } = await delivering(deliveries, expectation)
    expect(out).toContain(difference)
    expect(code).toBe(1)
  })

  test('a step waits for a late webhook', async () => {
    let endpoint = ''
    const { playAgainst } = await steered(
      () => OK,
      async (what, json) => {
        if (what === 'made') endpoint = (json as { webhook: { url: string } }).webhook.url
        if (what === 'POST /settle?held=false') setImmediate(() => deliver(endpoint, completed))
      },
    )
    expect(await playAgainst('name: n\nsteps:\n  - webhook: { type: refund.completed }\n')).toMatchObject({
      code: 0,
    })
  })
})

test('the ledger and the outbox', async () => {
  const { playAgainst } = await steered(
    () => OK,
    (what) => {
      if (what === 'GET /ledger') return { sums: { charged: 1000, refunded: 250, refunds: 1 }, movements: [] }
      // The outbox has pages, newest first.
      if (what === 'GET /outbox?limit=100')
        return { data: [{ channel: 'sms', to: '+1', template: 'code' }], nextCursor: 'msg_2' }
      if (what === 'GET /outbox?limit=100&cursor=msg_2')
        return {
          data: [{ channel: 'email', to: 'a@b.test', template: 'refund completed' }],
          nextCursor: null,
        }
      return {}
    },
  )
  const { out } = await playAgainst(
    `
name: n
steps:
  - ledger: { charged: 1000.00, refunds: { lte: 1 } }
  - outbox: { channel: email, exactly: 1 }
  - outbox: { to: { regex: . }, atLeast: 2 }
  - outbox: { channel: sms, exactly: 0 }
`,
  )
  expect(out).toContain('✓ 1/4   ledger → charged 1000, refunds 1')
  expect(out).toContain('✓ 3/4   outbox → 2 of 2 messages')
  expect(out).toContain('messages: expected exactly 0, received 1')
  expect(out).toContain('sms to +1, code: expected not there, received as described')
  const outbox = 'name: n\nsteps:\n  - outbox: { channel: sms, to: "+2", count: 1 }\n'
  const { out: missed } = await playAgainst(outbox)
  expect(missed).toContain('messages: expected exactly 1, received 0')
  // It differs in its channel as well, so it is not the nearest.
  expect(missed).not.toContain('email to a@b.test')
  expect(missed).toContain('sms to +1, code: $.to: expected "+2", received "+1"')
  const { out: wrong } = await playAgainst('name: n\nsteps:\n  - ledger: { refunds: 2 }\n')
  expect(wrong).toContain('$.refunds: expected 2, received 1')
})

describe('while a call is in flight', () => {
  test('a failure of another step ends the call as well', async () => {
    const { playAgainst } = await steered((_, count) => (count < 3 ? 'silence' : { status: 200 }))
    const { code, out } = await playAgainst(
      'name: n\nsteps:\n  - { id: a, call: POST /v1/a, meanwhile: [{ call: GET /v1/b, expect: { status: 409 } }] }',
    )
    expect(out).toContain('✗ 1.1   GET /v1/b → 200')
    expect(code).toBe(1)
  })
})

test('a refusal of /_sim fails the step, and the sandbox is still removed', async () => {
  const { url, asked } = await service(({ method, target }) => {
    if (target.startsWith('/_sim/sandboxes/scenario-')) {
      return { status: 201, json: { name: 'box', apiKey: KEY, signingSecret: SECRET } }
    }
    return method === 'PUT'
      ? { status: 400, json: { message: `Not with ${KEY} or ${SECRET}` } }
      : { status: 200 }
  })
  const { code, out } = await play(
    'name: n\nbehaviors:\n  - do: { fault: reset }\nsteps:\n  - call: GET /v1/a\n',
    { target: url },
  )
  expect(out).toContain("failed: The tester's API responded 400 to PUT /behaviors: Not with •••• or ••••")
  expect(asked.at(-1)).toMatchObject({ method: 'DELETE', target: '/_sim/sandboxes/box' })
  expect(code).toBe(1)
})

test('without a key, a target needs /_sim', async () => {
  const { url } = await service(() => ({ status: 404, json: { message: 'Route not found' } }))
  const { code, out } = await play('name: n\nsteps:\n  - call: GET /v1/a\n', { target: url })
  expect(out).toContain(
    "failed: The target has no tester's API, so it is not a paysim. Pass --api-key to play it",
  )
  expect(code).toBe(1)
})

test('a service with the same response for every path is not a paysim, and its /v1 gets no request', async () => {
  const { url, asked } = await service(() => ({ status: 200, json: {} }))
  const { out, code } = await play('name: n\nsteps: [{ call: POST /v1/customers }]\n', { target: url })
  expect(out).toContain("failed: The target has no tester's API, so it is not a paysim")
  expect([code, asked.filter(({ target }) => target.startsWith('/v1'))]).toEqual([1, []])
})

test('without a target, a simulator is started, and closed at the end', async () => {
  const { url } = await steered(() => OK)
  let closed = 0
  const close = async () => {
    closed += 1
  }
  const startOwn = async () => ({ url, apiKey: KEY, close })
  expect(await play('name: n\nsteps:\n  - call: GET /v1/a\n', {}, { startOwn })).toMatchObject({ code: 0 })
  expect(closed).toBe(1)
})
