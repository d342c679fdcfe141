/** The messages of a failed step: the actual value, and the expected value. */
import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { play } from './playing.ts'
import { service } from './service.ts'

test('a long value ends with an ellipsis', async () => {
  const long = { text: 'x'.repeat(5_000), rows: Array.from({ length: 200 }, (_, index) => index) }
  const { url } = await service(() => ({ status: 200, json: long }))
  const { out } = await play(
    `
name: n
steps:
  - call: POST /v1/checkouts
    json: { note: ${'y'.repeat(5_000)} }
    expect: { json: { text: ${'z'.repeat(5_000)} } }
`,
    { target: url, apiKey: 'sk_test_1' },
  )
  expect(out.split('\n').filter((line) => line.endsWith('…')).length).toBeGreaterThan(2)
  expect(out).toMatch(/\$\.text: expected "z{299}…, received "x{299}…/)
  expect(out.length).toBeLessThan(20_000)
})

test('an unexpected ledger shows all of its sums', async () => {
  const steps = `
name: n
sandbox: { seed: 1 }
steps:
  - call: POST /v1/checkouts
    json: ${JSON.stringify(ORDER)}
    capture: { checkout: $.id }
  - call: POST /v1/checkouts/\${checkout}/confirm
  - ledger: { captured: 1000.00 }
`
  const { out } = await play(steps)
  expect(out).toMatch(/"charged": 1000\.00,\n +✗ +"captured": 0\.00,/)
})

/** Six orders; the last is `${last}`. */
const SIX = `
name: n
sandbox: { seed: 1, clock: { at: 2026-01-01T00:00:00Z } }
steps:
  - each: 1..6
    steps:
      - call: POST /v1/checkouts
        json: ${JSON.stringify({ ...ORDER, orderId: 'o-${item}', amount: 12 })}
        capture: { last: $.id }
      - sim: { approve: "\${last}", method: card }
      - call: POST /v1/checkouts/\${last}/confirm
  - sim: { settle: 5s }
`

test.for([
  [
    'outbox: { template: checkout_receipt, relatedId: "${last}", body: { contains: $13.00 } }',
    'messages: expected at least 1, received 0',
    'email to buyer@example.test, checkout_receipt: $.body: expected something with "$13.00", received "$12.00 was charged for o-6."',
  ],
  [
    'webhook: { type: "checkout.*", data: { orderId: o-4, status: confirmed, amount: 13.00 }, within: 0s }',
    /deliveries: expected at least 1 of checkout\.\*, received 0 among .*/,
    /checkout\.confirmed of chk_\w+: \$\.data\.amount: expected 13, received 12\.00/,
  ],
  [
    'webhook: { type: checkout.confirmed, data: { orderId: o-4 }, exactly: 0 }',
    /deliveries: expected exactly 0 of checkout\.confirmed, received 1: checkout\.confirmed of chk_\w+/,
  ],
  [
    'requests: { op: checkouts.create, json: { orderId: o-4 }, exactly: 0 }',
    'requests: expected exactly 0, received 1',
    /req_\d+ POST \/v1\/checkouts → 201: expected not there, received as described/,
  ],
] as const)('only the nearest candidate is shown: %s', async ([step, ...lines]) => {
  const { out } = await play(`${SIX}  - ${step}\n`)
  const [differs = ''] = out.split('differs')[1]!.split('\n\n')
  expect(differs.trim().split(/\n */)).toEqual(
    lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
  )
})

test('a call that was aborted because a parallel step failed names that step', async () => {
  const steps = `
name: n
behaviors: [{ id: desk, when: { op: customers.create }, do: { hold: desk } }]
steps:
  - call: POST /v1/customers
    json: { externalId: ann }
    meanwhile:
      - sim: { held: desk }
      - { call: GET /v1/customers, expect: { status: 404 } }
      - sim: { release: desk }
`
  const { out } = await play(steps)
  expect(out.match(/differs .*/g)?.map((line) => line.replace(/differs +/, ''))).toEqual([
    'status: expected 404, received 200',
    'connection: expected answered, received nothing: the request was aborted because 1.2 failed',
  ])
})

test('a behavior after the failed step was not reached', async () => {
  const steps = `
name: n
behaviors: [{ id: later, when: { op: refunds.get }, do: { respond: 503 } }]
steps:
  - { call: GET /v1/customers, expect: { status: 201 } }
  - { call: GET /v1/refunds/ref_x, expect: { status: 503 } }
`
  const { out } = await play(steps)
  expect(out).toContain(
    'The behavior later was not reached: the file stopped at step 1. Until then, the nearest requests were\n',
  )
  expect(out).not.toContain('optional')
})

test('a failed step of an each shows its item', async () => {
  const steps = `
name: n
steps:
  - each: [{ id: a, status: 201 }, { id: b, status: 409 }]
    steps:
      - call: GET /v1/customers
      - { call: POST /v1/customers, json: { externalId: "\${item.id}" }, expect: { status: "\${item.status}" } }
`
  const { out } = await play(steps)
  expect(out).toContain('1.4, with the item {"id":"b","status":409}: expected to pass, received 201')
})

test('a mistake in a file is reported once', async () => {
  const { out, err } = await play('name: n\nsteps:\n  - { call: GET /v1/customers, expct: {} }\n')
  expect(err).toBe('./it.yaml:3:32: steps[0].expct is unknown; did you mean expect?')
  expect(out).toContain('./it.yaml     0/0  failed: 1 mistake, named above')
})
