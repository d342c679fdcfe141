/** The hosted page and the dashboard of production: marked as a simulation, without test values, and without axe violations. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { choose, client, enterCard, faultsOf, heading, openPage, openStage, press, type } from './stage.ts'

const STRIP = 'A simulation of production. No money moves and no message leaves this machine.'

let stage: Awaited<ReturnType<typeof openStage>>
let url: string

beforeAll(async () => {
  stage = await openStage({ seed: 1 })
  url = (await stage.sim.production.listen()).url
})
afterAll(() => stage.close())

test('a buyer pays with the code from the message and an ordinary card, after a test card is declined', async () => {
  const live = stage.sim.production.sandbox('default')
  const { createCheckout, act } = client(url, stage.shop.url, live.apiKey)
  const { id, checkoutUrl } = await createCheckout()
  const page = await openPage(stage.browser)

  await page.goto(checkoutUrl)
  expect(await page.locator('.strip').innerText()).toBe(STRIP)
  await type(page, { 'E-mail or phone number': 'ada@example.test' })
  await press(page, 'Send the code')
  expect(await page.getByText(/staging/i).count()).toBe(0)
  await type(page, { 'Verification code': '000000' })
  await press(page, 'Log in')
  expect(await page.getByText('This is not the code.').count()).toBeGreaterThan(0)
  expect(await faultsOf(page)).toEqual([])
  await type(page, { 'Verification code': live.outbox()[0]!.body.slice(0, 6) })
  await press(page, 'Log in')

  await choose(page, 'Card')
  await enterCard(page, '4242 4242 4242 4242')
  expect(await page.getByText('The bank declined this card: it is a test card.').count()).toBeGreaterThan(0)
  await enterCard(page, '4539 6281 7309 2453')
  expect(await heading(page)).toBe('Review and pay')
  await press(page, /Accept and pay/)
  expect(page.url()).toContain('/thanks')
  expect((await act(id, 'confirm')).status).toBe('confirmed')
})

test('the dashboard marks each page of production at both addresses, and no page of staging', async () => {
  const page = await openPage(stage.browser)
  const strips = async (address: string) => {
    await page.goto(address)
    const texts = await page.locator('.strip').allInnerTexts()
    return texts.map((text) => text.replaceAll(/\s+/g, ' '))
  }
  expect(await strips(`${url}/_sim/ui`)).toEqual([STRIP])
  expect(await page.title()).toContain('production')
  expect(await page.locator('pre').filter({ hasText: 'sk_live_default' }).count()).toBeGreaterThan(0)
  expect(await faultsOf(page)).toEqual([])
  expect(await strips(`${url}/_sim/ui/outbox`)).toEqual([STRIP])
  expect(await page.getByText('would have been sent').count()).toBeGreaterThan(0)
  expect(await faultsOf(page)).toEqual([])
  expect(await strips(`${url}/_sim/ui/resources/checkouts`)).toEqual([STRIP])
  expect(await strips(`${stage.url}/_sim/ui/sandboxes/production.default`)).toEqual([STRIP])
  expect(await strips(`${stage.url}/_sim/ui`)).toEqual([])
  expect(await strips(`${url}/_sim/ui/sandboxes/staging.default`)).toEqual([])

  await page.goto(`${url}/_sim/ui/sandboxes`)
  await page.getByLabel('Name', { exact: true }).last().fill('shop')
  await press(page, 'Create')
  expect(stage.sim.find('production.shop').apiKey).toBe('sk_live_shop')
  expect(await page.locator('.strip').allInnerTexts()).toEqual([STRIP])
})
