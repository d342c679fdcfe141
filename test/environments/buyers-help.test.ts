/** The hints of the hosted page for the buyer and, only in staging, for a tester. */
import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/server/simulator/simulator.ts'
import { asPlatform, openSimulator, order } from '../control/shop.ts'
import { ACCOUNT, ADA, BuyersBrowser, CARD } from './buyer.ts'

function open(environment: 'staging' | 'production' = 'staging', name = 'default') {
  const simulator = openSimulator()
  const address: Address = environment === 'staging' ? simulator : simulator.production
  const shop = address.sandbox(name)
  const call = asPlatform(address, shop)
  const codeOf = () => shop.outbox().at(-1)!.body.slice(0, 6)
  return {
    address,
    shop,
    call,
    async arrive(fields: object = {}) {
      const { body } = await call('POST', '/v1/checkouts', { ...order(), ...fields })
      const buyer = new BuyersBrowser(address, body.checkoutUrl)
      await buyer.open()
      return buyer
    },
    async logIn(buyer: BuyersBrowser, contact = 'ada@example.test') {
      await buyer.submit('log-in', { contact })
      return buyer.submit('code', { code: codeOf() })
    },
  }
}

const helpIn = (text: string) => /<section class="staging".*?<\/section>/s.exec(text)?.[0] ?? ''
const linkIn = (text: string) => /href="(\/_sim[^"]*)"/.exec(helpIn(text))?.[1] ?? ''
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', "'")

describe('in staging', () => {
  test.each(['default', 'other'])(
    'the page links to the code, in the outbox of the sandbox %s',
    async (name) => {
      const { address, arrive } = open('staging', name)
      const buyer = await arrive({ orderId: 'o-77' })
      const { text } = await buyer.submit('log-in', { contact: 'ada@example.test' })
      const outbox = await address.fetch(new Request(`http://paysim.test${linkIn(text)}`))
      expect(await outbox.text()).toContain('is your code for o-77')
    },
  )

  test('the page of a lock explains how to unlock it, and the steps work', async () => {
    const { shop, arrive, logIn } = open()
    const buyer = await arrive()
    await buyer.submit('log-in', { contact: 'ada@example.test' })
    const tries = []
    for (let wrong = 0; wrong < 4; wrong += 1) {
      tries.push(...(await buyer.submit('code', { code: '1' })).problems)
    }
    expect(tries.map((text) => text.replace('This is not the code. You have ', ''))).toEqual([
      '4 more tries.',
      '3 more tries.',
      '2 more tries.',
      'one more try.',
    ])
    const { text } = await buyer.submit('code', { code: '1' })
    const [, wait] = /clock\.advance\('(\w+)'\)/.exec(wordsOf(helpIn(text)))!
    await shop.clock.advance(wait as '15m')
    await buyer.open('log-in')
    expect((await logIn(buyer)).text).toContain('How would you like to pay?')
  })

  test('a declined buyer sees the limit; a tester sees the score and a way to be approved, which works', async () => {
    const { arrive, logIn } = open()
    const buyer = await arrive({ amount: 30_000, paymentMethodType: 'bank_account' })
    await logIn(buyer)
    const { text } = await buyer.submit('application', ADA)
    expect(wordsOf(text)).toContain(
      'We can give you credit for up to $25,000.00, and this order is $30,000.00.',
    )
    expect(wordsOf(text.replace(helpIn(text), ''))).not.toContain('score')
    expect(wordsOf(helpIn(text))).toContain('A score of 650')
    expect(wordsOf(helpIn(text))).toContain('another e-mail or phone number, and apply as Test Approved.')

    await buyer.open('log-in')
    expect(wordsOf((await logIn(buyer)).text)).toContain('We can give you credit for up to $25,000.00')

    await buyer.open('log-in')
    await logIn(buyer, 'another@example.test')
    const page = await buyer.submit('application', { ...ADA, first: 'Test', last: 'Approved' })
    expect(wordsOf(page.text)).toContain('You are approved.')
  })

  test('a buyer declined by a behavior sees a link to the behaviors', async () => {
    const { shop, arrive, logIn } = open()
    shop.arm({ do: { decision: 'decline', reason: 'it is closed' } })
    const buyer = await arrive({ paymentMethodType: 'bank_account' })
    await logIn(buyer)
    const { text } = await buyer.submit('application', ADA)
    expect(wordsOf(text)).toContain('The bank declined the application: it is closed.')
    expect(linkIn(text)).toBe('/_sim/ui/behaviors')
  })
})

test('in production no page has hints for testers, and a decline shows no score', async () => {
  const { arrive, logIn } = open('production')
  const buyer = await arrive({ amount: 300_000 })
  const pages = [await buyer.open()]
  pages.push(await buyer.submit('log-in', { contact: 'ada@example.test' }))
  pages.push(await buyer.submit('code', { code: '1' }))
  pages.push(await logIn(buyer))
  pages.push(await buyer.submit('method', { method: 'bank_account' }))
  pages.push(await buyer.submit('application', ADA))
  pages.push(await buyer.submit('method', { method: 'card' }))
  pages.push(await buyer.submit('card', CARD))
  const stranger = await arrive()
  await stranger.submit('log-in', { contact: 'eve@example.test' })
  for (let wrong = 0; wrong < 4; wrong += 1) await stranger.submit('code', { code: '1' })
  pages.push(await stranger.submit('code', { code: '1' }))

  const headings = pages.map(({ text }) => /<h1>(.*?)<\/h1>/.exec(text)?.[1])
  expect(headings).toContain('We cannot offer you credit for this order')
  expect(headings).toContain('Too many wrong codes')
  for (const { text } of pages) expect(text).not.toMatch(/class="staging"|\/_sim|score/)
})

describe('the step counter', () => {
  const stepsOf = (pages: { text: string }[]) =>
    pages.map(({ text }) => /Step \d of \d: [^<]*/.exec(text)?.[0])

  test('is the same on every page of a buyer who applies, is declined and pays by card', async () => {
    const { arrive, logIn } = open()
    const buyer = await arrive({ amount: 30_000 })
    const pages = [await buyer.open(), await logIn(buyer)]
    pages.push(await buyer.submit('method', { method: 'bank_account' }))
    pages.push(await buyer.submit('application', ADA))
    pages.push(await buyer.submit('method', { method: 'card' }))
    pages.push(await buyer.submit('card', CARD))
    expect(stepsOf(pages)).toEqual([
      'Step 1 of 4: Log in',
      'Step 2 of 4: Method',
      'Step 3 of 4: Bank account, part 1 of 2',
      'Step 3 of 4: Bank account, part 1 of 2',
      'Step 3 of 4: Card',
      'Step 4 of 4: Review',
    ])
  })

  test('skips a method that the platform chose, and keeps its total if the buyer pays in another way', async () => {
    const { arrive, logIn } = open()
    const buyer = await arrive({ amount: 30_000, paymentMethodType: 'bank_account' })
    const pages = [await buyer.open(), await logIn(buyer), await buyer.submit('application', ADA)]
    pages.push(await buyer.submit('method', { method: 'card' }))
    expect(stepsOf(pages)).toEqual([
      'Step 1 of 3: Log in',
      'Step 2 of 3: Bank account, part 1 of 2',
      'Step 2 of 3: Bank account, part 1 of 2',
      'Step 2 of 3: Card',
    ])
  })
})

/** The forms that a buyer sends, and the page after each. */
const FORMS = [
  ['card', CARD, 'How would you like to pay?'],
  ['review', {}, 'How would you like to pay?'],
  ['method', { method: 'card' }, 'Card details'],
  ['bank', ACCOUNT, 'Card details'],
  ['card', CARD, 'Review and pay'],
  ['method', { method: 'bank_account' }, 'Tell us who is buying'],
  ['bank', ACCOUNT, 'Tell us who is buying'],
  ['card', CARD, 'Tell us who is buying'],
  ['application', ADA, 'Your bank account'],
  ['card', CARD, 'Your bank account'],
  ['bank', ACCOUNT, 'Review and pay'],
  ['method', { method: 'card' }, 'Card details'],
  ['method', { method: 'bank_account' }, 'Your bank account'],
] as const

test('a buyer can change the method until the payment, applies once, and skips no step', async () => {
  const { arrive, logIn } = open()
  const buyer = await arrive()
  await logIn(buyer)
  for (const [step, fields, heading] of FORMS) {
    const { text } = await buyer.submit(step, { ...fields })
    expect([step, /<h1>(.*?)<\/h1>/.exec(text)?.[1]]).toEqual([step, heading])
  }
})

test("the page shows the name of the business, or the platform's id if it has no name", async () => {
  const { call, arrive } = open()
  const businessOn = async () =>
    /<dt>Business<\/dt><dd>(.*?)<\/dd>/.exec((await (await arrive()).open()).text)?.[1]
  expect(await businessOn()).toBe('acme')
  await call('POST', '/v1/customers', { externalId: 'acme', name: 'Acme & Sons' })
  expect(await businessOn()).toBe('Acme &amp; Sons')
})

describe('a mistyped number', () => {
  const WRONG = { ...CARD, number: '4242 4242 4242 4241' }
  const MISTAKE = 'This number has a typing mistake. Compare it with the card.'
  const AGAIN = 'Type this again. It was not stored.'

  test('must be typed again, as must the security code, because neither is stored', async () => {
    const { arrive, logIn } = open()
    const buyer = await arrive({ paymentMethodType: 'card' })
    await logIn(buyer)
    const page = await buyer.submit('card', WRONG)
    expect(page).toMatchObject({ status: 400, problems: [MISTAKE, AGAIN] })
    expect(page.text).toContain('value="12/34"')
    expect(page.text).not.toContain('4241')
    expect(page.text).not.toContain('value="123"')
  })
})
