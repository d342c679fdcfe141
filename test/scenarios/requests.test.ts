/** `requests`: the requests of a client, their number, keys and pauses. */
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { ORDER } from '../order.ts'
import { play } from './playing.ts'

/** Four attempts of one refund with pauses of a second and more, under one key; then another refund. */
const START = `
name: n
sandbox: { seed: 1, clock: { at: 2026-01-01T00:00:00Z }, journal: { headers: [X-Trace] } }
behaviors:
  - { id: busy, times: 3, when: { op: checkouts.refund }, do: { respond: 503 } }
steps:
  - call: POST /v1/checkouts
    json: ${JSON.stringify(ORDER)}
    header: { x-trace: t-1, x-other: a }
    capture: { checkout: $.id }
  - call: POST /v1/checkouts/\${checkout}/confirm
  - { id: refund, call: "POST /v1/checkouts/\${checkout}/refunds", key: k-1, json: { amount: 1 }, expect: { status: 503 } }
  - sim: { advance: 1s }
  - { repeat: refund, expect: { status: 503 } }
  - sim: { advance: 2s }
  - { repeat: refund, expect: { status: 503 } }
  - sim: { advance: 4s }
  - { repeat: refund, expect: { status: 201 } }
  - { call: "POST /v1/checkouts/\${checkout}/refunds", key: k-2, json: { amount: 2 } }
`

const errorOf = async (requests: string) => {
  const { code, out, err } = await play(`${START}  - requests: ${requests}\n`)
  return { code, err, differs: out.slice(out.indexOf('differs')).split('\n\n')[0] ?? '' }
}

describe('expectations that are met', () => {
  test.each([
    ['{ op: checkouts.refund, key: k-1, count: { atMost: 4 }, keys: same, bodies: same, apart: 1s }'],
    ['{ op: checkouts.refund, exactly: 5, apart: 0s }'],
    ['{ op: checkouts.refund, status: 201, exactly: 2, keys: different, bodies: different }'],
    ['{ call: POST /v1/checkouts, header: { X-Trace: t-1 }, exactly: 1 }'],
    ['{ op: checkouts.refund, header: { x-trace: { exists: false } }, atLeast: 5 }'],
    ['{ order: [POST /v1/checkouts, checkouts.confirm, "POST /v1/checkouts/{id}/refunds"] }'],
    ['{ op: refunds.create, exactly: 0 }'],
    ['{ order: [checkouts.create, checkouts.refund, checkouts.refund] }'],
    ['{ json: { amount: { gte: 2 } }, status: 2xx, count: 2, within: 1s }'],
  ])('%s', async (requests) => {
    expect(await errorOf(requests)).toMatchObject({ code: 0, err: '' })
  })
})

describe('expectations that are not met', () => {
  test.each([
    ['{ op: checkouts.refund, key: k-1, exactly: 3 }', ['requests: expected exactly 3, received 4']],
    [
      '{ op: checkouts.refund, key: k-3 }',
      [
        'requests: expected at least 1, received 0',
        /req_7 POST \/v1\/checkouts\/chk_\w+\/refunds → 201: key: expected "k-3", received "k-2"/,
      ],
    ],
    ['{ op: checkouts.refund, keys: same }', [/key of req_7: expected k-1, as req_3 has, received k-2/]],
    [
      '{ op: checkouts.refund, keys: different }',
      [/key of req_4: expected other than req_3 has, received k-1/],
    ],
    ['{ call: "POST /v1/**", keys: same }', [/key of req_1: expected a key, received nothing/]],
    [
      '{ op: checkouts.refund, bodies: same }',
      [/body of req_7: expected \{"amount":1\}, as req_3 has, received \{"amount":2\}/],
    ],
    [
      '{ op: checkouts.refund, key: k-1, bodies: different }',
      [/body of req_4: expected other than req_3 has/],
    ],
    [
      '{ key: k-1, apart: 1500ms }',
      ['time of req_4: expected 1s500ms or more after req_3, received 1s after it'],
    ],
    [
      '{ order: [checkouts.refund, checkouts.create] }',
      ['order: expected checkouts.refund, checkouts.create, received checkouts.create, '],
    ],
  ])('%s', async (requests, said) => {
    const { code, differs } = await errorOf(requests)
    expect(code).toBe(1)
    for (const text of said) expect(differs).toMatch(text)
  })
})

test.each([
  ['requests: { opp: checkouts.refund }', 'steps[0].requests.opp is unknown; did you mean op?'],
  ['requests: { op: checkouts.refnd }', 'did you mean checkouts.refund?'],
  ['requests: { call: POST /v1/checkout }', 'did you mean POST /v1/checkouts?'],
  ['requests: { order: [checkouts.refund] }', 'steps[0].requests.order must have at least 2 items'],
  ['requests: { status: 9999 }', 'steps[0].requests.status must be at most 599, not 9999'],
  ['{ requests: { op: checkouts.refund }, expect: {} }', 'steps[0].expect cannot be combined with requests'],
  [
    'requests: checkouts.refund',
    'steps[0].requests must be an object with op, call, stub, key, json, header, status, count and more, not "checkouts.refund"',
  ],
  [
    'requests: { count: many }',
    'steps[0].requests.count must be a number from 0 to 1000000, or { atLeast, atMost }',
  ],
  ['requests: { apart: 1x }', 'steps[0].requests.apart must be a duration such as 250ms, 5s'],
  ['requests: { keys: equal }', 'steps[0].requests.keys must be one of same, different, not "equal"'],
  [
    'requests: { header: { x-other: a } }',
    'steps[0].requests.header["x-other"] is not journaled; sandbox: { journal',
  ],
  ['requests: { exactly: 1, count: 1 }', 'steps[0].requests.exactly cannot be combined'],
])('%s is refused', (step, message) => {
  expect(() => parseScenario(`name: n\nsteps:\n  - ${step}\n`)).toThrow(message)
})

test('a header with a secret cannot be journaled', () => {
  const text =
    'name: n\nsandbox: { journal: { headers: [X-Api-Key] } }\nsteps: [{ call: GET /v1/checkouts }]\n'
  expect(() => parseScenario(text)).toThrow(
    'sandbox.journal.headers must be names of headers, such as x-trace',
  )
})

test('a single request or step is printed in the singular', async () => {
  const { out } = await play(
    `${START}  - requests: { op: checkouts.create, exactly: 1 }\n  - each: 1..1\n    steps: [{ call: GET /v1/refunds }]\n`,
  )
  expect(out).toContain('requests checkouts.create → 1 request\n')
  expect(out).toContain('each of 1..1 → 1 step\n')
})

test('a request with a broken connection is shown with its fault', async () => {
  const broken = `
name: n
steps:
  - { call: GET /v1/checkouts, header: { X-Sim: fault=reset }, expect: { connection: reset } }
  - requests: { call: GET /v1/checkouts, exactly: 0 }
`
  const { code, out } = await play(broken)
  expect(code).toBe(1)
  expect(out).toContain('req_1 GET /v1/checkouts → reset')
})

test('a request refused before its key is read is listed with the sent key', async () => {
  const refused = `
name: n
sandbox: { rateLimit: 1, clock: { at: 2026-01-01T00:00:00Z } }
steps:
  - call: GET /v1/checkouts
  - { id: a, call: POST /v1/customers, key: k-1, json: { externalId: a }, expect: { status: 429 } }
  - sim: { advance: 1m }
  - { repeat: a, expect: { status: 201 } }
  - requests: { op: customers.create, key: k-1, count: 2, keys: same }
`
  expect(await play(refused)).toMatchObject({ code: 0, err: '' })
})
