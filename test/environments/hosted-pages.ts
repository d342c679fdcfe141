/** Every page of the hosted checkout in every state, as the server sends it: reached form by form, without a screen. */
import { FAILED, NOT_SAVED, pageAlone } from '../../src/pages/buyer/state-pages.tsx'
import type { Address } from '../../src/server/simulator/simulator.ts'
import type { SandboxControl } from '../../src/tester/control/control.ts'
import { asPlatform, order } from '../control/shop.ts'
import { ACCOUNT, ADA, BuyersBrowser, CARD } from './buyer.ts'

export interface HostedPage {
  name: string
  html: string
}

/** As long as allowed, to expose overflowing text. */
const LONG = { orderId: 'order-'.repeat(40), externalId: 'business-'.repeat(20), amount: 999_999_999.99 }

/** In a staging sandbox with a frozen clock. */
export async function hostedPages(address: Address, shop: SandboxControl): Promise<HostedPage[]> {
  const call = asPlatform(address, shop)
  const pages: HostedPage[] = []
  const checkout = async (fields: object = {}) =>
    (await call('POST', '/v1/checkouts', { ...order(30_000), ...LONG, ...fields })).body
  const see = (name: string, { text, status }: { text: string; status: number }, expected = 200) => {
    if (status !== expected) throw new Error(`${name} is answered with ${status}: ${text}`)
    pages.push({ name, html: text })
  }
  const arrived = async (fields?: object) => {
    const { id, checkoutUrl } = await checkout(fields)
    return { id, checkoutUrl, buyer: new BuyersBrowser(address, checkoutUrl) }
  }
  const loggedIn = async (method: 'card' | 'bank_account', fields?: object) => {
    const checkout = await arrived({ paymentMethodType: method, ...fields })
    await checkout.buyer.open()
    await checkout.buyer.submit('log-in', { contact: 'ada@example.test' })
    return { ...checkout, page: await checkout.buyer.submit('code', { code: '000000' }) }
  }

  const { buyer } = await arrived()
  see('log-in', await buyer.open())
  see('log-in, refused', await buyer.submit('log-in', { contact: 'nobody' }), 400)
  const contact = `${'long'.repeat(12)}@example.test`
  see('code', await buyer.submit('log-in', { contact }))
  see('code, sent again', await buyer.submit('log-in', { contact }))
  see('code, refused', await buyer.submit('code', { code: '1' }), 400)
  see('code, filled in', await buyer.open('code?fill=code'))
  see('method', await buyer.submit('code', { code: '000000' }))
  see('method, refused', await buyer.submit('method', {}), 400)
  see('application', await buyer.submit('method', { method: 'bank_account' }))
  see('application, refused', await buyer.submit('application', {}), 400)
  see('declined by limit', await buyer.submit('application', ADA))
  see('card after a decline', await buyer.submit('method', { method: 'card' }))
  see('card, refused', await buyer.submit('card', { ...CARD, number: '4242 4242 4242 4241', cvc: '1' }), 400)
  see('review of a card', await buyer.submit('card', CARD))
  see('card, to be changed', await buyer.open('card?fill=card'))

  const applying = await loggedIn('bank_account', { amount: 1000 })
  see('application of a chosen method', applying.page)
  see('bank', await applying.buyer.submit('application', ADA))
  see('bank, refused', await applying.buyer.submit('bank', { routing: '1', account: '1' }), 400)
  see('review of an account', await applying.buyer.submit('bank', ACCOUNT))

  shop.arm({ behaviors: [{ do: { decision: 'decline', reason: 'it is over its limit' } }] })
  const refused = await loggedIn('card')
  see('card, declined', await refused.buyer.submit('card', CARD), 400)
  const turnedDown = await loggedIn('bank_account')
  see('declined by the bank', await turnedDown.buyer.submit('application', ADA))
  shop.disarm()

  const waiting = await arrived()
  await waiting.buyer.open()
  await waiting.buyer.submit('log-in', { contact: 'ada@example.test' })
  for (let wrong = 0; wrong < 4; wrong += 1) await waiting.buyer.submit('code', { code: '1' })
  see('locked', await waiting.buyer.submit('code', { code: '1' }), 429)

  const away = await loggedIn('card')
  await shop.clock.advance('31m')
  see('logged out', await away.buyer.submit('card', CARD), 403)

  const paid = await arrived()
  shop.buyer.approve(paid.id)
  see('approved', await paid.buyer.open('review'))
  await call('POST', `/v1/checkouts/${paid.id}/confirm`)
  see('paid', await paid.buyer.open('review'))
  const canceled = await arrived()
  await call('POST', `/v1/checkouts/${canceled.id}/cancel`)
  see('canceled', await canceled.buyer.open('review'))
  see('not found', await new BuyersBrowser(address, `${canceled.checkoutUrl}0`).open(), 404)

  const post = async (name: string, init: RequestInit, expected: number) => {
    const answer = await address.fetch(
      new Request(`${canceled.checkoutUrl}/card`, { method: 'POST', ...init }),
    )
    see(name, { status: answer.status, text: await answer.text() }, expected)
  }
  await post('too large', { body: 'a'.repeat(20_000) }, 413)
  await post('refused', { body: 'a', headers: { 'content-encoding': 'gzip' } }, 415)
  // Only a bug or a full disk leads to these pages.
  pages.push({ name: 'failed', html: pageAlone('staging', FAILED) })
  pages.push({ name: 'not saved', html: pageAlone('production', NOT_SAVED) })
  return pages
}
