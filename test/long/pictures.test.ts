/**
 * The pictures in the README and docs/dashboard.md: each page is created from a fixed seed, and must still have the headings and
 * rows of its picture. `npm run pictures` takes the pictures again, in light and dark mode.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { launch } from '../browser/browser.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { openReceiver } from '../receiver.ts'

const PICTURES = join(import.meta.dirname, '../../docs/pictures')
const MAKES_THEM = process.env.UPDATE_PICTURES !== undefined
const MAX_BYTES = 150_000
const SCHEMES = ['light', 'dark'] as const

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

/** The headings of a page, and the text of each row. */
const structureOf = (rows: string) => `[...document.querySelectorAll('main :is(h1, h2, h3), ${rows}')]
  .filter((one) => one.checkVisibility())
  .map((one) => one.tagName + ' ' + one.innerText.replace(/\\s+/g, ' ').trim())`

interface Look {
  height: number
  rows?: string
}

async function compare(
  name: string,
  address: string,
  { height, rows = 'main :is(ol > li, tbody > tr)' }: Look,
) {
  const picture = (scheme: string) => join(PICTURES, `${name}-${scheme}.webp`)
  // Comparing one scheme is enough, because the content is the same in both.
  for (const colorScheme of MAKES_THEM ? SCHEMES : SCHEMES.slice(0, 1)) {
    const context = await browser.newContext({
      viewport: { width: 1280, height },
      deviceScaleFactor: 1.5,
      colorScheme,
    })
    const page = await context.newPage()
    await page.goto(address)
    const lines = (await page.evaluate(structureOf(rows))) as string[]
    const structure = `${lines.join('\n')}\n`
    const text = join(PICTURES, `${name}.txt`)
    if (MAKES_THEM) {
      mkdirSync(PICTURES, { recursive: true })
      const session = await context.newCDPSession(page)
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
      writeFileSync(picture(colorScheme), Buffer.from(data, 'base64'))
      writeFileSync(text, structure)
    }
    expect(structure, 'npm run pictures makes the pictures again').toBe(readFileSync(text, 'utf8'))
    await context.close()
  }
  for (const scheme of SCHEMES) expect(statSync(picture(scheme)).size).toBeLessThan(MAX_BYTES)
}

test('the list with an open order, and its timeline, match their pictures', async () => {
  const { url, orderId, close } = await openDay()
  await compare('orders', `${url}/_sim/ui?order=${orderId}`, { height: 900 })
  await compare('timeline', `${url}/_sim/ui/resources/${orderId}#happened`, { height: 1000 })
  await close()
})

test('the gauntlet report matches its picture', async () => {
  const cwd = folder({ 'shop.mjs': CARELESS })
  const only = 'answer-lost:refund,answer-lost:create,internal-error-once,webhook-duplicated,refund-immediate'
  const { exited } = spawnPaysim(
    ['gauntlet', '--only', only, '--report', 'html=report.html', '--', 'node', 'shop.mjs'],
    { TMPDIR: cwd },
    { cwd },
  )
  expect((await exited).code).toBe(1)
  await compare('gauntlet', pathToFileURL(join(cwd, 'report.html')).href, {
    height: 900,
    // Only the causes, because other rows contain times and ids of the run.
    rows: 'main .causes > li',
  })
})

/** A day of a shop that retries a refund under another key, and whose receiver fails for an hour. */
async function openDay() {
  const receiver = await openReceiver()
  const simulator = createSimulator({
    rateLimit: 'off',
    clock: 'frozen@2026-03-02T09:00:00.000Z',
    seed: 7,
    log: 'silent',
    webhook: { url: receiver.url },
  })
  const { url } = await simulator.listen()
  const shop = simulator.sandbox('default')
  async function call(path: string, key: string, body: object = {}, more = {}) {
    const answer = await fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': shop.apiKey,
        'content-type': 'application/json',
        'idempotency-key': key,
        ...more,
      },
      body: JSON.stringify(body),
    }).catch(() => undefined)
    return ((await answer?.json()) ?? {}) as { id: string }
  }
  const urls = { successUrl: 'https://shop.test/thanks', cancelUrl: 'https://shop.test/basket' }
  async function buy(number: number, externalId: string, amount: number) {
    const order = { orderId: `order-${number}`, externalId, amount, ...urls }
    const { id } = await call('/checkouts', `create-${number}-5f1c9f`, order)
    await shop.clock.advance('41s')
    if (number === 3) return id
    if (number === 5) {
      await call(`/checkouts/${id}/cancel`, `cancel-${number}-b20e71`)
      return id
    }
    shop.buyer.approve(id)
    await shop.clock.advance('3s')
    await call(`/checkouts/${id}/confirm`, `confirm-${number}-90ae3c`)
    return id
  }
  const buyers = ['Café Zoë', 'Müller & Söhne', 'Northwind Ltd', 'Atelier Bleu', 'Harbour Books']
  let orderId = ''
  for (const [index, amount] of [84, 19.9, 42.5, 240, 64.8, 12.75, 129.9, 310, 58.2].entries()) {
    const number = index + 1
    if (number === 9) receiver.reply(500)
    const id = await buy(number, buyers[index % buyers.length]!, amount)
    if (number === 7) {
      orderId = id
      const lost = { 'x-sim': 'fault=reset; at=after-commit' }
      await call(`/checkouts/${id}/refunds`, 'r7-a1c04e', { amount: 49.95 }, lost)
      await call(`/checkouts/${id}/refunds`, 'r7-d83b52', { amount: 49.95 })
    }
    if (number === 8) await call(`/checkouts/${id}/refunds`, 'r8-77f0ab', { amount: 30 })
    await shop.clock.advance('4m')
  }
  await shop.clock.advance('1h')
  await shop.settle({ held: false }).catch(() => {})
  return {
    url,
    orderId,
    close: () => simulator.close(),
  }
}

/** A shop that retries a refund without a key. */
const CARELESS = `
  import { createServer } from 'node:http'
  const receiver = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()))
  receiver.listen(process.env.PAYSIM_WEBHOOK_PORT, '127.0.0.1')
  const { PAYSIM_URL, PAYSIM_API_KEY } = process.env
  async function post(path, body = {}) {
    for (let left = 3; ; left -= 1) {
      try {
        const answer = await fetch(PAYSIM_URL + '/v1/checkouts' + path, {
          method: 'POST',
          headers: { 'x-api-key': PAYSIM_API_KEY, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        if (answer.ok || answer.status === 409) return await answer.json()
        throw new Error('status ' + answer.status)
      } catch (error) {
        if (left === 0) throw error
      }
    }
  }
  const urls = { successUrl: 'https://shop.test/ok', cancelUrl: 'https://shop.test/no' }
  const { id } = await post('', { orderId: 'order-7', externalId: 'Café Zoë', amount: 129.9, ...urls })
  await post('/' + id + '/confirm')
  await post('/' + id + '/refunds', { amount: 49.95 })
  receiver.close()
`
