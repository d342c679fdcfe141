/** `run --target --profile` and `run --compare` at a paysim, which keeps its own profile. */
import { expect, test } from 'vitest'
import { ORDER } from '../contract/different-profile.ts'
import { startOwn } from '../scenarios/own.ts'
import { play } from '../scenarios/playing.ts'
import { openService } from './given.ts'

const SCENARIO = `
name: A checkout
steps:
  - { call: POST /v1/checkouts, json: ${JSON.stringify(ORDER)}, expect: { status: 201, json: { status: pending, currency: USD } }, capture: { id: $.id } }
  - { call: "GET /v1/checkouts/\${id}", expect: { json: { status: pending } } }
  - { call: POST /v1/checkouts/none/confirm, expect: { status: 404, json: { error: Not Found } } }
`

const OTHERS = [
  { states: { checkout: { pending: 'OPEN' } } },
  { answers: { created: 200 as const } },
  { answers: { currency: 'EUR' } },
  { fields: { checkout: { status: 'state' } } },
  { errors: { names: { '404': 'NOT_FOUND' } } },
  { errors: { texts: { notFound: 'No {resource}' } } },
]

test.each(OTHERS)(
  'a target with the default words fails under %j, and one with that profile passes',
  async (profile) => {
    const plain = await openService()
    expect(await play(SCENARIO, { target: plain.url, profile })).toMatchObject({ code: 1 })
    const { out } = await play(SCENARIO, { target: plain.url, profile, compare: true }, { startOwn })
    expect(out).toContain('as the profile says')
    const same = await openService({ profile })
    expect(await play(SCENARIO, { target: same.url, profile })).toMatchObject({ code: 0 })
    expect(await play(SCENARIO, { target: same.url, profile, compare: true }, { startOwn })).toMatchObject({
      code: 0,
    })
  },
)

test('--compare names statuses, currency, states and lists, and blames no refund for the time of a key', async () => {
  const { url } = await openService({
    profile: {
      answers: { created: 200, currency: 'EUR' },
      states: { checkout: { pending: 'OPEN' } },
      lists: { items: 'items' },
      idempotency: { keep: '1h' },
    },
  })
  const scenario = `${SCENARIO}  - call: GET /v1/checkouts\n  - sim: { advance: 2h }\n  - call: GET /v1/checkouts/\${id}\n`
  const { out, code } = await play(scenario, { target: url, compare: true }, { startOwn })
  expect(code).toBe(1)
  for (const key of [
    'answers.created: 200',
    'answers.currency: "EUR"',
    'states.checkout.pending: "OPEN"',
    'lists.items: "items"',
  ])
    expect(out).toContain(`  ${key}, seen`)
  expect(out).not.toContain('refunds.delay')
  expect(out).not.toContain('no key of a profile explains')
})
