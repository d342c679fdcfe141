/** Steps beside a call that a real simulator holds, and calls of the tester's API in a scenario. */
import { expect, test } from 'vitest'
import { startOwn } from './own.ts'
import { play } from './playing.ts'
import { KEY, service } from './service.ts'

const PAID = `
  - call: POST /v1/checkouts
    json: { orderId: o-1, externalId: acme, amount: 1000.00, successUrl: https://shop.test/ok, cancelUrl: https://shop.test/no }
    capture: { checkout: $.id }
  - call: POST /v1/checkouts/\${checkout}/confirm`

test('a webhook is awaited while a call is held, and nothing waits for that call', async () => {
  const { out, code } = await play(
    `
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
`,
    {},
    { startOwn },
  )
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

test('a path of the tester’s API means the sandbox of the scenario, unless it names another', async () => {
  const { out, code } = await play(OWN, {}, { startOwn })
  expect(out).toContain('8/8  passed')
  expect(code).toBe(0)
})

test('without a tester’s API it is skipped', async () => {
  const { url, asked } = await service(() => ({ status: 201, json: { id: 'chk_1' } }))
  const { out } = await play(OWN, { target: url, apiKey: KEY })
  expect(out).toContain('GET /_sim/ledger: skipped, as only a tester can do that')
  expect(asked.map(({ target }) => target)).not.toContain('/_sim/ledger')
})
