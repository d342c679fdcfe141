/** Access to the tester's API, and the addresses in responses. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'
import { sendRaw } from '../contract/socket.ts'
import { ORDER } from '../order.ts'

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

describe('the address in responses', () => {
  const latestUrl = (simulator: ReturnType<typeof open>['simulator']) => {
    const event = simulator.sandbox('default').events().at(-1) as { data: { checkoutUrl: string } }
    return event.data.checkoutUrl
  }

  test("is the platform's address, and no visitor changes it", async () => {
    const { simulator, send, createCheckout } = open()
    const { id } = await createCheckout('http://paysim.test')
    expect((await send(`http://evil.example/checkout/${id}`)).status).toBe(200)
    expect((await send('http://evil.example/v1/checkouts')).status).toBe(401)
    expect((await send('http://evil.example/_sim')).status).toBe(200)
    simulator.sandbox('default').buyer.approve(id)
    expect(latestUrl(simulator)).toBe(`http://paysim.test/checkout/${id}`)
  })

  test('is --public-url if it is set', async () => {
    const { createCheckout } = open({ publicUrl: 'https://pay.example/' })
    const { id, checkoutUrl } = await createCheckout('http://paysim.test')
    expect(checkoutUrl).toBe(`https://pay.example/checkout/${id}`)
  })

  test("is the simulator's own address before the first request of a platform", async () => {
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
    [
      'of the same origin is allowed',
      '/_sim',
      { origin: 'http://paysim.test', 'sec-fetch-site': 'same-origin' },
      200,
    ],
  ])('%s', async (_, path, headers, status) => {
    const { send } = open()
    expect((await send(`http://paysim.test${path}`, { headers })).status).toBe(status)
  })
})

describe('with an admin token', () => {
  const UI = 'http://paysim.test/_sim/ui'
  const byForm = (adminToken: string) => ({
    url: `${UI}/log-in`,
    method: 'POST',
    redirect: 'manual' as const,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ adminToken }).toString(),
  })
  const byHeader = (token: string) => ({
    url: 'http://paysim.test/_sim/clock',
    headers: { authorization: `Bearer ${token}` },
  })
  const byMcp = (token: string) => ({ ...byHeader(token), url: 'http://paysim.test/_sim/mcp' })

  /** The session cookie is signed with the token. */
  async function byCookie(token: string) {
    const { url, ...init } = byForm(token)
    const answer = await open({ adminToken: token }).send(url, init)
    return { url: UI, headers: { cookie: answer.headers.get('set-cookie')!.split(';')[0]! } }
  }

  test.each<[string, (token: string) => Promise<{ url: string }> | { url: string }, number]>([
    ['by the log-in', byForm, 401],
    ['by Authorization', byHeader, 401],
    ['by Authorization for MCP', byMcp, 401],
    ['by the cookie of a session', byCookie, 303],
  ])('a wrong one is refused %s, and the right one is not', async (_, way, refused) => {
    const { send } = open({ adminToken: 'secret' })
    const statusOf = async (token: string) => {
      const { url, ...init } = await way(token)
      const { status, headers } = await send(url, init)
      return headers.get('location')?.includes('/log-in') ? 303 : status
    }
    expect(await statusOf('wrong')).toBe(refused)
    expect(await statusOf('secret')).not.toBe(refused)
  })
})

describe('an invalid address', () => {
  test('in Host is refused by every page, and ignored by /v1', async () => {
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
