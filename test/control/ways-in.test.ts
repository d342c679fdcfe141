/** Who may steer, whose address is handed out, and how long a guess takes. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'
import { LogInAttempts } from '../../src/pages/dashboard/log-in-attempts.ts'
import { sendRaw } from '../contract/socket.ts'

const ORDER = {
  orderId: 'o',
  externalId: 'b',
  amount: 10,
  successUrl: 'https://shop.test/ok',
  cancelUrl: 'https://shop.test/no',
}

function open(options: SimulatorOptions = {}) {
  const simulator = createSimulator({
    rateLimit: 'off',
    seed: 1,
    clock: 'frozen@2026-01-01T00:00:00Z',
    ...options,
  })
  onTestFinished(() => simulator.close())
  const send = (url: string, init: RequestInit = {}) => simulator.fetch(new Request(url, init))
  async function createCheckout(origin: string): Promise<{ id: string; checkoutUrl: string }> {
    const headers = { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' }
    const answer = await send(`${origin}/v1/checkouts`, {
      method: 'POST',
      headers,
      body: JSON.stringify(ORDER),
    })
    return answer.json() as never
  }
  return { simulator, send, createCheckout }
}

describe('the address that is handed out', () => {
  const latestUrl = (simulator: ReturnType<typeof open>['simulator']) => {
    const event = simulator.sandbox('default').events().at(-1) as { data: { checkoutUrl: string } }
    return event.data.checkoutUrl
  }

  test('is that of the platform, and no visitor changes it', async () => {
    const { simulator, send, createCheckout } = open()
    const { id } = await createCheckout('http://paysim.test')
    expect((await send(`http://evil.example/checkout/${id}`)).status).toBe(200)
    expect((await send('http://evil.example/v1/checkouts')).status).toBe(401)
    expect((await send('http://evil.example/_sim')).status).toBe(200)
    simulator.sandbox('default').buyer.approve(id)
    expect(latestUrl(simulator)).toBe(`http://paysim.test/checkout/${id}`)
  })

  test('is --public-url where there is one', async () => {
    const { createCheckout } = open({ publicUrl: 'https://pay.example/' })
    const { id, checkoutUrl } = await createCheckout('http://paysim.test')
    expect(checkoutUrl).toBe(`https://pay.example/checkout/${id}`)
  })

  test('is where the simulator listens, before any platform came', async () => {
    const checkouts = [{ orderId: 'o', externalId: 'b', amount: 10 }]
    const { simulator } = open({ fixture: { checkouts } })
    const { url } = await simulator.listen()
    const shop = simulator.sandbox('default')
    const created = shop.events()[0]!.data as { id: string }
    shop.buyer.approve(created.id)
    expect(latestUrl(simulator)).toBe(`${url}/checkout/${created.id}`)
  })
})

describe('a page of another site', () => {
  test.each<[string, string, Record<string, string>, number]>([
    ['steers nothing', '/_sim', { origin: 'https://evil.example' }, 403],
    ['without Origin neither', '/_sim', { 'sec-fetch-site': 'cross-site' }, 403],
    ['nor by a link', '/_sim', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
    [
      'nor in the dashboard',
      '/_sim/ui',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      403,
    ],
    [
      'may link to the dashboard',
      '/_sim/ui',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      200,
    ],
    ['of another scheme is one, too', '/_sim', { origin: 'ftp://paysim.test' }, 403],
    ['of an extension is one, too', '/_sim', { origin: 'chrome-extension://paysim.test' }, 403],
    ['of ours is none', '/_sim', { origin: 'http://paysim.test', 'sec-fetch-site': 'same-origin' }, 200],
  ])('%s', async (_, path, headers, status) => {
    const { send } = open()
    expect((await send(`http://paysim.test${path}`, { headers })).status).toBe(status)
  })
})

describe('guessing the admin token', () => {
  const form = (adminToken: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ adminToken }).toString(),
  })

  test('has to wait after five wrong ones, and the right one has to wait as well', async () => {
    const { send } = open({ adminToken: 'secret' })
    const logIn = (token: string) => send('http://paysim.test/_sim/ui/log-in', form(token))
    for (let wrong = 0; wrong < 5; wrong += 1) expect((await logIn('guess')).status).toBe(401)
    const refused = await logIn('secret')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.text()).toContain('Try again in 1 seconds')
  })

  test('doubles the wait each time, up to five minutes, for that address alone', () => {
    let now = 0
    const attempts = new LogInAttempts(() => now)
    const waits: number[] = []
    for (let wrong = 1; wrong <= 16; wrong += 1) {
      attempts.failed('a')
      waits.push(attempts.waitSeconds('a'))
      now += attempts.waitSeconds('a') * 1_000
      expect(attempts.waitSeconds('a')).toBe(0)
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    expect(attempts.waitSeconds('b')).toBe(0)
    attempts.succeeded('a')
    attempts.failed('a')
    expect(attempts.waitSeconds('a')).toBe(0)
  })
})

describe('an address that is none', () => {
  test('in Host is refused by every page, and not believed by /v1', async () => {
    const { simulator } = open()
    const { url } = await simulator.listen()
    const port = Number(new URL(url).port)
    for (const path of ['/checkout/chk_1', '/_sim/ui', '/openapi.json', '/v1/checkouts', '/_sim']) {
      const { status } = await sendRaw(
        port,
        `GET ${path} HTTP/1.1\r\nhost: a.b.1\r\nconnection: close\r\n\r\n`,
      )
      expect([path, status]).toEqual([path, path.startsWith('/v1') ? 401 : 400])
    }
  })
})
