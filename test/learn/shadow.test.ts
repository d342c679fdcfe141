/** A platform behind `paysim shadow`, and its traffic as a HAR file: what it sees, what is said, and what is learned. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { learnFromHar } from '../../src/commands/learn.ts'
import { parseProfile } from '../../src/commands/profile.ts'
import { openShadow } from '../../src/commands/shadow.ts'
import { changedKeys, type ProfileChanges } from '../../src/contract/profile.ts'
import { createSimulator, type Sandbox } from '../../src/index.ts'
import { DIFFERENT } from '../contract/different-profile.ts'

interface Answered {
  id: string
  after: string
  items: { id: string }[]
}

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
  const order = (orderId: string) => ({
    orderId,
    externalId: `b-${orderId}`,
    amount: 100,
    successUrl: 'https://shop.test/ok',
    cancelUrl: 'https://shop.test/no',
  })
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
  const wanted = new Map(changedKeys(DIFFERENT).map(({ key, value }) => [key, comparable(key, value)]))
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
  const service = createSimulator({ profile: DIFFERENT })
  onTestFinished(() => service.close())
  return { service, shop: service.sandbox('default') }
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

test('shadow passes answers on unchanged, says where the sandbox parts, and learns 45 of 50 keys, none of them wrong', async () => {
  const { service, shop } = openService()
  const { url } = await service.listen()
  const inFolder = await folder()
  const [report, file] = [join(inFolder, 'report.json'), join(inFolder, 'learned.yaml')]
  const lines: string[] = []
  const shadow = await openShadow({ target: url, port: 0, report: `json=${report}`, learn: file }, (line) =>
    lines.push(line),
  )
  const entries = await traffic(shadow.url, shop)
  for (const path of ['/v1/checkouts/none', '/v1/checkouts?page_size=2'])
    expect(await answerTo(shadow.url + path, shop)).toEqual(await answerTo(url + path, shop))
  await shadow.close()

  const learned = await readFile(file, 'utf8')
  expect(judged(parseProfile(learned, file))).toEqual({ wrong: [], missing: UNSEEN })

  const { requests } = JSON.parse(await readFile(report, 'utf8'))
  expect(requests).toHaveLength(entries.length + 2)
  expect(requests[0]).toMatchObject({ call: 'POST /v1/checkouts', theirs: 200, ours: 201 })
  expect(requests[0].differences).toContain('$.status is "OPEN" there, and "pending" here')
  // Ids are paired, so they are no difference.
  expect(requests[0].differences.filter((one: string) => one.startsWith('$.id'))).toEqual([])
  expect(lines).toContain('    $.status is "OPEN" there, and "pending" here')
  const written = [learned, JSON.stringify(requests), ...lines].join()
  expect(written).not.toContain(shop.apiKey)
})

test('shadow with the profile of the service finds only what the service did without a request', async () => {
  const { service, shop } = openService()
  const { url } = await service.listen()
  const profile = join(await folder(), 'profile.json')
  await writeFile(profile, JSON.stringify(DIFFERENT))
  const lines: string[] = []
  const shadow = await openShadow({ target: url, port: 0, profile }, (line) => lines.push(line))
  await traffic(shadow.url, shop)
  await shadow.close()
  const differing = lines.filter((line) => line.startsWith('≠'))
  // The approval on the page, the refund after a minute that only the service's clock saw, and an event of a list.
  expect(differing.map((line) => line.replace(/-[0-9A-Za-z]{32}/, ''))).toEqual([
    '≠ GET /v1/checkouts/pay: 200',
    '≠ POST /v1/checkouts/pay/confirm: 200',
    '≠ GET /v1/refunds/back/status: 200',
    '≠ GET /v1/notifications/note: 200',
  ])
})

test('a HAR file of the same traffic teaches the same 45 keys', async () => {
  const { service, shop } = openService()
  const { url } = await service.listen()
  const entries = await traffic(url, shop)
  const inFolder = await folder()
  const [har, out] = [join(inFolder, 'traffic.har'), join(inFolder, 'learned.yaml')]
  await writeFile(har, JSON.stringify({ log: { entries } }))
  await learnFromHar(har, { out })
  expect(judged(parseProfile(await readFile(out, 'utf8'), out))).toEqual({ wrong: [], missing: UNSEEN })
})
