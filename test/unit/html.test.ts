/** The HTML of every linked page, checked by the rules of the HTML standard. */
import { HtmlValidate } from 'html-validate'
import { expect, test } from 'vitest'
import { confirmedCheckout, openShop, order, refund } from '../control/shop.ts'
import { BuyersBrowser } from '../environments/buyer.ts'
import { hostedPages } from '../environments/hosted-pages.ts'
import { linkedPages } from '../linked-pages.ts'

const validator = new HtmlValidate({ extends: ['html-validate:standard'] })

async function problemsOf(page: string, html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(
      ({ ruleId, message, selector, line }) => `${page}:${line}: ${ruleId}: ${message} (${selector})`,
    ),
  )
}

// About thirty pages, one of them the reference with every operation.
test('every linked page is valid HTML', { timeout: 180_000 }, async () => {
  const { simulator, shop, call } = openShop({ webhook: { url: 'http://127.0.0.1:9/' } })
  await refund(call, await confirmedCheckout(call), 10)
  const { body: checkout } = await call('POST', '/v1/checkouts', order(20, '<script>&"\''))
  await call('POST', '/v1/checkouts', { ...order(), amount: 'ten' }, { 'idempotency-key': 'k' })
  shop.arm({ when: { op: 'refunds.create' }, do: { respond: 503 } })
  await shop.clock.advance('1m')

  const checkoutPage = new URL(checkout.checkoutUrl).pathname
  const pages = await linkedPages(simulator, ['/_sim/ui', checkoutPage])
  const problems = await Promise.all(pages.map(({ path, html }) => problemsOf(path, html)))
  expect(problems.flat()).toEqual([])
  expect(pages.length).toBeGreaterThan(20)
})

test('every page of the hosted checkout is valid HTML in every state', async () => {
  const { simulator, shop } = openShop()
  const pages = await hostedPages(simulator, shop)
  const problems = await Promise.all(pages.map(({ name, html }) => problemsOf(name, html)))
  expect(problems.flat()).toEqual([])

  const refused = pages.filter(({ html }) => html.includes('class="problem"'))
  expect(refused.length).toBeGreaterThanOrEqual(6)
  for (const { name, html } of refused)
    expect([name, focusedIn(html)]).toEqual([name, [firstProblemIn(html)]])
})

const focusedIn = (html: string) =>
  (html.match(/<[^>]* autofocus[^>]*>/g) ?? []).map((tag) => /name="(\w+)"/.exec(tag)?.[1])

const firstProblemIn = (html: string) => /id="(\w+)-problem"/.exec(html)?.[1]

test("the dashboard's response to a form is valid HTML, even for a refusal", async () => {
  const { simulator } = openShop({ adminToken: 'open sesame' })
  const browser = new BuyersBrowser(simulator, 'http://localhost:4100/_sim/ui')
  const refused = await browser.submit('log-in', { adminToken: 'please', back: '/_sim/ui/ledger' })
  await browser.submit('log-in', { adminToken: 'open sesame', back: '/_sim/ui/ledger' })
  expect(focusedIn(refused.text)).toEqual(['adminToken'])
  const missing = await browser.open('requests/req_999')
  expect(missing.status).toBe(404)
  expect(missing.text).toContain('<nav class="places"')
  const answers: [words: string, text: string][] = [
    ['Wrong admin token', refused.text],
    [
      '; did you mean refund.*?</p>',
      (await browser.submit('do/webhook.put', { url: 'http://127.0.0.1:9', events: 'refunds.*' })).text,
    ],
    ['must be a duration', (await browser.submit('do/clock.advance', { advance: 'soon' })).text],
    [
      'did you mean',
      (await browser.submit('do/arm', { yaml: 'name: n\nbehavoirs: []\n', back: '/_sim/ui/behaviors' })).text,
    ],
    ['Request not found', missing.text],
    ['Page not found', (await browser.open('nowhere/at/all')).text],
  ]
  for (const [words, text] of answers) {
    expect(text).toContain(words)
    expect(await problemsOf(words, text)).toEqual([])
  }
})
