/** The webhook endpoint of a scenario: its responses, its retries, and what a step can capture from it. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { openReceiver } from '../../src/tools/player/receiver.ts'
import { ORDER } from '../order.ts'
import { expectPassed, play } from './playing.ts'

const START = `
name: n
sandbox: { seed: 1, clock: { at: 2026-01-01T00:00:00Z }, receiver: [500, { status: 503 }, { close: true }, 200] }
steps:
  - call: POST /v1/checkouts
    json: ${JSON.stringify(ORDER)}
    capture: { checkout: $.id }
  - call: POST /v1/checkouts/\${checkout}/confirm
`

const errorOf = async (steps: string, start = START) => {
  const { code, out, err } = await play(start + steps)
  return { code, err, differs: /differs +(.*(\n {16}.*)*)/.exec(out)?.[1] ?? '', out }
}

describe('a receiver that fails three times', () => {
  test('gets retries at the times of D49', async () => {
    await expectPassed(`${START}
  - webhook: { type: checkout.confirmed, attempts: 1, at: [0s] }
  - sim: { advance: 1h }
  - webhook: { type: checkout.confirmed, attempts: 4, at: [0s, 5s, 5m5s, 35m5s] }
  - sim: { advance: 2d }
  - webhook: { type: checkout.confirmed, exactly: 4, events: 1, attempts: { atMost: 4 }, signature: valid }
`)
  })

  test.each([
    ['attempts: 3', 'attempts of checkout.confirmed of', 'expected exactly 3, received 4'],
    ['attempts: { atLeast: 5 }', 'attempts of checkout.confirmed of', 'expected at least 5, received 4'],
    [
      'at: [0s, 5s, 5m]',
      'times of checkout.confirmed of',
      'expected 0s, 5s, 5m, received 0s, 5s, 5m5s, 35m5s',
    ],
    ['at: [0s, 6s, 5m5s, 35m5s]', 'times of checkout.confirmed of', 'received 0s, 5s, 5m5s, 35m5s'],
  ])('%s is wrong', async (expectation, path, said) => {
    const { code, differs } = await errorOf(`
  - sim: { advance: 1h }
  - webhook: { type: checkout.confirmed, ${expectation} }
`)
    expect(code).toBe(1)
    expect(differs).toContain(path)
    expect(differs).toContain(said)
  })
})

describe('an order', () => {
  const REFUNDS = `
  - receiver: [204]
  - { call: "POST /v1/checkouts/\${checkout}/refunds", json: { amount: 500 } }
  - sim: { advance: 1m }
  - { call: "POST /v1/checkouts/\${checkout}/refunds", json: { amount: 250 } }
`
  const both = 'order: [refund.completed, refund.created]'

  test('considers only the deliveries that match the step', async () => {
    // The refund of 500 completes before the refund of 250 is created, which is still pending.
    const { differs } = await errorOf(`${REFUNDS}  - webhook: { data: { amount: 250 }, ${both}, within: 0s }`)
    expect(differs).toContain('order: expected refund.completed, refund.created, received refund.created')
    const steps = `${REFUNDS}  - webhook: { data: { amount: 500 }, order: [refund.created, refund.completed] }
  - webhook: { type: refund.*, order: [refund.created, refund.completed, refund.created] }`
    await expectPassed(START + steps)
  })
})

test('repeated events are listed once with a count, even if attempts of several events alternate', async () => {
  const { differs } = await errorOf(`
  - sim: { advance: 1h }
  - webhook: { type: checkout.confirmed, exactly: 9, within: 0s }
`)
  expect(differs).toMatch(
    /received 4 among checkout\.created of chk_\w+ ×4, .*, checkout\.confirmed of chk_\w+ ×4$/,
  )
})

test('a step changes the responses, and attempts are counted for each event', async () => {
  await expectPassed(`${START}
  - receiver: [500, 200]
  - call: POST /v1/checkouts/\${checkout}/refunds
    json: { amount: 1 }
  - sim: { advance: 2h }
  - webhook: { type: refund.created, attempts: 2 }
  - webhook: { type: refund.completed, attempts: 2 }
  - receiver: [{ redirect: "https://elsewhere.test/hook", headers: { x-why: moved } }, 204]
  - call: POST /v1/checkouts/\${checkout}/refunds
    json: { amount: 2 }
  - sim: { advance: 2h }
  - webhook: { type: refund.created, data: { amount: 2 }, attempts: 2, at: [0s, 5s] }
`)
})

test('a step waits for a receiver that responds late', async () => {
  await expectPassed(`${START}
  - receiver: [{ status: 200, after: 20ms }]
  - call: POST /v1/checkouts/\${checkout}/refunds
    json: { amount: 1 }
  - webhook: { type: refund.created, attempts: 1 }
`)
})

test('a step can capture the body, headers and id of a webhook, messages, sums and response headers', async () => {
  const { code, out } = await errorOf(`
  - webhook: { type: checkout.confirmed }
    capture: { event: $.id, amount: $.data.amount, id: header.webhook-id, all: $ }
  - captured: { event: "\${id}", amount: 1000, all: { type: checkout.confirmed, data: { id: "\${checkout}" } } }
  - outbox: { template: checkout_receipt }
    capture: { order: { from: $.body, regex: "charged for (\\\\S+)[.]" }, text: $.body }
  - ledger: { charged: "\${amount}" }
    capture: { charged: $.charged }
  - { call: GET /v1/checkouts, capture: { kind: header.Content-Type, "ids[]": "$.data[*].id" } }
  - { call: "GET /v1/checkouts/\${checkout}", capture: { "ids[]": $.id, "amounts[]": $.amount } }
  - captured: { charged: 1000, kind: { contains: json }, ids: { length: 2, every: "\${checkout}" }, amounts: [1000] }
  - captured: { text: { contains: "\${order}" } }
  - captured: { ids: { unique: true } }
`)
  expect(out).toContain('✗ 11/11 captured ids')
  expect(out).toMatch(/\$\.ids: expected a list without duplicates, received \["chk_/)
  expect(code).toBe(1)
})

test('a missing value cannot be captured', async () => {
  expect(
    (await errorOf('  - webhook: { type: checkout.confirmed }\n    capture: { a: $.nope }\n')).differs,
  ).toContain('$.nope: expected a value to capture as a, received nothing')
  expect(
    (await errorOf('  - outbox: { exactly: 1 }\n    capture: { a: { from: $.body, regex: "[0-9]{30}" } }\n'))
      .differs,
  ).toMatch(/\$\.body: expected a value to capture as a, received ".+/)
})

test.each([
  ['steps: [{ receiver: 500 }]', 'steps[0].receiver must be a list such as [500, 500, 500, 200], not 500'],
  ['steps: [{ receiver: [] }]', 'steps[0].receiver must have at least 1 item'],
  ['steps: [{ receiver: [ok] }]', 'steps[0].receiver[0] must be a status such as 500, or { status, after'],
  ['sandbox: { receiver: [99] }', 'sandbox.receiver[0] must be at least 200, not 99'],
  [
    'sandbox: { receiver: [{ close: true, status: 200 }] }',
    'receiver[0].close cannot be combined with a response',
  ],
  ['sandbox: { receiver: [{ after: 1m }] }', 'sandbox.receiver[0].after must be at most 30s'],
  [
    'sandbox: { receiver: [{ after: 3 }] }',
    'sandbox.receiver[0].after must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d, not 3',
  ],
  [
    'steps: [{ requests: { apart: 1 } }]',
    'steps[0].requests.apart must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d, not 1',
  ],
  [
    'steps: [{ call: GET /v1/checkouts, until: { within: 5s } }]',
    'steps[0].until must describe the expected response, such as { json: { status: completed } }',
  ],
  [
    'steps: [{ outbox: { template: login } }]',
    'template must be one of login_code, application_decision, checkout_receipt, refund_completed, not "login"',
  ],
  ['sandbox: { clock: frozen }', 'sandbox.clock must be an object such as { mode: frozen }, not "frozen"'],
  ['skip: true', 'skip must be the reason, as a text, not true'],
  ['sandbox: { receiver: [{ stauts: 500 }] }', 'sandbox.receiver[0].stauts is unknown; did you mean status?'],
  ['steps: [{ captured: { chekout: 1 } }]', 'steps[0].captured.chekout is not captured by an earlier step'],
  [
    'steps: [{ call: GET /v1/checkouts, capture: { a: { from: $.id, regex: "[" } } }]',
    'must be a regular expression',
  ],
])('%s is refused', (text, message) => {
  const steps = text.startsWith('steps') ? '' : 'steps: [{ call: GET /v1/checkouts }]\n'
  expect(() => parseScenario(`name: n\n${text}\n${steps}`)).toThrow(message)
})

test('an interrupted delivery does not count, and the receiver continues', async () => {
  const receiver = await openReceiver()
  const { port, hostname } = new URL(receiver.url)
  const socket = connect(Number(port), hostname)
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n')
  await once(socket, 'data')
  socket.destroy()
  expect((await fetch(receiver.url, { method: 'POST', body: '{}' })).status).toBe(204)
  expect(receiver.deliveries).toHaveLength(1)
})

test.each([
  ['{ headers: { a b: c } }', 'receiver[0].headers["a b"] must be a name that HTTP allows'],
  ['{ headers: { a: "\\n" } }', 'receiver[0].headers.a must be text that HTTP allows in a header, not "\\n"'],
  ['{ redirect: "/ü—" }', 'receiver[0].redirect must be text that HTTP allows in a header, not "/ü—"'],
])('a response that cannot be sent is a mistake: %s', (answer, said) => {
  expect(() =>
    parseScenario(`name: n\nsandbox: { receiver: [${answer}] }\nsteps: [{ call: GET /v1/refunds }]\n`),
  ).toThrow(said)
})
