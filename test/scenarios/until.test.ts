/** `until` repeats a call until its response matches, and advances a frozen sandbox clock meanwhile. */
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { ORDER } from '../order.ts'
import { expectPassed, play } from './playing.ts'

const start = (clock: string, refundDelay: string) => `
name: n
sandbox: { seed: 1, clock: ${clock}, refundDelay: ${refundDelay} }
steps:
  - call: POST /v1/checkouts
    json: ${JSON.stringify(ORDER)}
    capture: { checkout: $.id }
  - call: POST /v1/checkouts/\${checkout}/confirm
  - { call: "POST /v1/checkouts/\${checkout}/refunds", json: { amount: 1 }, capture: { refund: $.id } }
`
const FROZEN = start('{ at: 2026-01-01T00:00:00Z }', '2d')

test('a frozen clock is advanced no further than necessary', async () => {
  await expectPassed(`${FROZEN}
  - call: GET /v1/refunds/\${refund}
    until: { json: { status: completed }, within: 3d, every: 12h }
    expect: { json: { amount: 1, completedAt: 2026-01-03T00:00:00.000Z } }
    capture: { at: $.completedAt }
  - { call: GET /v1/checkouts, until: { status: 200 }, capture: { first: "$.data[0].id" } }
  - captured: { at: { lte: 2026-01-03T00:00:00.000Z }, first: "\${checkout}" }
  - { requests: { call: "GET /v1/refunds/{id}", exactly: 5, apart: 12h } }
`)
})

test('with a running clock the step waits in real time', async () => {
  await expectPassed(`${start('{ mode: real }', '50ms')}
  - call: GET /v1/refunds/\${refund}
    until: { json: { status: completed }, within: 50s, every: 50ms }
`)
})

const CAPTURED = `
name: n
sandbox: { rateLimit: 1, clock: { at: 2026-01-01T00:00:00Z } }
steps:
  - call: GET /v1/customers
  - { id: a, call: GET /v1/customers, expect: { status: 429 }, capture: { wait: header.retry-after } }
`

test('a captured value can be part of a duration', async () => {
  await expectPassed(`${CAPTURED}
  - sim: { advance: "\${wait}s" }
  - { call: GET /v1/customers, expect: { within: "\${wait}s" } }
  - { call: GET /v1/customers, until: { status: 200, within: "\${wait}s", every: "\${wait}s" } }
  - { call: GET /v1/customers, clientIp: 127.0.0.2, eventually: { within: "\${wait}s", every: "\${wait}ms" } }
  - requests: { op: customers.list, status: 200, apart: 0s, within: "\${wait}ms" }
  - { call: POST /v1/customers, json: { externalId: a }, clientIp: 127.0.0.3 }
  - webhook: { type: customer.created, within: "\${wait}s" }
  - sim: { settle: "\${wait}s" }
`)
})

test.each([
  ['sim: { advance: "${wait}" }', '60 has no unit; write it as ${name}s'],
  ['sim: { advance: "${wait}x" }', '"60x" must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m'],
  [
    'call: GET /v1/customers, until: { status: 200, within: 2d, every: "${wait}s" }',
    'every must be longer: within would take more than 1000 calls',
  ],
  [
    'call: GET /v1/customers, eventually: { within: 1h, every: "${wait}ms" }',
    'every must be longer: within would take more than 1000 calls',
  ],
  ['call: GET /v1/customers, expect: { within: "${wait}h" }', 'within must be at most 1h'],
])('%s with a captured 60 fails with the reason', async (step, message) => {
  const { code, out } = await play(`${CAPTURED}  - { ${step} }\n`)
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining(message) })
})

test('a timeout fails with the last response', async () => {
  const { code, out } = await play(`${FROZEN}
  - { call: "GET /v1/refunds/\${refund}", until: { json: { status: completed }, within: 1d, every: 12h } }
`)
  expect(code).toBe(1)
  expect(out).toContain(`$.status: expected "completed" within 1d on the sandbox's clock, received "pending"`)
})

test('the final response must also match `expect`', async () => {
  const { code, out } = await play(`${FROZEN}
  - { call: "GET /v1/refunds/\${refund}", until: { json: { status: completed }, within: 3d, every: 1d }, expect: { json: { amount: 2 } } }
`)
  expect(code).toBe(1)
  expect(out).toContain('$.amount: expected 2, received 1.00')
})

test.each([
  [
    'until: completed',
    'steps[0].until must be an object with status, json, exact, header, sameAs, connection, within, every, not "completed"',
  ],
  ['untill: { status: 200 }', 'steps[0].untill is unknown; did you mean until?'],
  ['until: { jsn: 1 }', 'steps[0].until.jsn is unknown; did you mean json?'],
  [
    'until: { within: 1d, every: 1s }',
    'steps[0].until.every must be longer: within would take more than 1000 calls',
  ],
  [
    'eventually: { within: 10m, every: 1ms }',
    'steps[0].eventually.every must be longer: within would take more than 1000 calls',
  ],
  [
    'eventually: { within: 2h, every: 10s }',
    'steps[0].eventually.within must be at most 1h, because it passes in real time',
  ],
  ['expect: { within: 2h }', 'steps[0].expect.within must be at most 1h, because it passes in real time'],
  ['until: { every: 0s }', 'steps[0].until.every must be longer than 0'],
  ['until: {}, eventually: {}', 'steps[0].eventually cannot be combined with until'],
  ['until: {}, parallel: { count: 2 }', 'steps[0].until cannot be combined with parallel'],
  [
    'until: { json: { id: "${nope}" } }',
    'steps[0].until.json.id has ${nope}, which no step before it captures',
  ],
  ['until: { sameAs: nope }', 'steps[0].until.sameAs names no earlier step: nope'],
])('%s is refused', (rest, message) => {
  expect(() => parseScenario(`name: n\nsteps:\n  - { call: GET /v1/checkouts, ${rest} }\n`)).toThrow(message)
})
