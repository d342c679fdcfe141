/** Access to the tester's API, the addresses in responses, and the rate limit on guesses of the token. */
import { describe, expect, test } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { tokenGuesses } from '../../src/tester/control/token-guesses.ts'
import { ORDER } from '../order.ts'
import { asPlatform, openSimulator } from './shop.ts'

function open(options: SimulatorOptions = {}) {
  const simulator = openSimulator(options)
  const send = (url: string, init: RequestInit = {}) => simulator.fetch(new Request(url, init))
  /** The platform's requests are to paysim.test. */
  const createCheckout = async (): Promise<{ id: string; checkoutUrl: string }> =>
    (await asPlatform(simulator, simulator.sandbox('default'))('POST', '/v1/checkouts', ORDER)).body
  return { simulator, send, createCheckout }
}

describe('the address in responses', () => {
  const latestUrl = (simulator: ReturnType<typeof open>['simulator']) => {
    const event = simulator.sandbox('default').events().at(-1) as { data: { checkoutUrl: string } }
    return event.data.checkoutUrl
  }

  test("is the platform's address, and no visitor changes it", async () => {
    const { simulator, send, createCheckout } = open()
    const { id } = await createCheckout()
    expect((await send(`http://evil.example/checkout/${id}`)).status).toBe(200)
    expect((await send('http://evil.example/v1/checkouts')).status).toBe(401)
    expect((await send('http://evil.example/_sim')).status).toBe(200)
    simulator.sandbox('default').buyer.approve(id)
    expect(latestUrl(simulator)).toBe(`http://paysim.test/checkout/${id}`)
  })

  test('is --public-url if it is set', async () => {
    const { createCheckout } = open({ publicUrl: 'https://pay.example/' })
    const { id, checkoutUrl } = await createCheckout()
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
    ['steers nothing, even without Origin', '/_sim', { 'sec-fetch-site': 'cross-site' }, 403],
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
  ])('%s', async (_, path, headers, status) => {
    const { send } = open()
    expect((await send(`http://paysim.test${path}`, { headers })).status).toBe(status)
  })
})

describe('guessing the admin token', () => {
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

  /** The session cookie is signed with the token, so a forged cookie is a guess of the token. */
  async function byCookie(token: string) {
    const { url, ...init } = byForm(token)
    const answer = await open({ adminToken: token }).send(url, init)
    return { url: UI, headers: { cookie: answer.headers.get('set-cookie')!.split(';')[0]! } }
  }

  function guesser() {
    const { send } = open({ adminToken: 'secret' })
    return ({ url, ...init }: { url: string } & RequestInit) => send(url, init)
  }

  const FIVE = ['a', 'b', 'c', 'd', 'e']

  test.each<[string, (token: string) => Promise<{ url: string }> | { url: string }, number, number]>([
    ['by the log-in', byForm, 401, 429],
    ['by Authorization', byHeader, 401, 429],
    ['by Authorization for MCP', byMcp, 401, 429],
    ['by the cookie of a session', byCookie, 303, 303],
  ])('%s has to wait after five wrong tokens, even with the right token', async (_, way, wrong, waits) => {
    const guess = guesser()
    const guesses = await Promise.all(FIVE.map((token) => way(token)))
    const right = await way('secret')
    const statuses = (await Promise.all(guesses.map(guess))).map(({ status }) => status)
    const refused = await guess(right)
    expect(statuses).toEqual(FIVE.map(() => wrong))
    expect(refused.status).toBe(waits)
    if (waits === 429) {
      expect(refused.headers.get('retry-after')).toBe('60')
      expect(await refused.text()).toContain('Too many wrong admin tokens. Try again in 60 seconds')
    } else expect(refused.headers.get('location')).toContain('/log-in')
  })

  test('is counted together for all ways', async () => {
    const guess = guesser()
    const guesses = [byForm('a'), byHeader('b'), byMcp('c'), await byCookie('d'), byForm('e')]
    await Promise.all(guesses.map(guess))
    expect((await guess(byHeader('secret'))).status).toBe(429)
  })

  test('in a burst of 300 reveals only five results', () => {
    const guesses = tokenGuesses({ now: () => 0 })
    const waits = Array.from({ length: 300 }, (_, count) => guesses.waitSeconds('a', `guess-${count}`, false))
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5)
  })

  test('does not include a program with an old token, or requests without a token', async () => {
    const guess = guesser()
    for (let count = 0; count < 20; count += 1) {
      expect((await guess(byHeader('old'))).status).toBe(401)
      expect((await guess({ url: 'http://paysim.test/_sim/clock' })).status).toBe(401)
    }
    expect((await guess(byHeader('secret'))).status).toBe(200)
  })

  test('can continue after a minute, and other addresses do not wait', () => {
    let now = 0
    const guesses = tokenGuesses({ now: () => now })
    for (const token of FIVE) guesses.waitSeconds('a', token, false)
    now = 20_000
    expect(guesses.waitSeconds('a', 'right', true)).toBe(40)
    expect(guesses.waitSeconds('b', 'right', true)).toBe(0)
    now = 60_000
    expect(guesses.waitSeconds('a', 'right', true)).toBe(0)
  })

  /** Sends wrong tokens, then the right one, each with the X-Forwarded-For of a proxy; returns the last status. */
  async function behindProxy(trustProxy: boolean, wrong: readonly string[], right: string) {
    const { send } = open({ adminToken: 'secret', trustProxy })
    const from = async (forwarded: string, token: string) => {
      const { url, headers } = byHeader(token)
      return (await send(url, { headers: { ...headers, 'x-forwarded-for': forwarded } })).status
    }
    for (const [place, forwarded] of wrong.entries()) expect(await from(forwarded, `${place}`)).toBe(401)
    return from(right, 'secret')
  }

  test.each<[string, boolean, string[], string, number]>([
    ['of one client locks out no other', true, FIVE.map(() => '192.0.2.7'), '192.0.2.8', 200],
    ['with invented addresses', true, FIVE.map((_, n) => `10.0.0.${n}, 192.0.2.7`), '192.0.2.7', 429],
    ['with a port', true, FIVE.map((_, n) => `192.0.2.7:${n}`), '192.0.2.7', 429],
    ['that is not trusted', false, FIVE.map((_, n) => `192.0.2.${n}`), '192.0.2.9', 429],
  ])('behind a proxy, %s', async (_, trustProxy, wrong, right, status) => {
    expect(await behindProxy(trustProxy, wrong, right)).toBe(status)
  })

  test('from thousands of addresses has one limit for all later addresses', () => {
    const guesses = tokenGuesses({ now: () => 0 })
    const guess = (client: string, token: string) => guesses.waitSeconds(client, token, false)
    for (const token of FIVE) guess('first', token)
    for (let client = 0; client < 1_000; client += 1) guess(`once-${client}`, 'a')
    for (const [index, token] of FIVE.entries()) guess(`later-${index}`, token)
    expect(guess('first', 'f')).toBe(60)
    expect(guesses.waitSeconds('new', 'right', true)).toBe(60)
    expect(guesses.waitSeconds('once-1', 'right', true)).toBe(0)
  })
})
