/** Regressions: these requests got a 500 or a response of megabytes. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { arrivingUnder, CONNECTION_FAULT_KINDS } from '../../src/spec/contract/connection-fault.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { newSimulator } from '../control/shop.ts'
import { logged } from '../given.ts'
import { ORDER } from '../order.ts'
import { start } from '../scenarios/start.ts'
import { head, listening, sendRaw } from './socket.ts'

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const FORM = 'application/x-www-form-urlencoded'

describe('requests that are too large or invalid are refused', () => {
  const form = (bytes: number) => ({
    method: 'POST',
    headers: { 'content-type': FORM },
    body: `a=${'x'.repeat(bytes)}`,
  })
  const json = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })

  test.each<[string, string, RequestInit, number]>([
    ["a buyer's form of 17 KiB", '/checkout/chk_1/log-in', form(17 * 1024), 413],
    ['a form of the dashboard of 513 KiB', '/_sim/ui/do/clock.advance', form(513 * 1024), 413],
    [
      'a profile with an invalid time',
      '/_sim/sandboxes',
      json('{"profile":{"rateLimit":{"window":"soon"}}}'),
      400,
    ],
    [
      'a profile with no time at all',
      '/_sim/sandboxes',
      json('{"profile":{"rateLimit":{"window":"0s"}}}'),
      400,
    ],
    ['an expectation that is nested 5,000 deep', '/_sim/verify', json(`{"json":${nested(5_000)}}`), 400],
    ['test values nested 20,000 deep', '/_sim/sandboxes', json(`{"staging":${nested(20_000)}}`), 400],
  ])('%s', async (_, path, init, status) => {
    const { simulator } = start()
    expect((await simulator.fetch(new Request(`http://paysim.test${path}`, init))).status).toBe(status)
  })

  test('an embedded expectation that is nested too deep', async () => {
    const { simulator } = start()
    const json = JSON.parse(nested(5_000))
    await expect(simulator.sandbox('default').verify({ json })).rejects.toThrow('nested deeper')
  })

  test('a gzip body is refused, and the response names the accepted encoding', async () => {
    const { port } = await listening()
    const bytes = gzipSync(JSON.stringify(ORDER))
    const lines = [
      'content-type: application/json',
      'content-encoding: gzip',
      `content-length: ${bytes.length}`,
    ]
    const answer = await sendRaw(port, head('POST /v1/checkouts', ...lines), bytes)
    expect(answer).toMatchObject({ status: 415, headers: { 'accept-encoding': 'identity' } })
    expect(JSON.parse(answer.text)).toMatchObject({ message: 'Content-Encoding must be identity' })
  })

  test.each([
    '/_sim/sandboxes',
    '/_sim/behaviors',
    '/_sim/ui/do/clock.advance',
    '/_sim/ui/log-in',
    '/checkout/chk_1/log-in',
  ])('the same outside /v1: %s', async (path) => {
    const { simulator } = start()
    const answer = await simulator.fetch(
      new Request(`http://paysim.test${path}`, {
        method: path.includes('snapshots') ? 'PUT' : 'POST',
        headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
        body: gzipSync('a=b'),
      }),
    )
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(await answer.text()).toContain('Content-Encoding must be identity')
  })
})

test.each([
  ['/_sim', 'DELETE, GET, HEAD, POST, PUT'],
  ['/_sim/ui', 'DELETE, GET, HEAD, POST, PUT'],
  ['/checkout/chk_1', 'DELETE, GET, HEAD, POST, PUT'],
  ['/openapi.json', 'GET, HEAD'],
])('TRACE %s is refused', async (path, allow) => {
  const { port } = await listening()
  const { status, headers } = await sendRaw(port, head(`TRACE ${path}`))
  expect([status, headers.allow]).toEqual([405, allow])
})

test.each(CONNECTION_FAULT_KINDS.filter((kind) => arrivingUnder(kind) === 'damaged'))(
  'a HEAD response has no body under the fault %s',
  async (fault) => {
    const { port, simulator } = await listening()
    simulator.sandbox('default').replaceBehaviors([{ do: { fault } }])
    expect(await sendRaw(port, head('HEAD /v1/checkouts'))).toMatchObject({ status: 200, text: '' })
  },
)

describe('a request held while its sandbox is removed', () => {
  test('gets no response, and its journal says so', async () => {
    const { simulator, internalsOf } = composeSimulator({ log: 'silent', rateLimit: 'off' })
    onTestFinished(() => simulator.close())
    const shop = simulator.create({ name: 'gone' })
    const { journal, behaviors } = internalsOf('gone')
    const entries: unknown[] = []
    journal.watch((entry) => entries.push(entry))
    shop.arm([{ do: { hold: 'gate' } }])
    const sent = simulator.fetch(
      new Request('http://paysim.test/v1/checkouts', { headers: { 'x-api-key': shop.apiKey } }),
    )
    const outcome = expect(sent).rejects.toMatchObject({ kind: 'close' })
    while (behaviors.heldRequests.size === 0) await new Promise(setImmediate)
    simulator.remove('gone')
    await outcome
    expect(entries).toMatchObject([{ status: null, fault: 'close', bug: null }])
  })

  test('sees its connection close', async () => {
    const { port, simulator } = await listening()
    const shop = simulator.create({ name: 'gone' })
    shop.arm([{ do: { hold: 'gate' } }])
    const text = `GET /v1/checkouts HTTP/1.1\r\nhost: x\r\nx-api-key: ${shop.apiKey}\r\n\r\n`
    const answer = sendRaw(port, text)
    await shop.untilHeld('gate', { within: '10s' })
    simulator.remove('gone')
    expect((await answer).status).toBeNaN()
  })
})

test.each(['/_sim/reset', '/_sim/ui/log-in', '/checkout/chk_1/log-in', '/v1/checkouts'])(
  'a client that disconnects while sending its body logs no error: %s',
  async (path) => {
    const errors = logged(/"level":"error"/)
    const simulator = newSimulator({ log: 'json', rateLimit: 'off' })
    const port = Number(new URL((await simulator.listen()).url).port)
    await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()
    const socket = connect(port, '127.0.0.1')
    const lines = [
      `content-type: ${path === '/v1/checkouts' ? 'application/json' : FORM}`,
      'content-length: 1000',
    ]
    socket.write(`${head(`POST ${path}`, ...lines)}{"a":`)
    await once(socket, 'connect')
    await (await fetch(`http://127.0.0.1:${port}/healthz`)).arrayBuffer()
    socket.resetAndDestroy()
    await once(socket, 'close')
    for (let turn = 0; turn < 5; turn += 1)
      await (await fetch(`http://127.0.0.1:${port}/healthz`)).arrayBuffer()
    expect(errors).toEqual([])
  },
)

describe('an error message quotes at most a hundred characters', () => {
  const long = 'x'.repeat(1_000_000)
  test.each<[string, string, object]>([
    ['a value', '/_sim/sandboxes', { name: long }],
    ['a key', '/_sim/sandboxes', { [long]: 1 }],
    ['a fixture', '/_sim/sandboxes', { from: { fixture: { customers: [{ externalId: long }] } } }],
    ['an operation', '/_sim/verify', { op: long }],
    ['a duration', '/_sim/clock', { advance: long }],
    ['a scenario', '/_sim/behaviors', { name: 'n', behaviors: [{ do: { fault: long.slice(0, 200_000) } }] }],
    ['a key of a scenario', '/_sim/behaviors', { name: 'n', [long.slice(0, 200_000)]: 1 }],
  ])('%s', async (_, path, body) => {
    const { simulator } = start()
    const answer = await simulator.fetch(
      new Request(`http://paysim.test${path}`, { method: 'POST', body: JSON.stringify(body) }),
    )
    expect(answer.status).toBeGreaterThanOrEqual(400)
    const { message } = (await answer.json()) as { message: string }
    expect(message.length).toBeLessThan(1_000)
  })

  test('an expectation that is not met', async () => {
    const { simulator, call } = start()
    await call('POST /v1/customers', { json: { externalId: 'a', name: 'b' } })
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field-${index}`, 1]))
    for (const json of [{ externalId: long }, { [long]: 1 }, { ...many }, { externalId: { ...many } }]) {
      const answer = await simulator.fetch(
        new Request('http://paysim.test/_sim/verify', { method: 'POST', body: JSON.stringify({ json }) }),
      )
      expect(answer.status).toBe(424)
      expect((await answer.text()).length).toBeLessThan(10_000)
    }
  })
})
