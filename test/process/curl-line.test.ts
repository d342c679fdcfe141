/** The curl commands that paysim shows, parsed by a real shell. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { curlLine } from '../../src/pages/dashboard/blocks.tsx'
import { linksOf } from '../../src/pages/dashboard/links.ts'
import { SANDBOX_ADDRESSES } from '../../src/tester/control/addresses.ts'
import { verbRequest } from '../../src/tester/control/verb.ts'
import { openShop, order } from '../control/shop.ts'

/** The arguments that a shell passes to curl, which is a function that prints them. */
function wordsOf(curl: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${curl}`
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('the curl command of an explained request sends the same request again', async () => {
  const { simulator, shop, call } = openShop()
  const json = { ...order(), orderId: "it's $HOME" }
  const first = await call('POST', '/v1/checkouts', json, { 'idempotency-key': 'a "quoted" $key' })

  const { curl } = shop.request('req_1')
  const words = wordsOf(curl, { PAYSIM_API_KEY: shop.apiKey })
  const wordsAfter = (word: string) => words.filter((_, index) => words[index - 1] === word)
  const headers = wordsAfter('-H').map((line) => line.split(': ') as [string, string])
  const again = await simulator.fetch(
    new Request(words.find((word) => word.startsWith('http'))!, {
      method: wordsAfter('-X')[0]!,
      headers,
      body: wordsAfter('--data-raw')[0]!,
    }),
  )
  expect(await again.json()).toEqual(first.body)
  expect(shop.request('req_2').verdict).toBe('replayed')
  expect(curl).not.toContain(shop.apiKey)
})

test('any body in the curl command on the page of a request reaches curl unchanged, with a line for each option', async () => {
  const { simulator, shop } = openShop()
  const send = (path: string, init: RequestInit = {}) =>
    simulator.fetch(new Request(`http://127.0.0.1${path}`, init))
  const part = fc.constantFrom(
    "'",
    '"',
    '\\',
    ' -H ',
    ' --data-raw ',
    '$HOME',
    '`id`',
    '\n',
    '&amp;',
    'it',
    'ü',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1 }), async (parts) => {
      const body = parts.join('')
      const headers = { 'x-api-key': shop.apiKey, 'content-type': 'text/plain' }
      await send('/v1/checkouts', { method: 'POST', headers, body })
      const { id } = shop.requests({ limit: 1 })[0]!
      const html = await (await send(`/_sim/ui/requests/${id}`)).text()
      const curl = unescaped(/aria-label="curl"><pre>(.*?)<\/pre>/s.exec(html)![1]!)
      const words = wordsOf(curl)
      expect(words.slice(-2)).toEqual(['--data-raw', body])
      expect(curl.match(/ \\\n {2}-/g)!.length).toBeGreaterThanOrEqual(3)
    }),
    { numRuns: 25, examples: [[['it', "'", 's paid by', ' -H ', 'wire']]] },
  )
})

/** The text content of HTML. */
const unescaped = (html: string) =>
  html.replaceAll(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name],
  )

test('any text in the curl command of the dashboard reaches curl unchanged', () => {
  const view = { origin: 'http://127.0.0.1:4100', links: linksOf('default'), guarded: false }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const clean = text.replaceAll('\0', '')
      const line = curlLine(view, verbRequest(SANDBOX_ADDRESSES.clock.set, clean))
      const printed = execFileSync('sh', ['-c', line.replace(/^curl/, "printf '%s\\n'")]).toString()
      expect(printed).toBe(
        `-X\nPOST\nhttp://127.0.0.1:4100/_sim/clock\n-H\nContent-Type: application/json\n-d\n${JSON.stringify({ set: clean })}\n`,
      )
    }),
    { numRuns: 25 },
  )
})
