/** `run --target --profile` and `run --compare` at a paysim, which keeps its own profile. */
import { expect, test } from 'vitest'
import { ORDER } from '../contract/different-profile.ts'
import { play } from '../scenarios/playing.ts'
import { API_KEY, openService } from './given.ts'

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
    const { out } = await play(SCENARIO, { target: plain.url, profile, compare: true })
    expect(out).toContain('as the profile says')
    const same = await openService({ profile })
    expect(await play(SCENARIO, { target: same.url, profile })).toMatchObject({ code: 0 })
    expect(await play(SCENARIO, { target: same.url, profile, compare: true })).toMatchObject({
      code: 0,
    })
  },
)

const WRONG_KEY = `
name: A wrong key
steps:
  - { call: GET /v1/checkouts, header: { x-api-key: wrong }, expect: { status: 401, json: { message: Invalid API key } } }
`

test.each([{ names: { '401': 'NO_KEY' } }, { texts: { invalidApiKey: 'No such key' } }])(
  'a wrong key gets the words of the service, under %j',
  async (errors) => {
    const plain = await openService()
    const asPlatform = { apiKey: API_KEY, profile: { errors } }
    const { code, out } = await play(WRONG_KEY, { target: plain.url, ...asPlatform })
    expect({ code, isNamed: out.includes('as the profile says') }).toEqual({ code: 1, isNamed: true })
    const same = await openService({ profile: { errors } })
    for (const options of [asPlatform, { profile: { errors } }])
      for (const compare of [false, true])
        expect(await play(WRONG_KEY, { target: same.url, ...options, compare })).toMatchObject({
          code: 0,
        })
  },
)

test('the profile of a scenario applies only to its sandbox, which a wrong key does not identify', async () => {
  const { url } = await openService()
  const scenario = `${WRONG_KEY}sandbox: { profile: { errors: { texts: { invalidApiKey: No such key } } } }\n`
  for (const compare of [false, true])
    expect(await play(scenario, { target: url, compare })).toMatchObject({ code: 0 })
  expect(await play(scenario)).toMatchObject({ code: 0 })
})

test('--compare lists statuses, currency, states and lists, and does not mistake an expired key for a refund delay', async () => {
  const { url } = await openService({
    profile: {
      answers: { created: 200, currency: 'EUR' },
      states: { checkout: { pending: 'OPEN' } },
      lists: { items: 'items' },
      idempotency: { keep: '1h' },
    },
  })
  const scenario = `${SCENARIO}  - call: GET /v1/checkouts\n  - sim: { advance: 2h }\n  - call: GET /v1/checkouts/\${id}\n`
  const { out, code } = await play(scenario, { target: url, compare: true })
  expect(code).toBe(1)
  for (const key of [
    'answers.created: 200, D40',
    'answers.currency: "EUR", D11',
    'states.checkout.pending: "OPEN", D1',
    'lists.items: "items", D24',
  ])
    expect(out).toContain(`  ${key}, seen`)
  expect(out).not.toContain('refunds.delay')
})
