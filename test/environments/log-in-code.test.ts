/** Production's log-in codes: random, valid once, for one contact, and reproducible by the seed. */
import { expect, test } from 'vitest'
import { createSimulator } from '../../src/tools/compose.ts'
import { asPlatform, openSimulator, order } from '../control/shop.ts'
import { folder } from '../given.ts'
import { BuyersBrowser } from './buyer.ts'

const WRONG = 'This is not the code.'

async function open(seed = 1) {
  const { production } = openSimulator()
  const shop = production.sandbox('shop', { seed })
  const { body } = await asPlatform(production, shop)('POST', '/v1/checkouts', order())
  return {
    shop,
    newBrowser: () => new BuyersBrowser(production, body.checkoutUrl),
    codes: () => shop.outbox().map((message) => message.body.slice(0, 6)),
  }
}

async function askedBy(browser: BuyersBrowser, contact: string) {
  await browser.open()
  return browser.submit('log-in', { contact })
}

test('a new code replaces the previous one, and is valid once', async () => {
  const { newBrowser, codes } = await open()
  const browser = newBrowser()
  await askedBy(browser, 'ada@example.test')
  await browser.submit('log-in', { contact: 'ada@example.test' })
  const [first, second] = codes()
  expect(first).toMatch(/^\d{6}$/)
  expect(second).not.toBe(first)
  expect((await browser.submit('code', { code: first! })).problems[0]).toContain(WRONG)
  expect(
    (await browser.submit('code', { code: ` ${second!.slice(0, 3)} ${second!.slice(3)} ` })).problems,
  ).toEqual([])

  const again = newBrowser()
  await askedBy(again, 'ada@example.test')
  expect((await again.submit('code', { code: second! })).problems[0]).toContain(WRONG)
  expect((await again.submit('code', { code: codes().at(-1)! })).problems).toEqual([])
})

test('a code logs in only the contact that it was sent to', async () => {
  const { newBrowser, codes } = await open()
  const [ada, eve] = [newBrowser(), newBrowser()]
  await askedBy(ada, 'ada@example.test')
  await askedBy(eve, 'eve@example.test')
  expect((await ada.submit('code', { code: codes().at(-1)! })).problems[0]).toContain(WRONG)
  expect((await eve.submit('code', { code: codes().at(-1)! })).problems).toEqual([])
})

test('the same seed generates the same codes, and another seed generates others', async () => {
  const drawn = async (seed: number) => {
    const { newBrowser, codes } = await open(seed)
    for (const contact of ['a@example.test', 'b@example.test']) await askedBy(newBrowser(), contact)
    return codes()
  }
  expect(await drawn(1)).toEqual(await drawn(1))
  expect(await drawn(1)).not.toEqual(await drawn(2))
})

test('a code sent before a restart works after it', async () => {
  const data = folder()
  const first = createSimulator({ data, rateLimit: 'off' })
  const before = first.production.sandbox('shop')
  const { body } = await asPlatform(first.production, before)('POST', '/v1/checkouts', order())
  const browser = new BuyersBrowser({ fetch: (request) => serving.fetch(request) }, body.checkoutUrl)
  let serving = first.production
  await askedBy(browser, 'ada@example.test')
  const code = before.outbox()[0]!.body.slice(0, 6)
  await first.close()

  const second = createSimulator({ data, rateLimit: 'off' })
  serving = second.production
  expect((await browser.submit('code', { code })).problems).toEqual([])
  expect(second.production.find('shop').outbox()).toHaveLength(1)
  await second.close()
})
