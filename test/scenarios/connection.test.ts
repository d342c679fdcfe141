import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/server/http/app.ts'
import { listen } from '../../src/server/http/listen.ts'
import {
  arrivingUnder,
  CONNECTION_FAULT_KINDS,
  isSlow,
  lastingOf,
} from '../../src/spec/contract/connection-fault.ts'
import { parts, rawRequest } from '../contract/socket.ts'
import { ORDER } from '../order.ts'
import { start } from './start.ts'

async function serve() {
  const started = start()
  const { url } = await started.simulator.listen()
  const request = (sim: string, call = 'POST /v1/checkouts', body: unknown = ORDER) =>
    rawRequest(url, `${call}\nX-Sim: ${sim}\nIdempotency-Key: k`, body)
  return {
    ...started,
    url,
    request,
    count: () => started.sandbox.committedStore().checkouts.list({ limit: 10 }).data.length,
  }
}

describe('over a raw socket', () => {
  test('reset sends a RST before the operation', async () => {
    const { request, count, journal } = await serve()
    const { ended, received } = request('fault=reset')
    expect(await ended).toBe('ECONNRESET')
    expect(received()).toBe('')
    expect(count()).toBe(0)
    expect(journal()[0]).toMatchObject({
      step: 'behaviors',
      status: null,
      answered: { body: '' },
      fault: 'reset',
    })
  })

  test('reset after the commit sends a RST, and the operation has its effects', async () => {
    const { request, call, count, journal } = await serve()
    const { ended, received } = request('fault=reset; at=after-commit')
    expect(await ended).toBe('ECONNRESET')
    expect(received()).toBe('')
    expect(count()).toBe(1)
    expect(journal()[0]).toMatchObject({ step: 'commit', status: 201, fault: 'reset' })

    const again = await call('POST /v1/checkouts', { json: ORDER, key: 'k' })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(journal()[0]?.answered?.body)
    expect(count()).toBe(1)
  })

  // Node encodes the head and a text body together, in the encoding of the text.
  test.each(['/v1/checkouts', '/v1/checkouts?orderId=a.b'])(
    'a header for %s is sent as Latin-1',
    async (path) => {
      const { sandbox, url } = await serve()
      const respond = { status: 200, json: { name: 'Ł' }, headers: { 'x-name': 'Zoë' } }
      sandbox.behaviors.armed.arm([{ do: { respond } }])
      const { until } = rawRequest(url, `GET ${path}`)
      const { head, body } = parts(await until('}'))
      expect(head).toContain('x-name: zoë\r\n')
      expect(body).toBe(Buffer.from('{"name":"Ł"}').toString('latin1'))
    },
  )

  test('close sends a FIN without a byte', async () => {
    const { request, count } = await serve()
    const { ended, received } = request('fault=close')
    expect(await ended).toBe('closed')
    expect(received()).toBe('')
    expect(count()).toBe(0)
  })

  test('hang sends nothing until the client gives up', async () => {
    const { request, url, journal, simulator } = await serve()
    const hanging = request('fault=hang; at=after-commit')
    while (journal()[0]?.answeredAt == null) await new Promise(setImmediate)
    expect(journal()[0]).toMatchObject({ status: 201, fault: 'hang' })

    // Meanwhile another connection is served completely.
    const socket = rawRequest(url, 'GET /v1/checkouts')
    await socket.until('"nextCursor"')
    socket.giveUp()
    expect(hanging.received()).toBe('')
    hanging.giveUp()
    await simulator.close()
  })

  test('a closing simulator does not wait for a hanging connection', async () => {
    const { request, journal, simulator } = await serve()
    const hanging = request('fault=hang')
    while (journal()[0]?.answeredAt == null) await new Promise(setImmediate)
    await simulator.close()
    expect(await hanging.ended).toBe('closed')
  })

  test('truncate sends half of the announced length', async () => {
    const { request, journal, count } = await serve()
    const { ended, received } = request('fault=truncate')
    expect(await ended).toBe('closed')
    const { head, body } = parts(received())
    const whole = journal()[0]?.answered?.body ?? ''
    expect(head).toMatch(/^http\/1\.1 201 created\r\n/)
    expect(head).toContain(`content-length: ${whole.length}`)
    expect(head).toContain('content-type: application/json')
    expect(body).toBe(whole.slice(0, Math.ceil(whole.length / 2)))
    expect(count()).toBe(1)
  })

  test('bad-json has the right length and invalid content', async () => {
    const { request } = await serve()
    const connection = request('fault=bad-json')
    const { head, body } = parts(await connection.until('null,'))
    connection.giveUp()
    expect(head).toMatch(/^http\/1\.1 201 created\r\n/)
    expect(head).toContain(`content-length: ${body.length}`)
    expect(() => JSON.parse(body)).toThrow()
  })

  test('bad-chunk sends one valid chunk, then bytes that are not HTTP', async () => {
    const { request, journal } = await serve()
    const { ended, received } = request('fault=bad-chunk')
    expect(await ended).toBe('closed')
    const { head, body } = parts(received())
    const half = Math.ceil((journal()[0]?.answered?.body ?? '').length / 2)
    expect(head).toContain('transfer-encoding: chunked')
    expect(head).not.toContain('content-length')
    expect(body).toMatch(new RegExp(`^${half.toString(16)}\\r\\n{"id":"chk_`))
    expect(body).toMatch(/\r\nthis is not the length of a chunk\r\n$/)
  })

  test('drip sends the right response in pieces', async () => {
    const { request, url, journal } = await serve()
    const connection = request('fault=drip; over=100ms')
    const first = await connection.until('{')
    const socket = rawRequest(url, 'GET /v1/checkouts')
    await socket.until('"nextCursor"')
    const whole = await connection.until('"canceledAt":null}')
    connection.giveUp()
    socket.giveUp()
    expect(first.length).toBeLessThan(whole.length)
    expect(parts(whole).body).toBe(journal()[0]?.answered?.body)
    expect(parts(whole).head).toContain(`content-length: ${parts(whole).body.length}`)
  })

  test.each(CONNECTION_FAULT_KINDS.filter((kind) => lastingOf(kind) !== 'patience'))(
    'the server survives %s of a HEAD, and serves the next connection',
    async (kind) => {
      const { url } = await serve()
      const fault = isSlow(kind) ? `${kind}; over=10ms` : kind
      const head = rawRequest(url, `HEAD /v1/checkouts\nX-Sim: fault=${fault}\nConnection: close`)
      await head.ended
      const next = rawRequest(url, 'GET /v1/checkouts')
      await next.until('"nextCursor"')
      next.giveUp()
    },
  )
})

test('a client that disconnects during its request is not logged as a bug', async () => {
  const bugs: unknown[] = []
  const answer = async () => ({ status: 200, headers: {}, body: '{}' })
  const logBug = (cause: unknown) => bugs.push(cause)
  const app = createApp({ answer, lazyRoutes: [], requireReady() {}, logBug })
  const { url, close } = await listen(app, { port: 0, host: '127.0.0.1' }, logBug)
  const half = rawRequest(url, 'POST /v1/checkouts\nContent-Type: application/json\nContent-Length: 100')
  const whole = rawRequest(url, 'GET /v1/checkouts')
  await whole.until('{}')
  half.giveUp()
  whole.giveUp()
  await close()
  expect(bugs).toEqual([])
})

describe('without a socket', () => {
  const cutting = CONNECTION_FAULT_KINDS.filter(
    (kind) => arrivingUnder(kind) === 'damaged' && kind !== 'bad-json',
  )
  test.each(cutting)('%s returns a status, and its body rejects', async (kind) => {
    const { send } = start()
    const response = await send('POST /v1/checkouts', { json: ORDER, sim: `fault=${kind}` })
    expect(response.status).toBe(201)
    await expect(response.text()).rejects.toMatchObject({ name: 'ConnectionError', kind })
  })

  test('bad-json returns a normal response with invalid JSON', async () => {
    const { send } = start()
    const response = await send('POST /v1/checkouts', { json: ORDER, sim: 'fault=bad-json' })
    expect(response.status).toBe(201)
    await expect(response.json()).rejects.toThrow(SyntaxError)
  })

  test('drip returns the whole response', async () => {
    const { call, journal } = start()
    const { status, text } = await call('POST /v1/checkouts', {
      json: ORDER,
      sim: 'fault=drip; over=20ms',
    })
    expect({ status, text }).toEqual({ status: 201, text: journal()[0]?.answered?.body })
  })
})
