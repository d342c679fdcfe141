/** Two addresses with real sockets: keys, pages and secrets of one environment at the other's address, in every combination. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/control-client.ts'
import type { SimulatorOptions } from '../../src/index.ts'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { ENVIRONMENTS, type Environment } from '../../src/spec/environments/environment.ts'
import { recordSession } from '../../src/tester/control/record.ts'
import { createSimulator } from '../../src/tools/compose.ts'
import { asPlatform, newSimulator, order } from '../control/shop.ts'
import { folder } from '../given.ts'
import { openReceiver } from '../receiver.ts'

async function serve(options: SimulatorOptions = {}) {
  const simulator = newSimulator({ production: true, ...options })
  const [staging, production] = await Promise.all([simulator.listen(), simulator.production.listen()])
  const urls = { staging: staging.url, production: production.url }
  const call = (at: Environment, apiKey: string, path: string, body?: object) =>
    fetch(`${urls[at]}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  return { simulator, urls, call }
}

const twin = (environment: Environment): Environment => (environment === 'staging' ? 'production' : 'staging')

const SANDBOXES = ['default', 'shop'] as const

describe.each(ENVIRONMENTS)('at the address of %s', (at) => {
  test.each(SANDBOXES)(
    '%s accepts its own key, and refuses the key of the other environment',
    async (name) => {
      const { simulator, call } = await serve()
      const keys = Object.fromEntries(
        ENVIRONMENTS.map((environment) => [environment, simulator.sandbox(name, { environment }).apiKey]),
      )
      expect(keys).toEqual({ staging: `sk_staging_${name}`, production: `sk_live_${name}` })

      expect((await call(at, keys[at]!, '/v1/checkouts')).status).toBe(200)
      const answers = await Promise.all(
        [keys[twin(at)]!, 'sk_nobody', ''].map((key) => call(at, key, '/v1/checkouts')),
      )
      const bodies = await Promise.all(answers.map((answer) => answer.text()))
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
      expect(new Set(bodies)).toEqual(new Set(['{"error":"Unauthorized","message":"Invalid API key"}']))
      expect(answers.map(({ headers }) => headers.get('www-authenticate'))).toEqual(
        Array(3).fill(answers[1]!.headers.get('www-authenticate')),
      )
    },
  )

  test('a crossed key is journaled, counted and rate limited in the `default` of this address only', async () => {
    const { simulator, call } = await serve({ rateLimit: 2 })
    const addresses = { staging: simulator, production: simulator.production }
    const key = addresses[twin(at)].find('default').apiKey
    const statuses = []
    for (let count = 0; count < 3; count += 1) statuses.push((await call(at, key, '/v1/checkouts')).status)
    expect(statuses).toEqual([401, 401, 429])
    expect(addresses[at].find('default').requests()).toHaveLength(3)
    expect(addresses[twin(at)].find('default').requests()).toEqual([])
    expect((await call(twin(at), key, '/v1/checkouts')).status).toBe(200)
  })

  test('data created at the other address is not visible: resources, lists and pages', async () => {
    const { simulator, call, urls } = await serve()
    const keyOf = (environment: Environment) => simulator.sandbox('default', { environment }).apiKey
    const made = await call(twin(at), keyOf(twin(at)), '/v1/checkouts', order())
    const { id, checkoutUrl } = (await made.json()) as { id: string; checkoutUrl: string }
    expect(checkoutUrl).toBe(`${urls[twin(at)]}/checkout/${id}`)

    expect((await call(at, keyOf(at), `/v1/checkouts/${id}`)).status).toBe(404)
    expect(await (await call(at, keyOf(at), '/v1/checkouts')).json()).toMatchObject({ data: [] })
    expect((await fetch(`${urls[at]}/checkout/${id}`)).status).toBe(404)
    expect((await fetch(`${urls[at]}/sandboxes/${twin(at)}.default/checkout/${id}`)).status).toBe(404)
    expect((await fetch(checkoutUrl)).status).toBe(200)
  })

  test('its webhooks go to its own endpoint, signed with its own secret', async () => {
    const { simulator, call } = await serve()
    const receivers = { staging: await openReceiver(), production: await openReceiver() }
    for (const environment of ENVIRONMENTS) {
      await simulator.sandbox('default', { environment }).webhook.put({ url: receivers[environment].url })
    }
    const shop = simulator.sandbox('default', { environment: at })
    await call(at, shop.apiKey, '/v1/checkouts', order())
    await receivers[at].until((received) => received.length === 1)
    const { headers, body } = receivers[at].received[0]!
    expect(() => verifyWebhook(body, headers, { secret: shop.signingSecret })).not.toThrow()
    const wrong = simulator.sandbox('default', { environment: twin(at) }).signingSecret
    expect(wrong).not.toBe(shop.signingSecret)
    expect(() => verifyWebhook(body, headers, { secret: wrong })).toThrow()
    expect(simulator.sandbox('default', { environment: twin(at) }).events()).toEqual([])
  })

  test('a tester reaches every sandbox, and a plain name means a sandbox of this environment', async () => {
    const { simulator, urls } = await serve()
    simulator.sandbox('shop')
    simulator.sandbox('shop', { environment: 'production' })
    const remote = connect(urls[at])
    const keyOf = async (name: string) => (await remote.find(name)).apiKey
    const prefix = at === 'staging' ? 'sk_staging' : 'sk_live'
    expect(await keyOf('default')).toBe(`${prefix}_default`)
    expect(await keyOf('shop')).toBe(`${prefix}_shop`)
    expect(await keyOf('staging.shop')).toBe('sk_staging_shop')
    expect(await keyOf('production.shop')).toBe('sk_live_shop')

    const made = await remote.create({ name: 'made' })
    expect((await made.describe()).environment).toBe(at)
    const across = await remote.create({ name: 'made', environment: twin(at), clock: 'frozen' })
    expect(await across.describe()).toMatchObject({ environment: twin(at), url: urls[twin(at)] })
    expect((await across.clock.read()).frozen).toBe(true)
    expect((await made.clock.read()).frozen).toBe(false)
    const about = await (await fetch(`${urls[at]}/_sim`)).json()
    expect(about).toMatchObject({ environment: at })
    const { servers } = (await (await fetch(`${urls[at]}/openapi.json`)).json()) as never
    expect(servers).toMatchObject([{ url: urls.staging }, { url: urls.production }])
  })
})

test('a session in production is recorded as a production scenario', async () => {
  const { simulator, call } = await serve()
  const shop = simulator.sandbox('shop', { environment: 'production' })
  await call('production', shop.apiKey, '/v1/checkouts', order())
  expect((await recordSession(shop)).yaml).toMatch(/environment: production/)
  await call('staging', simulator.sandbox('shop').apiKey, '/v1/checkouts', order())
  expect((await recordSession(simulator.sandbox('shop'))).yaml).not.toMatch(/environment/)
})

describe('data of one environment cannot leak into the other', () => {
  test('through a copy or a snapshot', async () => {
    const { simulator } = await serve()
    const shop = simulator.sandbox('shop')
    shop.snapshot('kept')
    const { production } = simulator
    const refused = /from must be a production sandbox/
    expect(() => simulator.create({ from: shop, environment: 'production' })).toThrow(refused)
    expect(() => production.create({ from: 'staging.shop', name: 'production.copy' })).toThrow(refused)
    expect(() =>
      production.create({ from: { sandbox: 'staging.shop', snapshot: 'kept' }, environment: 'production' }),
    ).toThrow(refused)
    const live = production.sandbox('live')
    expect(() => production.create({ from: shop, environment: 'production' })).toThrow(refused)
    expect(simulator.create({ from: live }).describe().environment).toBe('production')
    expect(production.create({ from: live }).apiKey).toMatch(/^sk_live_/)
    expect(simulator.create({ from: 'production.live' }).describe().environment).toBe('production')
  })

  test('through a shared key, and a name must match the environment option', async () => {
    const { simulator } = await serve()
    expect(() => simulator.create({ apiKey: 'sk_live_shop' })).toThrow(
      'apiKey must not start like a production key: this is a staging sandbox.',
    )
    expect(() => simulator.production.create({ apiKey: 'sk_staging_shop' })).toThrow(
      /this is a production sandbox/,
    )
    simulator.sandbox('shop', { apiKey: 'sk_mine' })
    expect(() => simulator.production.sandbox('shop', { apiKey: 'sk_mine' })).toThrow(
      /already has this API key/,
    )
    expect(() => simulator.sandbox('production.x', { environment: 'staging' })).toThrow(
      'environment must be production for the sandbox production.x, not "staging".',
    )
    expect(() => simulator.production.remove('default')).toThrow(/always there/)
  })

  test('through a file: each keeps its own across a restart', async () => {
    const data = folder()
    const first = createSimulator({ data })
    const call = asPlatform(first.production, first.production.sandbox('shop'))
    const { id } = (await call('POST', '/v1/checkouts', order())).body
    first.sandbox('shop')
    await first.close()
    const second = createSimulator({ data })
    onTestFinished(() => second.close())
    expect(
      second
        .sandboxes()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['default', 'production.shop', 'shop'])
    expect(second.production.find('shop').resource(id)).toMatchObject({ name: 'checkout' })
    expect(() => second.find('shop').resource(id)).toThrow(/not found/i)
  })

  test('a staging-only simulator creates no production sandbox', () => {
    const simulator = newSimulator({ production: false })
    expect(() => simulator.sandbox('shop', { environment: 'production' })).toThrow(
      'environment must be staging here; paysim start --production serves production.',
    )
  })
})
