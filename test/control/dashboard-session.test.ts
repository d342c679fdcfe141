/** Access to the dashboard of a simulator with an admin token. */
import { afterAll, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'

const UI = 'http://localhost:4600/_sim/ui'
const opened: Simulator[] = []
afterAll(() => Promise.all(opened.map((simulator) => simulator.close())))

function start(adminToken?: string): Simulator {
  const simulator = createSimulator({ adminToken })
  opened.push(simulator)
  return simulator
}

const logIn = (simulator: Simulator, adminToken: string, headers: Record<string, string> = {}) =>
  simulator.fetch(
    new Request(`${UI}/log-in`, { method: 'POST', headers, body: new URLSearchParams({ adminToken }) }),
  )

const open = async (simulator: Simulator, cookie: string) =>
  (await simulator.fetch(new Request(UI, { headers: { cookie } }))).status

it('a session survives a restart, and ends when the admin token changes', async () => {
  const answer = await logIn(start('open sesame'), 'open sesame')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/_sim/ui'])
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!
  expect(await open(start('open sesame'), cookie)).toBe(200)
  expect(await open(start('another token'), cookie)).toBe(303)
  expect(await open(start('open sesame'), '')).toBe(303)
})

it('a wrong token starts no session, and neither does a page of another origin', async () => {
  const simulator = start('open sesame')
  for (const [answer, status] of [
    [await logIn(simulator, 'please'), 401],
    [await logIn(simulator, 'open sesame', { origin: 'http://elsewhere.test' }), 403],
    [await logIn(simulator, 'open sesame', { origin: 'null' }), 403],
    [await logIn(simulator, 'open sesame', { origin: 'http://localhost:4600' }), 303],
  ] as const) {
    expect(answer.status).toBe(status)
    expect(answer.headers.get('set-cookie')).toEqual(status === 303 ? expect.any(String) : null)
  }
})

it('the root address leads to the dashboard', async () => {
  const answer = await start().fetch(
    new Request('http://localhost:4600/', { headers: { accept: 'text/html' } }),
  )
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/_sim/ui'])
})

it('without an admin token the dashboard needs no log-in', async () => {
  expect(await open(start(), '')).toBe(200)
  const answer = await logIn(start(), 'undefined')
  expect(answer.headers.get('set-cookie')).toBeNull()
})
