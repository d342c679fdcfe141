/** A platform behind `paysim shadow`, and its traffic as a HAR file: what it sees, what is said, and what is learned. */
import { EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSimulator, type Sandbox } from '../../src/index.ts'
import type { IdPair } from '../../src/pages/dashboard/real-service.ts'
import { changedKeys, type ProfileChanges } from '../../src/spec/contract/profile.ts'
import { learnFromHar } from '../../src/tools/commands/learn.ts'
import { Lifetime } from '../../src/tools/commands/lifetime.ts'
import { parseProfile } from '../../src/tools/commands/profile.ts'
import { Mirror } from '../../src/tools/shadow/mirror.ts'
import { openMirrorSandbox } from '../../src/tools/shadow/mirror-sandbox.ts'
import { ShadowList } from '../../src/tools/shadow/shadow-list.ts'
import { ORDER, OTHER_WORDS } from '../contract/different-profile.ts'
import { leftovers } from '../leftovers.ts'
import { served } from '../served.ts'
import { FREE_PORTS, openedShadow } from './opened-shadow.ts'

interface Answered {
  id: string
  after: string
  items: { id: string }[]
}

const JSON_SENT = { 'content-type': 'application/json' }

interface Entry {
  request: object
  response: object
}

/** A platform that speaks as the service with the secret profile does. */
async function traffic(base: string, shop: Sandbox): Promise<Entry[]> {
  const entries: Entry[] = []
  async function send(call: string, body?: object, key?: string): Promise<Answered> {
    const [method = '', path = ''] = call.split(' ')
    const headers = {
      'x-api-key': shop.apiKey,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    }
    const text = body && JSON.stringify(body)
    const answer = await fetch(`${base}${path}`, { method, headers, ...(text && { body: text }) })
    const content = await answer.text()
    const named = (all: Iterable<[string, string]>) => [...all].map(([name, value]) => ({ name, value }))
    entries.push({
      request: {
        method,
        url: `${base}${path}`,
        headers: named(Object.entries(headers)),
        ...(text && { postData: { text } }),
      },
      response: { status: answer.status, headers: named(answer.headers), content: { text: content } },
    })
    return JSON.parse(content)
  }
  const order = (orderId: string) => ({ ...ORDER, orderId, externalId: `b-${orderId}` })
  const first = await send('POST /v1/checkouts', order('1'), 'k-1')
  await send('POST /v1/checkouts', order('1'), 'k-1')
  const second = await send('POST /v1/checkouts', order('2'))
  const third = await send('POST /v1/checkouts', order('3'))
  shop.buyer.approve(first.id)
  await send(`GET /v1/checkouts/${first.id}`)
  await send(`POST /v1/checkouts/${first.id}/confirm`)
  await send(`POST /v1/checkouts/${first.id}/confirm`)
  await send(`POST /v1/checkouts/${second.id}/confirm`)
  await send(`POST /v1/checkouts/${third.id}/cancel`)
  await send(`POST /v1/checkouts/${third.id}/cancel`)
  const refund = await send(`POST /v1/checkouts/${first.id}/refunds`, { amount: 1 })
  await send(`POST /v1/checkouts/${second.id}/refunds`, { amount: 1 })
  await shop.clock.advance('1m')
  await send(`GET /v1/refunds/${refund.id}/status`)
  const held = await send('POST /v1/authorizations', { externalId: 'b-1', amount: 5 })
  const other = await send('POST /v1/authorizations', { externalId: 'b-2', amount: 5 })
  await send(`POST /v1/authorizations/${held.id}/capture`)
  await send(`POST /v1/authorizations/${other.id}/void`)
  await send('POST /v1/checkouts', { ...order('4'), externalId: undefined })
  await send('POST /v1/checkouts', { ...order('4'), amount: undefined })
  await send('GET /v1/checkouts/none')
  await send('POST /v1/authorizations/none/capture')
  await send('GET /v1/checkouts')
  const page = await send('GET /v1/checkouts?page_size=1')
  await send(`GET /v1/checkouts?page_size=1&after=${page.after}`)
  const events = await send('GET /v1/notifications')
  await send(`GET /v1/notifications/${events.items[0]!.id}`)
  return entries
}

/** The names of headers are the same in upper and lower case. */
const comparable = (key: string, value: unknown) =>
  JSON.stringify(/header/i.test(key) && typeof value === 'string' ? value.toLowerCase() : value)

function judged(learned: ProfileChanges) {
  const wanted = new Map(changedKeys(OTHER_WORDS).map(({ key, value }) => [key, comparable(key, value)]))
  const keys = changedKeys(learned).map(({ key, value }) => ({ key, value: comparable(key, value) }))
  return {
    wrong: keys.filter(({ key, value }) => wanted.get(key) !== value),
    missing: [...wanted.keys()].filter((key) => !keys.some((one) => one.key === key)),
  }
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'learn-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

function openService(): { service: ReturnType<typeof createSimulator>; shop: Sandbox } {
  const service = createSimulator({ profile: OTHER_WORDS })
  onTestFinished(() => service.close())
  return { service, shop: service.sandbox('default') }
}

/** What this file reads of a report in JSON. */
interface Report {
  count: number
  keys: object[]
  requests: {
    theirs: number
    ours: number
    ids: object[]
    differences: { path: string; mendedBy?: { key: string } }[]
  }[]
  groups: { sentence: string; times: number }[]
}

/** They are others in the answer to each request. */
const COUNTED = ['date', 'ratelimit-remaining', 'ratelimit-reset', 'x-sim-request']

async function answerTo(address: string, { apiKey }: Sandbox) {
  const { status, headers, body } = await fetch(address, { headers: { 'x-api-key': apiKey } })
  const others = [...headers].filter(([name]) => !COUNTED.includes(name))
  return { status, headers: Object.fromEntries(others), text: await new Response(body).text() }
}

/** What no platform sees without its webhooks, or without a fault. */
const UNSEEN = [
  'errors.names.500',
  'webhooks.signature.scheme',
  'webhooks.signature.header',
  'webhooks.signature.idHeader',
  'webhooks.signature.timestampHeader',
]

/** Undefined is what no key says: what the service did without a request. */
const MENDING = [
  'answers.created',
  'answers.fields.checkout',
  'answers.fields.refund',
  'errors.names.400',
  'errors.names.404',
  'errors.names.409',
  'errors.texts.alreadyInState',
  'errors.texts.missingField',
  'errors.texts.notFound',
  'idempotency.replayHeader',
  'lists.hasMore',
  'lists.items',
  'lists.nextCursor',
  'paths.events.get',
  'paths.events.list',
  'paths.refunds.get',
  'states.authorization.authorized',
  'states.authorization.captured',
  'states.authorization.voided',
  'states.checkout.canceled',
  'states.checkout.confirmed',
  'states.checkout.pending',
  'states.refund.pending',
  undefined,
]

describe('shadow in front of a service with other words', () => {
  const lines: string[] = []
  let shop: Sandbox
  let sent: number
  let learned: string
  let json: string
  let html: string
  let report: Report
  const passed: { through: object; straight: object }[] = []

  beforeAll(async () => {
    const service = createSimulator({ profile: OTHER_WORDS })
    shop = service.sandbox('default')
    const { url } = await service.listen()
    const place = await mkdtemp(join(tmpdir(), 'learn-'))
    const [toJson, toHtml, learn] = ['report.json', 'report.html', 'learned.yaml'].map((name) =>
      join(place, name),
    ) as [string, string, string]
    const reports = [`json=${toJson}`, `html=${toHtml}`]
    const shadow = await openedShadow({ ...FREE_PORTS, target: url, reports, learn }, (line) =>
      lines.push(line),
    )
    sent = (await traffic(shadow.url, shop)).length + 2
    for (const path of ['/v1/checkouts/none', '/v1/checkouts?page_size=2'])
      passed.push({
        through: await answerTo(shadow.url + path, shop),
        straight: await answerTo(url + path, shop),
      })
    await shadow.close()
    await service.close()
    ;[learned, json, html] = (await Promise.all(
      [learn, toJson, toHtml].map((path) => readFile(path, 'utf8')),
    )) as [string, string, string]
    report = JSON.parse(json)
    await rm(place, { recursive: true })
  })

  test('answers are passed on unchanged', () => {
    for (const { through, straight } of passed) expect(through).toEqual(straight)
    expect(passed).toHaveLength(2)
  })

  test('each key that a platform can see is learned, none of them wrong', () => {
    expect(judged(parseProfile(learned, 'learned.yaml'))).toEqual({ wrong: [], missing: UNSEEN })
    expect(report.keys).toContainEqual(expect.objectContaining({ key: 'answers.created', value: 200 }))
  })

  test('the report has every request, with where it parts and what would mend that', () => {
    const { requests, count } = report
    expect([requests.length, count]).toEqual([sent, sent])
    expect(requests[0]).toMatchObject({ call: 'POST /v1/checkouts', theirs: 200, ours: 201 })
    expect(requests[0]!.differences).toContainEqual({
      path: '$.status',
      kind: 'value',
      theirs: '"OPEN"',
      ours: '"pending"',
      sentence: '$.status is "OPEN" there, and "pending" here',
      mendedBy: { key: 'states.checkout.pending', value: 'OPEN' },
    })
  })

  test('ids are paired, so they are no difference', () => {
    const [{ differences, ids }] = report.requests as [Report['requests'][0]]
    expect(differences.filter(({ path }) => path === '$.id')).toEqual([])
    expect(ids).toEqual([{ theirs: expect.stringMatching(/^pay-/), ours: expect.stringMatching(/^chk_/) }])
  })

  test('the key that would mend it stands beside nearly every difference', () => {
    const differences = report.requests.flatMap((one) => one.differences)
    expect([...new Set(differences.map(({ mendedBy }) => mendedBy?.key))].sort()).toEqual(MENDING)
  })

  const created = 'the status is 200 there, and 201 here'

  test('what many answers repeat is printed once as it happens, and once in the end', () => {
    expect(lines).toContain('    $.status is "OPEN" there, and "pending" here')
    expect(lines.filter((line) => line === `    ${created}`)).toHaveLength(1)
    const inTheEnd = lines.findIndex((line) =>
      /^ {2}the status is 200 there, and 201 here, \d+ times, first in request 1, POST \/v1\/checkouts/.test(
        line,
      ),
    )
    expect(lines[inTheEnd + 1]).toBe('    answers.created: 200')
  })

  test('the groups of the report count each difference once', () => {
    const { groups, requests } = report
    expect(groups.find(({ sentence }) => sentence === created)).toMatchObject({
      first: 'request 1, POST /v1/checkouts',
      mendedBy: { key: 'answers.created' },
      times: requests.filter(({ theirs, ours }) => theirs === 200 && ours === 201).length,
    })
    const shownTimes = groups.reduce((sum, { times }) => sum + times, 0)
    expect(shownTimes).toBe(requests.flatMap(({ differences }) => differences).length)
  })

  test('the page shows differences and what mends them', () => {
    expect(leftovers(html)).toEqual([])
    expect(html).toContain('$.status is &quot;OPEN&quot; there, and &quot;pending&quot; here')
    expect(html).toContain('states.checkout.pending: &quot;OPEN&quot;')
  })

  test('the API key is in none of it', () => {
    for (const written of [learned, json, html, lines.join()]) expect(written).not.toContain(shop.apiKey)
  })
})

test('a key that is also in an address, a body or an answer is hidden there, and in the journal of the sandbox', async () => {
  const key = 'sk_secret_0123456789'
  const service = createSimulator({ apiKey: key })
  onTestFinished(() => service.close())
  const { url } = await service.listen()
  const lines: string[] = []
  const shadow = await openedShadow({ ...FREE_PORTS, target: url }, (line) => lines.push(line))
  const headers = { 'x-api-key': key, 'content-type': 'application/json', cookie: 'session=abcdef0123' }
  const order = JSON.stringify({ ...ORDER, orderId: key })
  const made = await fetch(`${shadow.url}/v1/checkouts?key=${key}`, { method: 'POST', headers, body: order })
  expect((await made.json()) as object).toMatchObject({ orderId: key })
  await shadow.played()
  const pages = ['', '/requests/req_1'].map(async (path) => {
    const page = await fetch(new URL(`/_sim/ui${path}`, shadow.dashboard))
    expect(page.status).toBe(200)
    return page.text()
  })
  const shown = [...lines, ...(await Promise.all(pages))].join()
  await shadow.close()
  expect(shown).toContain('••••')
  expect(shown).not.toContain(key)
  expect(shown).not.toContain('abcdef0123')
})

test('parts of secrets are hidden in the terminal, the reports and the dashboard: in addresses, bodies and answers', async () => {
  const parts = {
    bearer: 'tok-Bearer-1',
    user: 'sk_basic_user',
    password: 'pass/word+1',
    cookie: 'c00kie-value',
    session: 's3ssion-value',
    csrf: 'csrf-value-1',
    inQuery: 'query-token-1',
  }
  const basic = Buffer.from(`${parts.user}:${parts.password}`).toString('base64')
  const said = Object.values(parts)
  const target = await served((_, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'set-cookie': `s=${parts.session}; Path=/`,
    })
    response.end(JSON.stringify({ id: said.join(' ') }))
  })
  const place = await folder()
  const [json, html] = [join(place, 'r.json'), join(place, 'r.html')]
  const lines: string[] = []
  const shadow = await openedShadow(
    { ...FREE_PORTS, target, reports: [`json=${json}`, `html=${html}`] },
    (line) => lines.push(line),
  )
  const ask = (headers: Record<string, string>) =>
    fetch(
      `${shadow.url}/v1/customers/${said.map(encodeURIComponent).join('%20')}?access_token=${parts.inQuery}`,
      { method: 'POST', headers: { ...headers, 'x-csrf-token': parts.csrf }, body: JSON.stringify(said) },
    )
  await ask({ authorization: `Bearer ${parts.bearer}`, cookie: `theme=dark; sid=${parts.cookie}` })
  await ask({ authorization: `Basic ${basic}`, cookie: `sid=${parts.cookie}` })
  await shadow.played()
  const page = await fetch(new URL('/_sim/ui/requests/req_2', shadow.dashboard))
  const shown = await page.text()
  await shadow.close()
  const [report, document] = await Promise.all([readFile(json, 'utf8'), readFile(html, 'utf8')])
  // The first request has the Basic credentials in its address, when nothing has said yet that they are secret.
  const first = [...lines, report, document].join('\n')
  for (const part of [parts.bearer, parts.cookie, parts.session, parts.csrf, parts.inQuery]) {
    expect(first).not.toContain(part)
    expect(shown).not.toContain(part)
  }
  for (const part of [parts.user, parts.password, encodeURIComponent(parts.password)])
    expect(shown).not.toContain(part)
})

test('a service that does not answer, a port that is taken and a wrong report are said', async () => {
  const taken = createSimulator()
  onTestFinished(() => taken.close())
  const port = Number(new URL((await taken.listen()).url).port)
  const lines: string[] = []
  const out = (line: string) => lines.push(line)
  const target = 'http://127.0.0.1:1'
  const shadow = await openedShadow({ ...FREE_PORTS, target }, out)
  await expect(fetch(`${shadow.url}/v1/checkouts`)).rejects.toThrow()
  await shadow.close()
  expect(lines).toEqual([
    '! GET /v1/checkouts: no answer, connect ECONNREFUSED 127.0.0.1:1',
    '0 of 0 requests differ',
  ])
  await expect(openedShadow({ target, port, dashboardPort: 0 }, out)).rejects.toThrow(
    `Port ${port} is taken; --port 0 takes a free one.`,
  )
  await expect(openedShadow({ target, port: 0, dashboardPort: port }, out)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken by another paysim; --dashboard-port 0 takes a free one.`,
  )
  await expect(openedShadow({ ...FREE_PORTS, target, reports: ['junit=x.xml'] }, out)).rejects.toThrow(
    '--report must be json=FILE or html=FILE, not "junit=x.xml".',
  )
})

/** A service that does what no paysim does, by the path that it is asked for. */
async function oddService() {
  const asked: { method: string; length: string | undefined; encoding: string | undefined }[] = []
  const silent = new EventEmitter()
  const [isAsked, isLeft] = [once(silent, 'asked'), once(silent, 'left')]
  const page = JSON.stringify({ data: [], hasMore: false, nextCursor: null })
  const address = await served(async (request, response) => {
    const { method = '', headers, url = '' } = request
    await buffer(request)
    asked.push({ method, length: headers['content-length'], encoding: headers['transfer-encoding'] })
    const [, how = ''] = url.split('?')
    const begin = (more = {}) => response.writeHead(200, { 'content-type': 'application/json', ...more })
    if (how === 'silent') {
      response.once('close', () => silent.emit('left'))
      return void silent.emit('asked')
    }
    if (how === 'half') {
      return void begin({ 'content-length': 1000 }).write('{"data":', () => response.destroy())
    }
    if (how === 'gzip') return void begin({ 'content-encoding': 'gzip' }).end(gzipSync(page))
    if (how === 'br') return void begin({ 'content-encoding': 'br' }).end(brotliCompressSync(page))
    if (how === 'no-gzip') return void begin({ 'content-encoding': 'gzip' }).end(page)
    if (how === 'bomb') return void begin({ 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 ** 22)))
    if (how === 'large') return void begin().end(Buffer.alloc(2 ** 22, ' '))
    begin().end(page)
  })
  return { asked, isAsked, isLeft, url: address }
}

test('an answer that is compressed is compared, and one that is broken, too long or not waited for is said', async () => {
  const { url, isAsked, isLeft, asked } = await oddService()
  const lines: string[] = []
  const shadow = await openedShadow({ ...FREE_PORTS, target: url }, (line) => lines.push(line))
  const bytesOf = async (how: string) => (await fetch(`${shadow.url}/v1/customers?${how}`)).arrayBuffer()
  for (const how of ['gzip', 'br']) await bytesOf(how)
  await expect(bytesOf('no-gzip')).rejects.toThrow()
  await expect(bytesOf('half')).rejects.toThrow()
  expect([(await bytesOf('large')).byteLength, (await bytesOf('bomb')).byteLength]).toEqual([
    2 ** 22,
    2 ** 22,
  ])
  const leaving = new AbortController()
  const [key, how] = ['sk_secret_0123456789', 'silent']
  const left = fetch(`${shadow.url}/v1/customers/${key}?${how}`, {
    headers: { 'x-api-key': key },
    signal: leaving.signal,
  })
  left.catch(() => {})
  await isAsked
  leaving.abort()
  await isLeft
  await fetch(`${shadow.url}/v1/checkouts/x/confirm`, { method: 'POST' })
  expect(asked.at(-1)).toEqual({ method: 'POST', length: '0', encoding: undefined })

  // It ends also while the service is silent.
  const silent = await oddService()
  const other = await openedShadow({ ...FREE_PORTS, target: silent.url }, (line) => lines.push(line))
  fetch(`${other.url}/v1/customers?silent`).catch(() => {})
  await silent.isAsked
  await other.close()
  await silent.isLeft
  await shadow.close()
  const broken = lines.filter((line) => line.startsWith('!'))
  expect(broken.sort()).toEqual([
    '! GET /v1/customers/••••?silent: the app did not wait for the answer',
    '! GET /v1/customers?bomb: the answer has more than 1 MB, so it is not compared',
    '! GET /v1/customers?half: the answer broke off, aborted',
    '! GET /v1/customers?large: the answer has more than 1 MB, so it is not compared',
    '! GET /v1/customers?no-gzip: the answer is not gzip, as its Content-Encoding says',
    '! GET /v1/customers?silent: it was not answered yet',
  ])
  expect(lines).toEqual(
    expect.arrayContaining(['= GET /v1/customers?gzip: 200', '= GET /v1/customers?br: 200']),
  )
})

test('items of lists are compared wherever they stand; what one side lacks is said, and what was there before is a note', async () => {
  const service = createSimulator()
  onTestFinished(() => service.close())
  const { url } = await service.listen()
  const shop = service.sandbox('default')
  const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json' }
  const create = (base: string, orderId: string) =>
    fetch(`${base}/v1/checkouts`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...ORDER, orderId, externalId: orderId }),
    })
  await create(url, 'before')
  const lines: string[] = []
  const shadow = await openedShadow({ ...FREE_PORTS, target: url }, (line) => lines.push(line))
  const { id } = (await (await create(shadow.url, 'first')).json()) as { id: string }
  await create(shadow.url, 'second')
  shop.buyer.approve(id)
  const list = async (path: string) => {
    await shadow.played()
    lines.length = 0
    await fetch(shadow.url + path, { headers })
    await shadow.played()
    return lines.map((line) => line.replaceAll(/(chk|evt)_\w+/g, '$1'))
  }
  const before = '    (not made through the proxy: 1 item of $.data there)'
  // Newest first, so the changed one is the second.
  const [verdict, ...changed] = await list('/v1/checkouts')
  expect(verdict).toBe('≠ GET /v1/checkouts: 200')
  expect(changed).toContain('    $.data[1].status is "approved" there, and "pending" here')
  expect(changed.at(-1)).toBe(before)
  expect(changed.filter((line) => line.startsWith('    $.data[0]'))).toEqual([])
  expect(await list('/v1/checkouts?status=pending')).toEqual([
    '≠ GET /v1/checkouts?status=pending: 200',
    '    $.data has chk here, and not there',
    before,
  ])
  expect(await list('/v1/checkouts?limit=1')).toEqual(['= GET /v1/checkouts?limit=1: 200'])
  expect(await list('/v1/events?type=checkout.created')).toEqual([
    '= GET /v1/events?type=checkout.created: 200',
    before,
  ])
  await shadow.close()
})

test('shadow with the profile of the service finds only what the service did without a request', async () => {
  const { service, shop } = openService()
  const { url } = await service.listen()
  const profile = join(await folder(), 'profile.json')
  await writeFile(profile, JSON.stringify(OTHER_WORDS))
  const lines: string[] = []
  const shadow = await openedShadow({ ...FREE_PORTS, target: url, profile }, (line) => lines.push(line))
  await traffic(shadow.url, shop)
  await shadow.close()
  const differing = lines.filter((line) => line.startsWith('≠'))
  // The approval on the page, and the refund after a minute that only the service's clock saw.
  expect(differing.map((line) => line.replace(/-[0-9A-Za-z]{32}/, ''))).toEqual([
    '≠ GET /v1/checkouts/pay: 200',
    '≠ POST /v1/checkouts/pay/confirm: 200',
    '≠ GET /v1/refunds/back/status: 200',
    '≠ GET /v1/checkouts: 200',
    '≠ GET /v1/notifications: 200',
  ])
})

test('a HAR file of the same traffic teaches the same 45 keys', async () => {
  const { service, shop } = openService()
  const { url } = await service.listen()
  const entries = await traffic(url, shop)
  const inFolder = await folder()
  const [har, out] = [join(inFolder, 'traffic.har'), join(inFolder, 'learned.yaml')]
  // As some tools of Windows write it.
  await writeFile(har, `\uFEFF${JSON.stringify({ log: { entries } })}`)
  const life = new Lifetime()
  await learnFromHar({ file: har, out }, life)
  await life.end()
  expect(judged(parseProfile(await readFile(out, 'utf8'), out))).toEqual({ wrong: [], missing: UNSEEN })
})

test('an id that is a number is paired where it is an id, and not in an amount', async () => {
  const { sandbox, close } = openMirrorSandbox()
  onTestFinished(close)
  const { paired, ids } = await new Mirror(sandbox).play({
    seenIn: 'request 1',
    asked: { method: 'POST', target: '/v1/checkouts', headers: JSON_SENT, body: JSON.stringify(ORDER) },
    theirs: {
      status: 201,
      headers: { location: '/v1/checkouts/1001' },
      body: '{"id":"1001","amount":1001.00}',
    },
  })
  const [{ theirs, ours }] = ids as [IdPair]
  expect(theirs).toBe('1001')
  expect(paired).toMatchObject({
    headers: { location: `/v1/checkouts/${ours}` },
    body: `{"id":"${ours}","amount":1001.00}`,
  })
})

test('the latest 5,000 requests are kept, and all are counted', () => {
  const list = new ShadowList('https://staging.example')
  const answer = { status: 200, headers: {}, body: '' }
  for (let number = 1; number <= 5_001; number += 1) {
    const asked = { method: 'GET', target: '/v1/checkouts', headers: {}, body: undefined }
    list.add(
      {
        ...{ number, at: 0, ...asked, differences: [], notes: [], ids: [] },
        ...{ theirs: answer, ours: { ...answer, requestId: undefined } },
      },
      { seenIn: `request ${number}`, asked, theirs: answer },
    )
  }
  expect([list.count, list.exchanges.length, list.evidence.length]).toEqual([5_001, 5_000, 5_000])
  expect([list.find(1), list.find(2)?.number, list.latest(1)[0]?.number]).toEqual([undefined, 2, 5_001])
})

test('a report that cannot be written is told when it ends, and what was learned is kept', async () => {
  const service = createSimulator({ profile: OTHER_WORDS })
  onTestFinished(() => service.close())
  const { url } = await service.listen()
  const place = await folder()
  const [gone, learn] = [join(place, 'gone'), join(place, 'learned.yaml')]
  await mkdir(gone)
  const reports = [`json=${join(gone, 'report.json')}`]
  const shadow = await openedShadow({ ...FREE_PORTS, target: url, reports, learn }, () => {})
  await traffic(shadow.url, service.sandbox('default'))
  await rm(gone, { recursive: true })
  await expect(shadow.close()).rejects.toThrow(/^The report cannot be written: ENOENT/)
  expect(await readFile(learn, 'utf8')).toContain('OPEN')
})

test('a port that is taken leaves what was learned before', async () => {
  const target = await served((_, response) => response.end())
  const learn = join(await folder(), 'learned.yaml')
  await writeFile(learn, 'answers: { created: 200 }\n')
  const port = Number(new URL(target).port)
  await expect(openedShadow({ ...FREE_PORTS, target, port, learn }, () => {})).rejects.toThrow(/is taken/)
  expect(await readFile(learn, 'utf8')).toBe('answers: { created: 200 }\n')
})

test('a token that the service gave in a body, and the app sends later, is in no report', async () => {
  const token = 'tok-1-given-in-a-body'
  const target = await served((_, response) => response.end(JSON.stringify({ note: token })))
  const place = await mkdtemp(join(tmpdir(), 'shadow-'))
  onTestFinished(() => rm(place, { recursive: true }))
  const [json, html] = ['json', 'html'].map((kind) => join(place, kind)) as [string, string]
  const lines: string[] = []
  const reports = [`json=${json}`, `html=${html}`]
  const shadow = await openedShadow({ ...FREE_PORTS, target, reports }, (line) => lines.push(line))
  await (await fetch(`${shadow.url}/v1/checkouts`)).text()
  await (await fetch(`${shadow.url}/v1/checkouts`, { headers: { 'x-auth-token': token } })).text()
  await shadow.close()
  for (const file of [json, html]) expect(await readFile(file, 'utf8')).not.toContain(token)
})
