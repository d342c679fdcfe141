/** A simulator with some history, a receiver that fails, and a browser with the dashboard open. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { openServer } from '../served.ts'
import { launch } from './browser.ts'
import { client, NOW, openPage } from './stage.ts'

export const HOSTILE = `"'><script>hacked=1</script><img src=x onerror=hacked=1>&lt;{{7*7}}`

export async function openDashboard(options: SimulatorOptions = {}) {
  const [browser, receiver] = await Promise.all([launch(), openReceiver()])
  const { simulator, internalsOf } = composeSimulator({
    rateLimit: 'off',
    clock: `frozen@${new Date(NOW).toISOString()}`,
    seed: 1,
    log: 'silent',
    ...options,
  })
  const { url } = await simulator.listen()
  const ui = `${url}/_sim/ui`
  const shop = simulator.sandbox('default')

  /** Calls the API as a platform; returns undefined without a response. */
  async function call(asked: string, body?: unknown, headers: Record<string, string> = {}) {
    const [method = '', path = ''] = asked.split(' ')
    const json = { 'x-api-key': shop.apiKey, 'content-type': 'application/json', ...headers }
    const request = { method, headers: json, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await fetch(url + path, request).catch(() => undefined)
    return (await answer?.json().catch(() => ({}))) as Record<string, unknown> & { id: string }
  }

  return {
    browser,
    receiver,
    simulator,
    internalsOf,
    shop,
    url,
    ui,
    call,
    order: client(url, 'http://shop.test').createCheckout,
    /** Opens a page, which is closed at the end of the test. */
    async open(path = '', how: BrowserContextOptions = {}): Promise<Page> {
      const page = await openPage(browser, { viewport: { width: 1280, height: 900 }, ...how })
      onTestFinished(() => page.context().close())
      await page.goto(ui + path)
      return page
    },
    async close() {
      await browser.close()
      await simulator.close()
      await receiver.close()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openDashboard>>

/** A checkout with every kind of history, and hostile text in each field. */
export async function makeHistory({ call, shop, order, receiver }: Stage): Promise<Record<string, string>> {
  shop.webhook.put({ url: receiver.url })
  const checkout = await order({ orderId: HOSTILE, externalId: HOSTILE })
  shop.buyer.approve(checkout.id)
  await shop.clock.advance('3s')
  await call(`POST /v1/checkouts/${checkout.id}/confirm`, {}, { 'idempotency-key': HOSTILE })
  const refund = { 'idempotency-key': 'refund-1' }
  const lost = { ...refund, 'x-sim': 'fault=reset; at=after-commit' }
  await call(`POST /v1/checkouts/${checkout.id}/refunds`, { amount: 250 }, lost)
  const { id: refunded } = await call(`POST /v1/checkouts/${checkout.id}/refunds`, { amount: 250 }, refund)
  await call(`POST /v1/checkouts/${checkout.id}/refunds`, { amount: 300, note: HOSTILE }, refund)
  await call(`GET /v1/${HOSTILE}`)
  await shop.clock.advance('2d')
  const customer = await call('POST /v1/customers', { externalId: 'biz-7', name: HOSTILE })
  const held = await call('POST /v1/authorizations', { amount: 75.5, customerId: customer.id })
  const event = shop.events({ resourceId: checkout.id })[0]!.id
  return {
    checkout: checkout.id,
    refund: refunded,
    customer: customer.id,
    authorization: held.id,
    method: String(held.paymentMethodId),
    event,
  }
}

/** A receiver that responds to the first of every three requests with 500 and a hostile text. */
async function openReceiver() {
  let received = 0
  const { url, close } = await openServer((request, response) => {
    request.resume()
    received += 1
    response.writeHead(received % 3 === 1 ? 500 : 204)
    response.end(received % 3 === 1 ? HOSTILE : undefined)
  })
  return { url: `${url}/hooks`, received: () => received, close }
}
