/** The buyer's security in a real browser: no injected script runs, and the shop may redirect. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { choose, enterCard, follow, logIn, openPage, openStage, press, TYPED, type } from './stage.ts'

let stage: Awaited<ReturnType<typeof openStage>>
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

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
