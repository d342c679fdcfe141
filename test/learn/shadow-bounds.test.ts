/** What a service or an app may do to `paysim shadow`: it stays small, it ends, and its report is written. */
import { EventEmitter, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { ShadowList } from '../../src/tools/shadow/shadow-list.ts'
import { folder } from '../process/folder.ts'
import { served } from '../served.ts'
import { FREE_PORTS, openedShadow } from './opened-shadow.ts'

const PAGE = '{"data":[],"hasMore":false,"nextCursor":null}'
const MEGABYTE = 1024 ** 2

const answerPage = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(PAGE)

/** A shadow of a service that answers like this; `ended` closes it and reads its reports. */
async function shadowOf(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const target = await served(answer)
  const lines: string[] = []
  const place = folder()
  const files = { json: join(place, 'report.json'), html: join(place, 'report.html') }
  const reports = Object.entries(files).map((pair) => pair.join('='))
  const shadow = await openedShadow({ ...FREE_PORTS, target, reports }, (line) => lines.push(line))
  return {
    ...shadow,
    lines,
    async ended() {
      await shadow.close()
      const [json, html] = await Promise.all([readFile(files.json, 'utf8'), readFile(files.html, 'utf8')])
      return { report: JSON.parse(json), html }
    },
  }
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: shop.test\r\n\r\n`

function rawSocket(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return socket
}

test('it ends with its report after an answer that leaves HTTP', async () => {
  const shadow = await shadowOf(({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  )
  const headers = { connection: 'upgrade', upgrade: 'x' }
  const upgrading = request(`${shadow.url}/v1/checkouts`, { headers }).end()
  await once(upgrading, 'error')
  expect((await shadow.ended()).report.count).toBe(0)
  expect(shadow.lines[0]).toBe('! GET /v1/checkouts: no answer, the service left HTTP with status 101')
})

test('a service that closes a connection which it has kept breaks no request', async () => {
  const asked = new Set<unknown>()
  const shadow = await shadowOf(({ socket }, response) => {
    if (asked.has(socket)) return socket.destroy()
    asked.add(socket)
    return answerPage(response)
  })
  for (let requests = 0; requests < 3; requests += 1) {
    expect((await fetch(`${shadow.url}/v1/checkouts`)).status).toBe(200)
  }
  expect((await shadow.ended()).report.count).toBe(3)
})

test('it ends with its report where the first of two requests on one connection breaks', async () => {
  const shadow = await shadowOf((asked, response) =>
    asked.url === '/v1/customers' ? asked.socket.destroy() : answerPage(response),
  )
  const socket = rawSocket(shadow.url)
  socket.write(GET('/v1/customers') + GET('/v1/checkouts'))
  await once(socket, 'close')
  expect((await shadow.ended()).report.count).toBe(0)
  expect(shadow.lines.slice(0, 2).sort()).toEqual([
    '! GET /v1/checkouts: an answer before it on its connection broke off',
    '! GET /v1/customers: no answer, socket hang up',
  ])
})

test('it ends with its report where an app leaves that waits for two answers on one connection', async () => {
  const service = new EventEmitter()
  const asked = once(service, '/v1/customers')
  const shadow = await shadowOf(({ url }) => service.emit(url!))
  const socket = rawSocket(shadow.url)
  socket.write(GET('/v1/checkouts') + GET('/v1/customers'))
  await asked
  socket.destroy()
  expect((await shadow.ended()).report.count).toBe(0)
  expect(shadow.lines).toHaveLength(3)
})

test('it ends with its report while a tester holds a request in the sandbox, and what waits for that is bounded', async () => {
  const body = JSON.stringify({ data: ['x'.repeat(MEGABYTE - 100)] })
  const shadow = await shadowOf((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  )
  const behaviors = [{ do: { hold: 'gate' } }]
  await fetch(new URL('/_sim/behaviors', shadow.dashboard), {
    method: 'POST',
    body: JSON.stringify({ behaviors }),
    headers: { 'content-type': 'application/json' },
  })
  for (let number = 1; number <= 18; number += 1)
    await buffer((await fetch(`${shadow.url}/v1/checkouts?page=${number}`)).body!)
  expect(shadow.lines).toEqual([
    "! GET /v1/checkouts?page=17: too many answers wait for the sandbox's, so it is not compared",
    "! GET /v1/checkouts?page=18: too many answers wait for the sandbox's, so it is not compared",
  ])
  expect((await shadow.ended()).report.count).toBe(0)
  expect(shadow.lines.slice(2)).toEqual([
    '0 of 0 requests differ',
    '  16 more requests waited for the sandbox, and were not compared',
  ])
})

test('a request of many megabytes goes to the service as it comes, and is not in the report', async () => {
  const lengths: number[] = []
  const shadow = await shadowOf(async (asked, response) => {
    lengths.push((await buffer(asked)).length)
    answerPage(response)
  })
  const post = (body: Buffer) => fetch(`${shadow.url}/v1/checkouts`, { method: 'POST', body })
  expect(await (await post(Buffer.alloc(8 * MEGABYTE, 'x'))).text()).toBe(PAGE)
  await post(Buffer.alloc(MEGABYTE, 'x'))
  const { report, html } = await shadow.ended()
  expect(lengths).toEqual([8 * MEGABYTE, MEGABYTE])
  expect(shadow.lines[0]).toBe('! POST /v1/checkouts: the request has more than 1 MB, so it is not compared')
  expect(report.count).toBe(1)
  expect(html.length).toBeLessThan(3 * MEGABYTE)
})

test('what a service answers before it has the whole request goes back, and the connection serves on', async () => {
  const shadow = await shadowOf((asked, response) => {
    if (asked.method === 'GET') return answerPage(response)
    response.writeHead(413, { connection: 'close' }).end('{}')
  })
  const socket = rawSocket(shadow.url).setEncoding('utf8')
  let read = ''
  socket.on('data', (text) => {
    read += text
  })
  const head = 'POST /v1/checkouts HTTP/1.1\r\nhost: shop.test\r\n'
  socket.write(`${head}content-length: ${MEGABYTE}\r\n\r\nfirst`)
  while (!read.includes('413')) await once(socket, 'data')
  socket.write('x'.repeat(MEGABYTE - 'first'.length) + GET('/v1/checkouts'))
  while (!read.includes(PAGE)) await once(socket, 'data')
  await shadow.ended()
  expect(shadow.lines).toContain('= GET /v1/checkouts: 200')
})

test('headers of a connection are not passed on, nor trailers and their names', async () => {
  const asked: IncomingMessage[] = []
  const shadow = await shadowOf(async (request, response) => {
    asked.push(request)
    await buffer(request)
    const hop = { connection: 'keep-alive, x-hop', 'x-hop': 'theirs', trailer: 'x-sum', 'x-end': 'theirs' }
    response.writeHead(200, { 'content-type': 'application/json', ...hop })
    response.addTrailers({ 'x-sum': '1' })
    response.end(PAGE)
  })
  const headers = {
    ...{ connection: 'keep-alive, X-Hop', 'x-hop': 'ours', te: 'trailers', 'proxy-connection': 'keep-alive' },
    ...{ trailer: 'x-sum', 'transfer-encoding': 'chunked', 'x-end': 'ours' },
  }
  const asking = request(`${shadow.url}/v1/checkouts`, { method: 'POST', headers })
  asking.write('{}')
  asking.addTrailers({ 'x-sum': '1' })
  asking.end()
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  expect((await buffer(answer)).toString()).toBe(PAGE)
  for (const { headers } of [asked[0]!, answer]) {
    expect(Object.keys(headers)).toContain('x-end')
    for (const name of ['x-hop', 'te', 'trailer', 'proxy-connection'])
      expect(Object.keys(headers)).not.toContain(name)
  }
  await shadow.ended()
})

test('of the largest exchanges the oldest lose their bodies, then go; all are counted', () => {
  const list = new ShadowList('https://staging.example')
  const add = (number: number, length: number, notes: string[] = []) => {
    const answer = { status: 200, headers: {}, body: 'x'.repeat(length) }
    const asked = { method: 'POST', target: '/v1/checkouts', headers: {}, body: 'x'.repeat(length) }
    list.add(
      {
        ...{ number, at: 0, ...asked, differences: [], notes, ids: [] },
        ...{ theirs: answer, ours: { ...answer, requestId: undefined } },
      },
      { seenIn: `request ${number}`, asked, theirs: answer, ours: answer },
    )
  }
  for (let number = 1; number <= 100; number += 1) add(number, MEGABYTE)
  const bodies = list.exchanges.map(({ body }) => body?.length)
  expect([list.count, list.exchanges.length]).toEqual([100, 100])
  expect(bodies.slice(0, 90)).toEqual(Array(90).fill(undefined))
  expect(bodies.slice(90)).toEqual(Array(10).fill(MEGABYTE))
  expect(list.find(1)).toMatchObject({ bodiesForgotten: true, theirs: { status: 200, body: '' } })
  expect(list.find(100)?.bodiesForgotten).toBeUndefined()
  expect(list.evidence.map(({ seenIn }) => seenIn)[0]).toBe('request 91')
  for (let number = 101; number <= 104; number += 1) add(number, 0, ['x'.repeat(20 * MEGABYTE)])
  expect([list.count, list.exchanges.length]).toEqual([104, 3])
})
