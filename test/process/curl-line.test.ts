/** The curl lines that we show, read by a real shell. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { curlLine } from '../../src/pages/dashboard/blocks.tsx'
import { linksOf } from '../../src/pages/dashboard/links.ts'
import { verbRequest } from '../../src/tester/control/verb.ts'
import { SANDBOX_VERBS } from '../../src/tester/control/verbs.ts'
import { openShop, order } from '../control/shop.ts'

test('the curl line of an explained request sends the same request again', async () => {
  const { simulator, shop, call } = openShop()
  const json = { ...order(), orderId: "it's $HOME" }
  const first = await call('POST', '/v1/checkouts', json, { 'idempotency-key': 'a "quoted" $key' })

  // A shell in which `curl` is a function that prints its arguments.
  const { curl } = shop.request('req_1')
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${curl}`
  const env = { PAYSIM_API_KEY: shop.apiKey }
  const words = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0')
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

test("any text in the dashboard's curl line reaches curl unchanged", () => {
  const view = { origin: 'http://127.0.0.1:4100', links: linksOf('default'), guarded: false }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const clean = text.replaceAll('\0', '')
      const line = curlLine(view, verbRequest(SANDBOX_VERBS.clock.set, clean))
      const printed = execFileSync('sh', ['-c', line.replace(/^curl/, "printf '%s\\n'")]).toString()
      expect(printed).toBe(
        `-X\nPOST\nhttp://127.0.0.1:4100/_sim/clock\n-H\nContent-Type: application/json\n-d\n${JSON.stringify({ set: clean })}\n`,
      )
    }),
    { numRuns: 25 },
  )
})
