/** A simulator, a shop and a browser, and the usual steps of a buyer. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createSimulator, type SandboxOptions, type SimulatorOptions } from '../../src/index.ts'
import type { Checkout as WireCheckout } from '../../src/spec/contract/resources/checkout.ts'
import { ORDER } from '../order.ts'
import { launch } from './browser.ts'
import { openShop } from './shop.ts'

export const NOW = Date.parse('2026-03-01T09:00:00.000Z')
/** Valid values that no page suggests, so finding one anywhere means that it was stored. */
export const TYPED = {
  card: '4000 0566 5566 5556',
  cvc: '737',
  account: '80321456790',
  nationalId: '508-61-9274',
}

type Checkout = Pick<WireCheckout, 'id' | 'status'> & Record<string, unknown> & { checkoutUrl: string }

export async function openStage(options: SimulatorOptions & SandboxOptions = {}) {
  const [browser, shop] = await Promise.all([launch(), openShop()])
  const sim = createSimulator({
    rateLimit: 'off',
    clock: `frozen@${new Date(NOW).toISOString()}`,
    ...options,
  })
  const { url } = await sim.listen()
  return {
    browser,
    shop,
    sim,
    url,
    sandbox: sim.sandbox('default'),
    ...client(url, shop.url),
    async close() {
      await browser.close()
      await sim.close()
      await shop.close()
    },
  }
}

/** The platform's requests, the same as those of a shop's server. */
export function client(url: string, shopUrl: string, apiKey = 'sk_staging_default') {
  async function call(method: string, path: string, body?: object): Promise<Checkout> {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Checkout
  }
  return {
    createCheckout: (fields: object = {}) =>
      call('POST', '/v1/checkouts', {
        ...ORDER,
        orderId: 'order-1001',
        externalId: 'biz-42',
        successUrl: `${shopUrl}/thanks?order=1001&paid=yes`,
        cancelUrl: `${shopUrl}/basket#left`,
        ...fields,
      }),
    readCheckout: (id: string) => call('GET', `/v1/checkouts/${id}`),
    act: (id: string, action: 'confirm' | 'cancel') => call('POST', `/v1/checkouts/${id}/${action}`),
  }
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return page
}

/** Runs an action that navigates, and waits for the next page, whether it is loaded or replaced by a script. */
export async function arrive(page: Page, act: () => Promise<void>): Promise<void> {
  await page.locator('body').evaluate((body) => body.setAttribute('data-left', ''))
  await act()
  await page.locator('body:not([data-left])').waitFor({ state: 'attached' })
  await page.waitForLoadState('load')
}

export const press = (page: Page, name: string | RegExp) =>
  arrive(page, () => page.getByRole('button', { name }).click())

export const follow = (page: Page, name: string | RegExp) =>
  arrive(page, () => page.getByRole('link', { name }).first().click())

export const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()

export async function type(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
}

export async function logIn(page: Page, checkoutUrl: string, contact = 'ada@example.test'): Promise<void> {
  await page.goto(checkoutUrl)
  await type(page, { 'E-mail or phone number': contact })
  await press(page, 'Send the code')
  await type(page, { 'Verification code': '000000' })
  await press(page, 'Log in')
}

export async function choose(page: Page, method: 'Card' | 'Bank account'): Promise<void> {
  await page.getByRole('radio', { name: method }).check()
  await press(page, 'Continue')
}

export async function enterCard(page: Page, number = TYPED.card): Promise<void> {
  await type(page, { 'Card number': number, 'Expiry date': '11 / 29', 'Security code': TYPED.cvc })
  await press(page, 'Continue to review')
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Returns every violation that axe-core finds, whatever its severity, and reports horizontal overflow. Target size is a rule of
 * WCAG 2.2 that axe checks only on request. `only`: the rules to check.
 */
export async function faultsOf(page: Page, only?: string[]): Promise<string[]> {
  await page.evaluate(axe)
  const options = {
    resultTypes: ['violations'],
    ...(only ? { runOnly: only } : { rules: { 'target-size': { enabled: true } } }),
  }
  return page.evaluate(async (options) => {
    const { axe, document, innerWidth } = globalThis as never as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      document: { documentElement: { scrollWidth: number } }
      innerWidth: number
    }
    const { violations } = await axe.run(options)
    const tooWide = document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []
    return [...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`), ...tooWide]
  }, options)
}
