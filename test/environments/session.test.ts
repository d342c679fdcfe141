/** The session of a buyer on the hosted page: a signed cookie, and a token in each form. */
import { expect, test } from 'vitest'
import { openShop, order } from '../control/shop.ts'
import { BuyersBrowser, CARD } from './buyer.ts'

/** A checkout to be paid by card, and a browser that has logged in there. */
async function open() {
  const { simulator, shop, call } = openShop()
  const checkout = async () =>
    (await call('POST', '/v1/checkouts', { ...order(), paymentMethodType: 'card' })).body
  const { id, checkoutUrl } = await checkout()
  const browse = () => new BuyersBrowser(simulator, checkoutUrl)
  const logIn = async (contact = 'ada@example.test', url = checkoutUrl) => {
    const buyer = new BuyersBrowser(simulator, url)
    await buyer.open()
    await buyer.submit('log-in', { contact })
    return { buyer, page: await buyer.submit('code', { code: '000000' }) }
  }
  return { shop, call, id, browse, logIn, checkout, buyer: (await logIn()).buyer }
}

test('ends half an hour after the last click, and the same buyer resumes at the same step', async () => {
  const { shop, buyer, logIn } = await open()
  await shop.clock.advance('29m')
  expect((await buyer.open('card')).text).toContain('Card details')
  await shop.clock.advance('29m')
  await buyer.submit('card', CARD)
  await shop.clock.advance('30m')
  expect(await buyer.submit('review', {})).toMatchObject({
    status: 403,
    text: expect.stringContaining('Please log in again'),
  })
  expect((await logIn()).page.text).toContain('Review and pay')
})

test('ends when another buyer logs in, who sees nothing of the first one', async () => {
  const { buyer, logIn } = await open()
  await buyer.submit('card', CARD)
  const { page } = await logIn('eve@example.test')
  expect(page.text).toContain('Card details')
  expect((await buyer.submit('review', {})).status).toBe(403)
})

test('belongs to one checkout, and a cookie that was not signed for it is ignored', async () => {
  const { buyer, checkout, logIn } = await open()
  const { buyer: elsewhere } = await logIn('ada@example.test', (await checkout()).checkoutUrl)
  const { text } = await buyer.open('card')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(text)!
  const [name = '', value = ''] = buyer.cookie.split('=')
  const session: { id: string } = JSON.parse(decodeURIComponent(value).replace(/\.[^.]*$/, ''))
  for (const cookie of [
    ...['', `${name}=..`, `${name}x=${value}`, elsewhere.cookie],
    ...[buyer.cookie.replace('ada', 'eve'), buyer.cookie.replace(/.$/, '_')],
    buyer.cookie.slice(0, buyer.cookie.lastIndexOf('.')),
    // A form's token has the length of a signature, and is derived from a text that the visitor knows.
    ...[`${name}=${session.id}.${token}`, `${name}=${session.id}.${token}=`],
  ]) {
    buyer.cookie = cookie
    expect((await buyer.open('card')).to, cookie).toMatch(/\/checkout\/chk_\w+$/)
  }
})

test('is needed for its form, with the token of the page', async () => {
  const { buyer, logIn } = await open()
  const { page } = await logIn()
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.text)!
  for (const wrong of ['', token, `${token}x`])
    expect(await buyer.submit('card', { ...CARD, token: wrong })).toMatchObject({ status: 403 })
})

test('a payment that is submitted twice happens once', async () => {
  const { shop, id, buyer } = await open()
  await buyer.submit('card', CARD)
  for (const { to } of await Promise.all([1, 2].map(() => buyer.submit('review', {}))))
    expect(to).toBe('https://shop.test/ok')
  expect(shop.events({ type: 'checkout.approved', resourceId: id })).toHaveLength(1)
})

test.each([
  ['http://paysim.test', /; Path=\/checkout\/chk_\w+; HttpOnly; SameSite=Lax$/],
  ['https://pay.example', /; HttpOnly; Secure; SameSite=Lax$/],
])(
  'has a cookie that no script reads, on a page that loads nothing from elsewhere; at %s',
  async (publicUrl, attributes) => {
    const { simulator, call } = openShop({ publicUrl })
    const { checkoutUrl } = (await call('POST', '/v1/checkouts', order())).body
    const { headers } = await simulator.fetch(new Request(checkoutUrl))
    expect(headers.get('set-cookie')).toMatch(attributes)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('no-store')
  },
)

test.each([
  ['approve', 'You have already approved this payment', 'https://shop.test/ok'],
  ['confirm', 'This order is paid', 'https://shop.test/ok'],
  ['cancel', 'This checkout was canceled', 'https://shop.test/no'],
])('shows the end of a checkout after %s, with a link back to the shop', async (how, heading, back) => {
  const { shop, call, id, buyer } = await open()
  if (how === 'approve') shop.buyer.approve(id)
  else await call('POST', `/v1/checkouts/${id}/${how}`)
  const { text } = await buyer.submit('card', CARD)
  expect(text).toContain(heading)
  const [, link] = /href="([^"]+)">Return to/.exec(text)!
  expect(link!.endsWith('/cancel') ? (await buyer.open('cancel')).to : link).toBe(back)
})

test('a phone number gets its codes by SMS', async () => {
  const { shop, logIn } = await open()
  shop.clearOutbox()
  await logIn('+1 (555) 555-0100')
  expect(shop.outbox()).toMatchObject([{ channel: 'sms', to: '+15555550100', template: 'login_code' }])
})
