/** `paysim fidelity` against a second paysim with a secret profile, with each of its three sources. */
import { expect, test } from 'vitest'
import { UsageError } from '../../src/spec/options/read.ts'
import { Lifetime } from '../../src/tools/commands/lifetime.ts'
import { parseProfile } from '../../src/tools/commands/profile.ts'
import { ORDER } from '../contract/different-profile.ts'
import { leftovers } from '../leftovers.ts'
import { served } from '../served.ts'
import { API_KEY, fidelity, fileOf, openService } from './given.ts'

const SECRET = {
  ids: { prefixes: { refund: 're_', event: 'ev_' }, length: 30 },
  requests: { unknownFields: 'refuse' as const },
  answers: { created: 200 as const, currency: 'EUR' },
  lists: { items: 'items', hasMore: 'more', size: 3 },
  fields: {
    checkout: { amountRefunded: 'refunded' },
    refund: { id: 'refundId' },
    // Null in every response, as the only field of a customer with another name.
    customer: { phone: 'tel' },
    // Visible only in the items of a list.
    event: { id: 'eventId', type: 'what' },
  },
  states: { refund: { pending: 'PROCESSING' } },
  // The tour waits for two refunds.
  refunds: { delay: '0s' },
}

test('the tour ends with a score, a profile and reports, and the written profile has no more differences', async () => {
  const { url } = await openService({ profile: SECRET })
  const since = await fileOf('then.yaml', JSON.stringify({ ...SECRET, answers: { created: 200 } }))
  const first = await fidelity({ target: url, apiKey: API_KEY, since })
  expect(parseProfile(first.profile, 'out.yaml')).toEqual(SECRET)
  expect(first.report.changes).toEqual(['answers.currency changed from "USD" to "EUR"'])
  expect(first.code).toBe(1)
  expect(first.report.groups).toEqual([])
  expect(first.out).toMatch(
    /[\d,]+ of [\d,]+ observations alike; 16 keys learned, 0 differences no key explains$/,
  )
  expect(first.profile).toMatch(/^ {2}currency: EUR {2}# D11, seen \d+ times/m)
  expect(first.junit).toContain('answers.currency changed')
  expect(first.html).toMatch(/<h1>[^<;]* observations are alike<\/h1>/)
  expect(leftovers(first.html)).toEqual([])
  for (const text of [first.out, first.profile, first.json, first.html, first.junit])
    expect(text).not.toContain(API_KEY)

  const profile = await fileOf('first.yaml', first.profile)
  const second = await fidelity({ target: url, apiKey: API_KEY, profile })
  expect(second.code).toBe(0)
  expect(second.observations - second.alike).toBeLessThanOrEqual(first.observations - first.alike)
  expect(parseProfile(second.profile, 'out.yaml')).toEqual(SECRET)
})

test('nothing is learned from a service with the defaults, and the secrets in its address are not shown', async () => {
  const { url } = await openService()
  const target = `${url.replace('http://', 'http://shop:word-of-the-shop@')}/?apikey=key-of-the-shop`
  const { code, report, out, json, html } = await fidelity({ target })
  expect(report).toMatchObject({ keys: [], groups: [] })
  expect(code).toBe(0)
  expect([out, json, html].join()).not.toMatch(/(word|key)-of-the-shop/)
})

const CREDENTIALS = {
  'x-auth-token': 'token-of-the-header',
  authorization: `Basic ${btoa('shop:word-of-the-shop')}`,
}

interface Header {
  name: string
  value: string
}
interface HarEntry {
  startedDateTime: string
  request: { method: string; url: string; headers: Header[]; postData?: { text: string } }
  response: { status: number; headers: Header[]; content: { text: string } }
}

/** A platform that uses the service with the secret profile. */
async function traffic(base: string, more: object = {}) {
  const entries: HarEntry[] = []
  const send = async (call: string, body?: object, key?: string): Promise<Record<string, string>> => {
    const [method = '', path = ''] = call.split(' ')
    const headers = {
      ...CREDENTIALS,
      'x-api-key': API_KEY,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    }
    const text = body && JSON.stringify(body)
    const response = await fetch(base + path, { method, headers, ...(text && { body: text }) })
    const content = await response.text()
    const named = (all: Iterable<[string, string]>) => [...all].map(([name, value]) => ({ name, value }))
    entries.push({
      startedDateTime: new Date().toISOString(),
      request: {
        method,
        url: base + path,
        headers: named(Object.entries(headers)),
        ...(text && { postData: { text } }),
      },
      response: { status: response.status, headers: named(response.headers), content: { text: content } },
    })
    return JSON.parse(content)
  }
  for (const orderId of ['1', '2', '3', '4']) {
    const order = { ...ORDER, ...more, orderId, externalId: `b-${orderId}` }
    const { id } = await send('POST /v1/checkouts', order, `k-${orderId}`)
    await send('POST /v1/checkouts', order, `k-${orderId}`)
    await send(`POST /v1/checkouts/${id}/confirm`)
    await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
    await send(`GET /v1/checkouts/${id}`)
    await send('GET /v1/refunds')
  }
  return entries
}

const SHOWN = {
  ids: { prefixes: { refund: 're_' } },
  answers: { created: 200, currency: 'EUR' },
  states: { checkout: { pending: 'OPEN' } },
  lists: { items: 'items' },
} as const

test('a recording and a proxy produce the same score, exit code and profile, and reveal no secret', async () => {
  const { url } = await openService({ profile: SHOWN })
  const life = new Lifetime()
  const lines: string[] = []
  const proxied = fidelity({ target: url, proxy: 0 }, life, (line) => lines.push(line))
  await expect.poll(() => lines.join()).toContain('forwards everything to')
  const proxy = /http:\S+/.exec(lines[0]!)![0]
  const entries = await traffic(proxy)
  await life.end()
  const live = await proxied
  const har = await fileOf('traffic.har', JSON.stringify({ log: { entries } }))
  const offline = await fidelity({ file: har })
  const again = await fidelity({ file: await fileOf('recording.json', live.json) })

  for (const found of [live, offline, again]) {
    expect(found).toMatchObject({ code: 0, alike: offline.alike, observations: offline.observations })
    expect(parseProfile(found.profile, 'out.yaml')).toEqual(SHOWN)
    for (const text of [found.out, found.profile, found.json, found.html, found.junit])
      expect(text).not.toMatch(/token-of-the-header|word-of-the-shop|sk_of_the_real/)
  }
  expect(offline.alike).toBeGreaterThan(100)

  const profile = await fileOf('learned.yaml', offline.profile)
  const second = await fidelity({ file: har, profile })
  expect(second).toMatchObject({ code: 0, alike: second.observations, observations: offline.observations })
  expect(parseProfile(second.profile, 'out.yaml')).toEqual(SHOWN)
})

test('a recording may have the type of a body only next to the body', async () => {
  const { url } = await openService({})
  const entries = (await traffic(url)).map(({ request, response }) => ({
    request: {
      ...request,
      headers: request.headers.filter(({ name }) => name !== 'content-type'),
      ...(request.postData && { postData: { ...request.postData, mimeType: 'application/json' } }),
    },
    response,
  }))
  const har = await fileOf('traffic.har', JSON.stringify({ log: { entries } }))
  const { code, report } = await fidelity({ file: har })
  // Requests without a type would be refused here, and a key learned that accepts every type.
  expect([code, report.keys]).toEqual([0, []])
})

test('a resource of an earlier time is reported as such', async () => {
  const { url } = await openService({})
  const entries = (await traffic(url)).filter(({ request }) => request.method === 'GET')
  const har = await fileOf('traffic.har', JSON.stringify({ log: { entries } }))
  expect((await fidelity({ file: har })).out).toContain(
    'the path is answered 200 there, and of a resource that does not exist here, 4 times',
  )
})

test('a field that no value reveals is reported as unknown, and not learned', async () => {
  // Refunds that are completed in the same second have the same delay since any fixed time.
  const { url } = await openService({
    profile: { fields: { refund: { createdAt: 'made' } }, refunds: { delay: '0s' } },
    clock: { mode: 'frozen', at: '2026-01-01T00:00:00Z' },
  })
  const har = await fileOf('traffic.har', JSON.stringify({ log: { entries: await traffic(url) } }))
  const { code, report } = await fidelity({ file: har })
  expect({ code, keys: report.keys, remarks: report.remarks }).toEqual({
    code: 1,
    keys: [],
    remarks: [
      'Unknown fields of a refund: made. Missing: createdAt. If these are the same under other names, write fields.refund by hand.',
    ],
  })
})

/** The differences that are found in recorded traffic after a change to it. */
async function differencesAfter(change: (entries: HarEntry[]) => HarEntry[]) {
  const { url } = await openService()
  const har = await fileOf('traffic.har', JSON.stringify({ log: { entries: change(await traffic(url)) } }))
  return (await fidelity({ file: har })).report.groups
}

/** The exchange with another text in its response. */
const answering = (entry: HarEntry, from: RegExp, to: string): HarEntry => ({
  ...entry,
  response: { ...entry.response, content: { text: entry.response.content.text.replace(from, to) } },
})

test('after a wrong time, the next ones are compared with later times', async () => {
  const groups = await differencesAfter((entries) =>
    entries
      .filter(({ request }) => request.url.endsWith('/v1/checkouts'))
      .map((entry, minute) => ({ ...entry, startedDateTime: `2026-01-01T00:0${minute}:00.000Z` }))
      .map((entry, index) => (index === 0 ? answering(entry, /(?<="createdAt":")20../, '2099') : entry)),
  )
  const sentence = (field: string) =>
    `$.${field} is earlier than $.createdAt of entry 1 there, and later than $.createdAt of entry 1 here`
  expect(groups).toMatchObject([
    { sentence: sentence('createdAt'), times: 1 },
    { sentence: sentence('updatedAt'), times: 1 },
  ])
})

test('an item that only one side has in a list of both is reported', async () => {
  const changeLast = (change: (entry: HarEntry) => HarEntry) =>
    differencesAfter((entries) => [...entries.slice(0, -1), change(entries.at(-1)!)])
  const fewer = await changeLast((entry) => answering(entry, /(?<="data":\[){.*?},/, ''))
  expect(fewer).toMatchObject([{ sentence: '$.data has fewer there, and 1 item more here', times: 1 }])
  const more = await changeLast(({ request, response, ...rest }) => ({
    ...rest,
    request: { ...request, url: `${request.url}?checkoutId=chk_unknown` },
    response,
  }))
  expect(more).toMatchObject([{ sentence: '$.data has 4 items more there, and fewer here', times: 1 }])
})

test('of a response that differs everywhere, a hundred differences are reported', async () => {
  const more = Array.from({ length: 150 }, (_, number) => `"field${number}":null,`).join('')
  const groups = await differencesAfter(([first, ...rest]) => [answering(first!, /^{/, `{${more}`), ...rest])
  expect(groups).toHaveLength(100)
})

test('fields that are returned as sent are proposed as added fields', async () => {
  const add = { checkout: { poNumber: { type: 'text' }, shelfLabels: { type: 'map' } } } as const
  const { url } = await openService({ profile: { add } })
  const entries = await traffic(url, { poNumber: 'PO-7', shelfLabels: { channel: 'web' } })
  const har = await fileOf('traffic.har', JSON.stringify({ log: { entries } }))
  const first = await fidelity({ file: har })
  expect(parseProfile(first.profile, 'out.yaml')).toEqual({ add })
  const second = await fidelity({ file: har, profile: await fileOf('learned.yaml', first.profile) })
  expect(second).toMatchObject({ code: 0, alike: second.observations })
})

test('a token from a response body that the app sends later is in no report', async () => {
  const token = 'tok-1-given-in-a-body'
  const body = JSON.stringify({ note: token, accessToken: 'tok-2-by-its-name' })
  const target = await served((_, response) => response.end(body))
  const life = new Lifetime()
  const lines: string[] = []
  const proxied = fidelity({ target, proxy: 0 }, life, (line) => lines.push(line))
  await expect.poll(() => lines.join()).toContain('forwards everything to')
  const url = `${/http:\S+/.exec(lines[0]!)![0]}/v1/checkouts`
  await (await fetch(url)).text()
  await (await fetch(url, { headers: { 'x-auth-token': token } })).text()
  await life.end()
  const { json, html, junit, profile, out } = await proxied
  for (const text of [json, html, junit, profile, out]) expect(text).not.toMatch(/tok-\d/)
})

test('an unreachable target, and a recording without a comparable request, exit with 2', async () => {
  const unreached = fidelity({ target: 'http://127.0.0.1:1' })
  await expect(unreached).rejects.toThrow(UsageError)
  await expect(unreached).rejects.toThrow('http://127.0.0.1:1 cannot be reached: ECONNREFUSED')
  const file = await fileOf('empty.har', JSON.stringify({ log: { entries: [] } }))
  await expect(fidelity({ file })).rejects.toThrow('has no request to a path under /v1.')
  const text = await fileOf('text.har', 'hello')
  await expect(fidelity({ file: text })).rejects.toThrow('is neither a HAR file nor')
})
