/** Every page and response that shows a journaled request, for all kinds of requests: none of them is a 500. */
import { expect, test } from 'vitest'
import { CONNECTION_FAULT_KINDS, lastingOf } from '../../src/spec/contract/connection-fault.ts'
import { logged } from '../given.ts'
import { ORDER } from '../order.ts'
import { start } from '../scenarios/start.ts'

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + 1 + close.repeat(depth)

/** The maximum size of a body under /v1. */
const BODIES: Record<string, string | Uint8Array<ArrayBuffer>> = {
  'an object nested 15,000 deep': nested('{"a":', '}', 15_000),
  'an object nested 1,000 deep': nested('{"a":', '}', 1_000),
  'an object nested 65 deep': nested('{"a":', '}', 65),
  'a list nested 50,000 deep': nested('[', ']', 50_000),
  'a list nested in an object': `{"a":${nested('[', ']', 40_000)}}`,
  'a list of 50,000': `{"a":[${'1,'.repeat(48_000)}1]}`,
  'empty objects': `[${'{},'.repeat(33_000)}1]`,
  'a long text': JSON.stringify({ a: 'x'.repeat(100_000) }),
  'a text of escapes': `{"a":"${'\\n'.repeat(50_000)}"}`,
  'quotes that do not end': '"\\'.repeat(50_000),
  'half characters': '{"checkoutId":"\\ud800","amount":1,"\\udfff":"\\ud800"}',
  'numbers without end':
    '{"checkoutId":"a","amount":1e400,"b":-1e400,"c":-0,"d":9007199254740993,"e":1e-400}',
  'names of an object': '{"__proto__":{"a":1},"constructor":{"prototype":1},"toJSON":1,"hasOwnProperty":1}',
  'what YAML would read':
    '{"<<":{"a":1},"*a":"&b","!!js":"!c","- ":["<<"],"? ":"|\\n a","":"~","a\\nb":"%TAG"}',
  'a text of dollars': JSON.stringify('$'.repeat(200_000)),
  'what a scenario would read': '{"a":"${uuid:x}","b":"${","${c}":"$${d}"}',
  'control characters': '{"a":"\\u0000\\u001b[2J\\u2028\\ufeff"}',
  'bytes that are no UTF-8': new Uint8Array([0xff, 0xfe, 0x7b, 0x22, 0xc0, 0x80]),
  markup: '<script>alert(1)</script>&amp;',
}

const PAGES = [
  '/_sim/ui',
  '/_sim/ui/requests',
  '/_sim/ui/requests/{id}',
  '/_sim/ui/requests?key=k',
  '/_sim/requests',
  '/_sim/requests/{id}',
  '/_sim/recording',
  '/_sim/audit',
]

/** Pages about one request; the others do not depend on the request. */
const OF_ONE = PAGES.filter((page) => page.includes('{id}'))

/** Loads pages about a request; returns the failed ones and those that are too large. */
async function pagesOf(
  { simulator }: ReturnType<typeof start>,
  id: string,
  pages = PAGES,
): Promise<string[]> {
  const wrong: string[] = []
  for (const page of pages) {
    const address = `http://paysim.test${page.replace('{id}', id)}`
    const answer = await simulator.fetch(new Request(address))
    const { length } = await answer.text()
    if (answer.status >= 500 || length > 10_000_000)
      wrong.push(`${page} ${answer.status}, ${length} characters`)
  }
  return wrong
}

/** Sends data and returns the id of its journaled request. */
async function sent(
  on: ReturnType<typeof start>,
  body: string | Uint8Array<ArrayBuffer>,
  path = '/v1/refunds',
) {
  const headers = {
    'x-api-key': 'sk_staging_default',
    'content-type': 'application/json',
    'idempotency-key': 'k',
  }
  const answer = await on.simulator.fetch(
    new Request(`http://paysim.test${path}`, { method: 'POST', headers, body }),
  )
  return answer.headers.get('x-sim-request')!
}

test.each(Object.entries(BODIES))('a body: %s', async (_, body) => {
  const on = start({ log: 'silent' })
  // The first request stores the key, so the second body is compared with it.
  await sent(on, '{"checkoutId":"chk_none","amount":1}')
  expect(await pagesOf(on, await sent(on, body), OF_ONE)).toEqual([])
  const large = { ...ORDER, note: typeof body === 'string' ? body.slice(0, 50_000) : '' }
  expect(await pagesOf(on, await sent(on, JSON.stringify(large), '/v1/checkouts'))).toEqual([])
})

test('a request that is almost an endpoint, which a recording cannot express', async () => {
  const on = start({ log: 'silent' })
  for (const path of ['/v1/refund', '/v1/refunds/chk_1/x', '/v1/checkout/%2F']) {
    const answer = await on.simulator.fetch(new Request(`http://paysim.test${path}`))
    expect(answer.status).toBe(401)
    expect(await pagesOf(on, answer.headers.get('x-sim-request')!)).toEqual([])
  }
})

// Not all pages: with 60 characters for each value, some would be too large.
test('a response with 200,000 values', async () => {
  const on = start({ log: 'silent' })
  on.simulator.sandbox('default').arm([{ do: { respond: { status: 200, json: Array(200_000).fill(1) } } }])
  expect(await pagesOf(on, await sent(on, '{"externalId":"a"}', '/v1/customers'))).toEqual([])
})

// Takes long: the request is recorded, and each recording runs twice, some forty times.
test('a request that is held, cut off, canceled, or forgotten', { timeout: 60_000 }, async () => {
  const on = start({ log: 'silent', memory: 1 })
  const shop = on.simulator.sandbox('default')
  for (const fault of CONNECTION_FAULT_KINDS.filter((kind) => lastingOf(kind) === undefined)) {
    shop.replaceBehaviors([{ do: { fault, at: 'after-commit' } }])
    await sent(on, JSON.stringify(ORDER), '/v1/checkouts').catch(() => {})
  }
  shop.replaceBehaviors([{ do: { hold: 'gate' } }])
  const client = new AbortController()
  const held = [client.signal, undefined].map((signal) =>
    on.simulator.fetch(
      new Request('http://paysim.test/v1/customers', {
        method: 'POST',
        headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
        body: '{"externalId":"a"}',
        ...(signal && { signal }),
      }),
    ),
  )
  await on.parked(2)
  const ids = () => shop.requests().map(({ id }) => id)
  const requireAll = async (asked: string[]) => {
    for (const [index, id] of asked.entries())
      expect(await pagesOf(on, id, index === 0 ? PAGES : OF_ONE)).toEqual([])
  }
  await requireAll(ids())
  client.abort()
  shop.release('gate')
  await Promise.allSettled(held)
  shop.replaceBehaviors([])
  await requireAll(ids())
  // The memory limit removes the oldest request.
  const [first] = ids()
  for (let count = 0; count < 30; count += 1) await sent(on, BODIES['a long text']!)
  expect(ids()).not.toContain(first)
  await requireAll([first!, ...ids().slice(0, 3), 'req_0', 'req_', 'req_99999999999999', '%ff', 'x'])
})

test('a page that is loaded while its sandbox is removed', async () => {
  const on = start({ log: 'silent' })
  const written = logged()
  const shop = on.simulator.create({ name: 'gone' })
  shop.arm([{ do: { hold: 'gate' } }])
  const get = (path: string) =>
    on.simulator.fetch(new Request(`http://paysim.test${path}`, { headers: { 'x-api-key': shop.apiKey } }))
  const held = get('/v1/checkouts').catch(() => {})
  await on.parked(0)
  const pages = PAGES.filter((page) => page.includes('/ui')).map((page) =>
    get(page.replace('/ui', '/ui/sandboxes/gone').replace('{id}', 'req_1')),
  )
  on.simulator.remove('gone')
  for (const page of pages) expect([200, 404]).toContain((await page).status)
  await held
  expect(written).toEqual([])
})
