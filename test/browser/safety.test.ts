/** The buyer's security: no injected script runs, strangers get no access, and no card number is stored. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import {
  choose,
  client,
  enterCard,
  follow,
  heading,
  logIn,
  NOW,
  openPage,
  openStage,
  press,
  TYPED,
  type,
} from './stage.ts'

const data = mkdtempSync(join(tmpdir(), 'paysim-'))
let stage: Awaited<ReturnType<typeof openStage>>
let logged = ''
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    logged += line
    return true
  })
  stage = await openStage({ data, log: 'json' })
})
afterAll(async () => {
  await stage.close()
  vi.restoreAllMocks()
  rmSync(data, { recursive: true })
})

const HOSTILE = `"'><script>hacked=1</script><img src=x onerror=hacked=1>&lt;{{7*7}}`

it('text from a platform or a buyer is never interpreted as markup', async () => {
  const checkout = await stage.createCheckout({
    orderId: HOSTILE,
    externalId: HOSTILE,
    paymentMethodType: 'bank_account',
  })
  const page = await openPage(stage.browser)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (!message.text().includes('status of 400')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(stage.url)) foreign.push(request.url())
  })
  const shown = async () => {
    expect(await page.locator('body').innerText()).toContain(HOSTILE)
    expect(await page.evaluate('typeof hacked')).toBe('undefined')
  }

  await page.goto(checkout.checkoutUrl)
  await shown()
  await type(page, { 'E-mail or phone number': HOSTILE })
  await press(page, 'Send the code')
  expect(await page.getByLabel('E-mail or phone number').inputValue()).toBe(HOSTILE)
  await logIn(page, checkout.checkoutUrl, `"><script>hacked=1</script>@example.test`)
  await shown()
  await type(page, {
    'First name': 'Test',
    'Last name': 'Approved',
    'Business name': HOSTILE,
    'National ID': '1',
  })
  await press(page, 'Apply')
  await shown()
  expect(await page.getByLabel('Business name').inputValue()).toBe(HOSTILE)
  await type(page, { 'National ID': TYPED.nationalId })
  await press(page, 'Apply')
  await follow(page, /Fill in 222222226/)
  await press(page, 'Continue to review')
  await shown()
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
  await page.context().close()
})

it('no card, account or personal number is stored, shown or logged', async () => {
  const card = await stage.createCheckout()
  const bank = await stage.createCheckout({ paymentMethodType: 'bank_account' })
  const page = await openPage(stage.browser)
  const pages: string[] = []
  const submit = async (button: string | RegExp) => {
    await press(page, button)
    pages.push(await page.content())
  }

  await logIn(page, card.checkoutUrl)
  await choose(page, 'Card')
  await type(page, { 'Card number': TYPED.card, 'Expiry date': '1', 'Security code': TYPED.cvc })
  await submit('Continue to review')
  await type(page, { 'Card number': TYPED.card, 'Expiry date': '11 / 29', 'Security code': TYPED.cvc })
  await submit('Continue to review')
  await submit(/Accept and pay/)

  await logIn(page, bank.checkoutUrl)
  await type(page, { 'National ID': TYPED.nationalId })
  await submit('Apply')
  await type(page, {
    'First name': 'Ada',
    'Last name': 'Buyer',
    'Business name': 'Example',
    'National ID': TYPED.nationalId,
  })
  await submit('Apply')
  await type(page, { 'Routing number': '1', 'Account number': TYPED.account })
  await submit('Continue to review')
  await type(page, { 'Routing number': '222222226', 'Account number': TYPED.account })
  await submit('Continue to review')
  await submit(/Accept and pay/)
  expect(page.url()).toContain('/thanks')

  await stage.sandbox.settle()
  const files = readdirSync(data).map((file) => readFileSync(join(data, file), 'latin1'))
  const journal = JSON.stringify(stage.sandbox.requests())
  const everything = [...files, ...pages, journal, logged].join('\n')
  for (const number of [TYPED.card, TYPED.account, TYPED.nationalId]) {
    expect(everything).not.toContain(number)
    expect(everything).not.toContain(number.replace(/\D/g, ''))
    expect(everything).toContain(number.slice(-4))
  }
  await page.context().close()
})

it('a buyer resumes at the same step after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-'))
  const start = async () => {
    const sim = createSimulator({ data: folder, clock: `frozen@${new Date(NOW).toISOString()}` })
    return { sim, ...(await sim.listen()) }
  }
  const before = await start()
  const checkout = await client(before.url, stage.shop.url).createCheckout()
  const page = await openPage(stage.browser)
  await logIn(page, checkout.checkoutUrl)
  await choose(page, 'Card')
  await enterCard(page)
  await before.sim.close()

  const after = await start()
  await page.goto(`${after.url}/checkout/${checkout.id}`)
  expect(await heading(page)).toBe('Review and pay')
  await press(page, /Accept and pay/)
  expect(page.url()).toContain('/thanks')
  await page.context().close()
  await after.sim.close()
  rmSync(folder, { recursive: true })
})

it('the return URL to the shop may redirect, and may contain any characters', async () => {
  const page = await openPage(stage.browser)
  for (const [successUrl, arrives] of [
    [`${stage.shop.url}/leads-on`, '/arrived'],
    [`${stage.shop.url}/größe?ok=✓`, '/gr%C3%B6%C3%9Fe?ok=%E2%9C%93'],
  ]) {
    const checkout = await stage.createCheckout({ successUrl })
    await logIn(page, checkout.checkoutUrl)
    await choose(page, 'Card')
    await enterCard(page)
    await press(page, /Accept and pay/)
    expect(page.url()).toBe(stage.shop.url + arrives)
  }
  await page.context().close()
})

describe('a form', () => {
  const cookieOf = async (page: Page) =>
    (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')

  const post = (url: string, cookie: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', redirect: 'manual', headers: { cookie }, body: new URLSearchParams(fields) })

  it('requires the token of the form and the session of the same checkout', async () => {
    const [mine, foreign] = [await stage.createCheckout(), await stage.createCheckout()]
    const page = await openPage(stage.browser)
    await logIn(page, mine.checkoutUrl)
    const cookie = await cookieOf(page)
    const token = (await page.locator('[name=token]').first().getAttribute('value')) ?? ''

    const chosen = { method: 'card' }
    const tries: [url: string, cookie: string, fields: Record<string, string>, status: number][] = [
      [mine.checkoutUrl, cookie, chosen, 403],
      [mine.checkoutUrl, cookie, { ...chosen, token: `${token}x` }, 403],
      [mine.checkoutUrl, '', { ...chosen, token }, 403],
      [mine.checkoutUrl, cookie.replace(/.$/, '_'), { ...chosen, token }, 403],
      [foreign.checkoutUrl, cookie, { ...chosen, token }, 403],
      [mine.checkoutUrl, cookie, { ...chosen, token }, 303],
    ]
    for (const [url, sent, fields, status] of tries) {
      expect((await post(`${url}/method`, sent, fields)).status).toBe(status)
    }
    await page.context().close()
  })

  it('cannot skip a step, and pays once when submitted twice', async () => {
    const checkout = await stage.createCheckout()
    const page = await openPage(stage.browser)
    await logIn(page, checkout.checkoutUrl)
    const token = (await page.locator('[name=token]').first().getAttribute('value')) ?? ''
    const early = await post(`${checkout.checkoutUrl}/review`, await cookieOf(page), { token })
    expect([early.status, early.headers.get('location')]).toEqual([
      303,
      new URL(checkout.checkoutUrl).pathname,
    ])
    const around = await post(`${checkout.checkoutUrl}/bank`, await cookieOf(page), {
      token,
      routing: '222222226',
      account: '12345',
    })
    expect(around.headers.get('location')).toBe(new URL(checkout.checkoutUrl).pathname)
    expect(await stage.readCheckout(checkout.id)).toMatchObject({ status: 'pending' })

    await choose(page, 'Card')
    await enterCard(page)
    const clicks = [1, 2].map(async () =>
      post(`${checkout.checkoutUrl}/review`, await cookieOf(page), { token }),
    )
    for (const { headers } of await Promise.all(clicks)) {
      expect(headers.get('location')).toBe(checkout.successUrl)
    }
    expect(stage.sandbox.events({ type: 'checkout.approved', resourceId: checkout.id })).toHaveLength(1)
    await page.context().close()
  })
})

it('a page loads nothing from elsewhere and cannot be framed; its cookie is limited to one checkout and hidden from scripts', async () => {
  const checkout = await stage.createCheckout()
  const { headers } = await fetch(checkout.checkoutUrl)
  const path = new URL(checkout.checkoutUrl).pathname
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  )
  expect(headers.get('referrer-policy')).toBe('same-origin')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('set-cookie')).toMatch(new RegExp(`; Path=${path}; HttpOnly; SameSite=Lax$`))
})
