/** The HTML of every page that links reach, by the rules of the HTML standard. */
import { HtmlValidate } from 'html-validate'
import { expect, test } from 'vitest'
import { confirmedCheckout, openShop, order, refund } from '../control/shop.ts'
import { BuyersBrowser } from '../environments/buyer.ts'
import { hostedPages } from '../environments/hosted-pages.tsx'

const validator = new HtmlValidate({ extends: ['html-validate:standard'] })

async function problemsOf(page: string, html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(
      ({ ruleId, message, selector, line }) => `${page}:${line}: ${ruleId}: ${message} (${selector})`,
    ),
  )
}

/** One page stands for all that differ by an id alone. */
const kindOf = (path: string) => path.replaceAll(/\b([a-z]+)_\w+/g, '$1_').replaceAll(/=[^&]*/g, '=')

test('every page that a link leads to is valid HTML', async () => {
  const { simulator, shop, call } = openShop({ webhook: { url: 'http://127.0.0.1:9/' } })
  await refund(call, await confirmedCheckout(call), 10)
  const { body: checkout } = await call('POST', '/v1/checkouts', order(20, '<script>&"\''))
  await call('POST', '/v1/checkouts', { ...order(), amount: 'ten' }, { 'idempotency-key': 'k' })
  shop.arm({ when: { op: 'refunds.create' }, do: { respond: 503 } })
  await shop.clock.advance('1m')

  const waiting = ['/_sim/ui', new URL(checkout.checkoutUrl ?? checkout.url).pathname]
  const seen = new Set(waiting.map(kindOf))
  const problems: string[] = []
  const invalid = async (path: string) => {
    const response = await simulator.fetch(new Request(`http://localhost:4100${path}`))
    if (!response.headers.get('content-type')?.startsWith('text/html')) return
    const html = await response.text()
    problems.push(...(await problemsOf(path, html)))
    for (const [, link] of html.matchAll(/href="(\/[^"#]*)/g)) {
      const found = link!.replaceAll('&amp;', '&')
      if (seen.has(kindOf(found))) continue
      seen.add(kindOf(found))
      waiting.push(found)
    }
  }
  for (const path of waiting) await invalid(path)
  expect(problems).toEqual([])
  expect(seen.size).toBeGreaterThan(20)
})

test('every page of the hosted checkout is valid HTML in every state', async () => {
  const { simulator, shop } = openShop()
  const pages = await hostedPages(simulator, shop)
  const problems = await Promise.all(pages.map(({ name, html }) => problemsOf(name, html)))
  expect(problems.flat()).toEqual([])
})

test('what the dashboard answers to a form is valid HTML, also where it refuses', async () => {
  const { simulator } = openShop({ adminToken: 'open sesame' })
  const browser = new BuyersBrowser(simulator, 'http://localhost:4100/_sim/ui')
  const refused = await browser.submit('log-in', { adminToken: 'please', back: '/_sim/ui/ledger' })
  await browser.submit('log-in', { adminToken: 'open sesame', back: '/_sim/ui/ledger' })
  const answers: [words: string, text: string][] = [
    ['not the admin token', refused.text],
    ['must be a duration', (await browser.submit('do/clock', { advance: 'soon' })).text],
    ['did you mean', (await browser.submit('do/arm', { yaml: 'name: n\nbehavoirs: []\n' })).text],
    ['Page not found', (await browser.open('nowhere/at/all')).text],
  ]
  for (const [words, text] of answers) {
    expect(text).toContain(words)
    expect(await problemsOf(words, text)).toEqual([])
  }
})
