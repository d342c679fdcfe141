/** Chromium over TLS: HTTP/2 is used, a buyer pays, and an open page of the dashboard updates live. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { ORDER } from '../order.ts'
import { launch } from './browser.ts'
import { choose, enterCard, heading, logIn, openPage, press } from './stage.ts'

const simulator = createSimulator({ rateLimit: 'off', seed: 1 })
let browser: Browser
let url: string

beforeAll(async () => {
  const [launched, listening] = await Promise.all([launch(), simulator.listen({ tls: true })])
  browser = launched
  url = listening.url
})
afterAll(() => Promise.all([browser.close(), simulator.close()]))

async function call(method: string, path: string, body?: object) {
  const headers = { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await simulator.fetch(new Request(new URL(path, url), init))).json() as Promise<{
    checkoutUrl: string
  }>
}

/** Chromium is configured to accept the unknown certificate authority. */
const openSecurePage = () => openPage(browser, { ignoreHTTPSErrors: true })

test('a buyer pays', async () => {
  const page = await openSecurePage()
  const { checkoutUrl } = await call('POST', '/v1/checkouts', {
    ...ORDER,
    successUrl: `${url}/healthz?paid`,
    cancelUrl: `${url}/healthz?left`,
  })
  await logIn(page, checkoutUrl)
  const protocol = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
  expect(await page.evaluate(protocol)).toBe('h2')
  await choose(page, 'Card')
  await enterCard(page)
  expect(await heading(page)).toBe('Review and pay')
  await press(page, /Accept and pay/)
  expect(page.url()).toBe(`${url}/healthz?paid`)
})

test('an open page of the dashboard updates live, and its forms work', async () => {
  const page = await openSecurePage()
  await page.goto(`${url}/_sim/ui/requests`)
  await page.locator('[data-live][data-state=live]').waitFor()
  await call('GET', '/v1/checkouts/chk_nobody')
  await page.getByText('chk_nobody').first().waitFor()
})
