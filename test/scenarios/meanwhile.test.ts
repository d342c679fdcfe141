/** Steps that run while a real simulator holds a call, and calls of the tester's API in a scenario. */
import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { startOwnOverTls } from './own.ts'
import { play } from './playing.ts'
import { service } from './service.ts'

const PAID = `
  - call: POST /v1/checkouts
    json: ${JSON.stringify(ORDER)}
    capture: { checkout: $.id }
  - call: POST /v1/checkouts/\${checkout}/confirm`

test('a step can await a webhook while a call is held, and does not wait for that call', async () => {
  const { out, code } = await play(`
name: n
sandbox: { clock: { at: 2026-01-01T00:00:00Z } }
behaviors:
  - { id: slow, when: { op: checkouts.refund }, do: { hold: gate } }
steps:${PAID}
  - call: POST /v1/checkouts/\${checkout}/refunds
    json: { amount: 1 }
    meanwhile:
      - sim: { held: gate }
      - webhook: { type: checkout.confirmed, exactly: 1 }
      - { sim: { settle: 10s }, expect: { status: 204 } }
      - sim: { release: gate }
    expect: { status: 201 }
`)
  expect(out).toContain('sim settle 10s → 204')
  expect(code).toBe(0)
})

const OWN = `
name: n
sandbox: { clock: { at: 2026-01-01T00:00:00Z } }
steps:${PAID}
  - call: GET /_sim/ledger
    expect: { json: { sums: { charged: 1000.00, charges: 1 } } }
  - call: POST /_sim/clock
    json: { advance: 1h }
  - call: GET /_sim/requests?method=POST
    expect: { json: { data: { type: array } } }
    capture: { first: '$.data[0].id' }
  - call: GET /_sim/requests/\${first}
    expect: { json: { target: /v1/checkouts } }
  - call: GET /_sim/sandboxes/default
    expect: { json: { name: default } }
  - call: GET /_sim
    expect: { json: { version: { type: string } } }
`

test("a path of the tester's API refers to the sandbox of the scenario, unless it names another", async () => {
  const { out, code } = await play(OWN)
  expect(out).toContain('8/8  passed')
  expect(code).toBe(0)
})

test("without a tester's API such a call is skipped", async () => {
  const { playAgainst, asked } = await service(() => ({ status: 201, json: { id: 'chk_1' } }))
  const { out } = await playAgainst(OWN)
  expect(out).toContain('GET /_sim/ledger: skipped, as only a tester can do that')
  expect(asked.map(({ target }) => target)).not.toContain('/_sim/ledger')
})

test('a capture races a void while a call is held, and any kind of step can run meanwhile', async () => {
  const { out, code } = await play(`
name: n
setups:
  held: { values: { gate: null }, steps: [{ sim: { held: "\${gate}" } }] }
behaviors:
  - { id: slow, when: { op: customers.create }, skip: 1, times: 1, do: { hold: desk } }
steps:
  - call: POST /v1/customers
    json: { externalId: ann }
    capture: { customer: $.id }
  - call: POST /v1/authorizations
    json: { customerId: "\${customer}", amount: 500.00 }
    capture: { authorization: $.id }
  - call: POST /v1/customers
    json: { externalId: bob }
    meanwhile:
      - use: held
        with: { gate: desk }
      - parallel:
          steps:
            - call: POST /v1/authorizations/\${authorization}/capture
            - call: POST /v1/authorizations/\${authorization}/void
        expect: { status: { 200: 1, 409: 1 } }
      - call: GET /v1/authorizations
        parallel: { count: 3 }
        expect: { status: { 200: 3 } }
      - each: 1..2
        steps: [{ call: "GET /v1/authorizations/\${authorization}" }]
      - requests: { call: "POST /v1/authorizations/{id}/*", exactly: 2 }
      - sim: { release: desk }
    expect: { status: 201 }
`)
  expect([code, out]).toEqual([0, expect.stringContaining('passed')])
})

const IPS = `
name: n
sandbox: { rateLimit: 2 }
steps:
  - id: list
    call: GET /v1/checkouts
    clientIp: 203.0.113.7
    parallel: { count: 3 }
    expect: { status: { 200: 2, 429: 1 } }
  - repeat: list
    clientIp: 203.0.113.8
    expect: { header: { x-ratelimit-remaining: "1" } }
  - each: [2001:db8::1, 2001:db8::2]
    steps:
      - { call: GET /v1/checkouts, clientIp: "\${item}" }
  - { repeat: list, expect: { status: 429 } }
`

test('a step can set the client address of its request', async () => {
  const { out, code } = await play(IPS)
  expect([code, out]).toEqual([0, expect.stringContaining('passed')])
})

test('a remote service ignores an address in a header, so the step is skipped there', async () => {
  const { playAgainst } = await service(() => ({ status: 200, json: {} }))
  const { out } = await playAgainst(IPS.replace('sandbox: { rateLimit: 2 }', ''))
  expect(out).toContain('only a sandbox created by the tester accepts `clientIp`')
})

test('an invalid address is refused at its position', async () => {
  const { err, code } = await play(IPS.replace('203.0.113.8', '203.0.113.256'))
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(
      'steps[1].clientIp must be an IP address such as 203.0.113.7, not "203.0.113.256"',
    ),
  ])
})

test('a whole file runs over HTTPS with its own simulator', async () => {
  const { out, code } = await play(OWN, { tls: true }, { startOwn: startOwnOverTls })
  expect(out).toContain('8/8  passed')
  expect(code).toBe(0)
  const { err } = await play(OWN, { tls: true, target: 'https://staging.test' })
  expect(err).toContain('--tls cannot be combined with --target: write https in its URL instead.')
})
