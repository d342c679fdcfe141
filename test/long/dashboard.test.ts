/** The dashboard from the developer's side: every page in a real browser, at five widths, in light and dark mode. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOSTILE, makeHistory, openDashboard, type Stage } from '../browser/dashboard-stage.ts'
import { arrive, client, faultsOf, heading } from '../browser/stage.ts'
import { linkedPages } from '../linked-pages.ts'

let stage: Stage
let made: Record<string, string>
beforeAll(async () => {
  stage = await openDashboard()
  made = await makeHistory(stage)
  stage.simulator.create({ name: 'other' })
  stage.shop.arm({
    behaviors: [{ id: HOSTILE, when: { op: 'checkouts.cancel' }, do: { respond: { status: 503 } } }],
  })
})
afterAll(() => stage.close())

const PAGES = [
  '',
  '/?order={checkout}',
  '/requests',
  '/requests?only=failing&method=POST',
  '/requests/req_1',
  '/requests/req_5',
  '/requests/req_6',
  '/resources/checkouts',
  '/resources/{checkout}',
  '/resources/{customer}',
  '/resources/{method}',
  '/ledger',
  '/audit',
  '/outbox',
  '/webhooks',
  '/events/{event}',
  '/behaviors',
  '/sandboxes',
  '/find?q=<b>nobody',
  '/find?q=e',
  '/nowhere',
]

/** Together these pages use every color, so only they are also checked in dark mode. */
const COLORFUL = new Set([
  ...['/requests/req_5', '/behaviors', '', '/?order={checkout}', '/resources/{checkout}', '/webhooks'],
])

interface Look {
  width: number
  colorScheme: 'light' | 'dark'
  faults?: (page: Page, path: string) => Promise<string[]>
}

/** Light mode checks the narrow page for missing names; dark mode checks contrast, which does not depend on the width. */
const LOOKS: readonly Look[] = [
  {
    width: 390,
    colorScheme: 'light',
    faults: (page) => faultsOf(page),
  },
  {
    width: 1280,
    colorScheme: 'dark',
    faults: async (page, path) => (COLORFUL.has(path) ? faultsOf(page, ['color-contrast']) : []),
  },
  { width: 768, colorScheme: 'dark' },
  { width: 1024, colorScheme: 'light' },
  { width: 1440, colorScheme: 'light' },
]

/** WCAG 2.2, 1.4.10: at a zoom of 400 %, a window of 1280 pixels has 320. Tables and drawings may scroll there, but not the page. */
const ZOOMED = 320

/**
 * Finds elements that are wider than the window or their parent. Exempt are texts for screen readers (in a narrow list also the
 * table headings), which are one pixel wide; fields, which scroll; and long order names, which are cut off with an ellipsis.
 */
const tooWide = (page: Page) =>
  page.evaluate(`(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ['the page'] : []
    for (const box of document.querySelectorAll('main *')) {
      if (box.closest('svg, .hidden-text, .cut, input, select, option, textarea')) continue
      if (box.closest('thead')?.offsetWidth === 1) continue
      const [{ width, right }, around] = [box.getBoundingClientRect(), box.parentElement.getBoundingClientRect()]
      const { overflowX, textOverflow } = getComputedStyle(box)
      const hides = overflowX !== 'visible' && textOverflow !== 'ellipsis'
      const isCut = box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1 && hides
      if (width > 0 && (right > around.right + 1 || isCut)) found.push(box.tagName + '.' + box.className)
    }
    return [...new Set(found)]
  })()`) as Promise<string[]>

const scrollsSideways = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')

const addressOf = (path: string) => stage.ui + path.replace(/\{(\w+)\}/g, (_, name) => made[name] ?? '')

/** Treats pages that differ only by an id, a query, the sandbox or the list of resources as one page. */
const kindOf = (path: string) =>
  path
    .replace(/\?.*/, '')
    .replace(/^\/_sim\/ui(\/sandboxes\/[^/]+)?/, '')
    .replaceAll(/\/[a-z]+_\w+/g, '/id')
    .replace(/^\/resources\/(?!id$).+/, '/resources/list')

describe('every page', () => {
  it('is in PAGES if a link leads to it', async () => {
    const looked = new Set(PAGES.map((path) => kindOf(addressOf(path).slice(stage.url.length))))
    const linked = await linkedPages(stage.simulator, ['/_sim/ui'])
    expect(linked.map(({ path }) => kindOf(path)).filter((kind) => !looked.has(kind))).toEqual([])
    expect(linked.length).toBeGreaterThan(20)
  })

  it('fits, logs no error and passes axe, at each width in light and dark mode', async () => {
    const page = await stage.open()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (!message.text().includes('status of 404')) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(stage.url)) complaints.push(`asked for ${request.url()}`)
    })
    for (const path of PAGES) {
      await page.goto(addressOf(path))
      expect(await page.evaluate('typeof hacked')).toBe('undefined')
      expect((await heading(page)).trim()).not.toBe('')
      for (const { width, colorScheme, faults } of LOOKS) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        const at = `${path} at ${width}, ${colorScheme}`
        for (const box of await tooWide(page)) complaints.push(`${at}: ${box} is too wide`)
        for (const fault of (await faults?.(page, path)) ?? []) complaints.push(`${at}: ${fault}`)
      }
      await page.setViewportSize({ width: ZOOMED, height: 900 })
      if (await scrollsSideways(page)) complaints.push(`${path} at ${ZOOMED}: scrolls sideways`)
    }
    expect(complaints).toEqual([])
  }, 180_000)

  it('keeps its layout: stacked buttons, a table from 768 pixels up, an order on one line', async () => {
    const held = { externalId: 'cust-2', amount: 75.5, orderId: 'held-cust-2' }
    const shop = stage.simulator.sandbox('columns', {
      webhook: { url: 'http://127.0.0.1:1/hooks' },
      fixture: { customers: [{ externalId: held.externalId, name: 'Ada' }], authorizations: [held] },
    })
    const buy = client(stage.url, 'http://shop.test', shop.apiKey).createCheckout
    const long = 'The Trading Company whose name is longer than any column of a list could ever be'
    for (const [orderId, externalId] of [
      ['order-1', 'acme'],
      ['order-10', long],
      [`${long} and ${'X'.repeat(90)}`, 'acme'],
    ])
      await buy({ orderId, externalId, amount: 123456.78 })
    const [oldest, , longest] = shop.events().filter(({ type }) => type === 'checkout.created')
    await shop.settle({ held: false }).catch(() => {})
    const page = await stage.open('', { viewport: { width: 1440, height: 900 } })
    const boxes = async (path: string, selector: string, side: 'x' | 'height' | 'y') => {
      await page.goto(`${stage.ui}/sandboxes/columns${path}`)
      const found = await page
        .locator(selector)
        .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().toJSON()))
      return found.map((box: Record<string, number>) => Math.round(box[side]!))
    }
    const same = ([first, ...others]: number[]) => others.length > 0 && others.every((box) => box === first)
    expect(await boxes('/webhooks', 'tbody form', 'x')).toSatisfy(same)
    expect(await boxes('', '.orders [data-id]', 'height')).toSatisfy(same)
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(await boxes('/webhooks', '.event-name code', 'height')).toSatisfy(same)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await boxes(`/resources/${longest!.data.id}`, '.heads > *', 'height')).toSatisfy(same)
    await page.setViewportSize({ width: 768, height: 900 })
    for (const kind of ['checkouts', 'authorizations']) {
      expect(await boxes(`/resources/${kind}`, 'tbody tr:first-child td', 'y')).toSatisfy(same)
      expect([kind, await scrollsSideways(page)]).toEqual([kind, false])
    }
    await page.setViewportSize({ width: 390, height: 900 })
    for (const part of ['.clock', 'tbody .delivery'])
      expect(await boxes('/webhooks', part, 'height')).toSatisfy(
        (heights: number[]) => heights.length > 0 && heights.every((height) => height < 48),
      )
    // An opened order that is not on the first page of the list is shown below it, in view.
    for (let n = 0; n < 55; n += 1) await buy()
    await page.setViewportSize({ width: 1440, height: 900 })
    const [y] = await boxes(`?order=${oldest!.data.id}`, '.orders [aria-current]', 'y')
    expect(y).toSatisfy((at: number) => at > 0 && at < 900)
    expect(await page.locator('.inspector h2').first().isVisible()).toBe(true)
    stage.simulator.remove('columns')
  })

  it('aligns the navigation and the clock with the content, and centers a notice, on a wide screen', async () => {
    const page = await stage.open('/requests/req_1', { viewport: { width: 1800, height: 900 } })
    const edges = await page
      .locator('.brand img, .clock time, main h1, main .notice')
      .evaluateAll((all) => all.map((part) => part.getBoundingClientRect().x))
    expect(new Set(edges).size).toBe(1)
    const [brand, first] = (await page.evaluate(`['.brand', '.places a'].map((part) => {
      const text = document.createRange()
      text.selectNodeContents([...document.querySelector(part).childNodes].find(({ nodeValue }) => nodeValue?.trim()))
      return text.getBoundingClientRect().y
    })`)) as [number, number]
    expect(Math.abs(brand - first)).toBeLessThan(0.5)
    const [above, below] = (await page.locator('.notice').evaluate((notice) => {
      const [{ top, bottom }, text] = [notice.getBoundingClientRect(), notice.querySelector('p')!]
      const inner = text.getBoundingClientRect()
      return [inner.top - top, bottom - inner.bottom]
    })) as [number, number]
    expect(Math.abs(above - below)).toBeLessThan(1)
  })
})

describe('finding a row', () => {
  it('the skip link leads to the first row, and a chosen filter applies immediately', async () => {
    const page = await stage.open('/requests')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.locator('[data-id]:focus-within').count()).toBe(1)
    await arrive(page, async () => {
      await page.getByLabel('Status').selectOption('4xx')
    })
    expect(page.url()).toContain('status=4xx')
  })
})

it('shows rows on the first screen at a zoom of 200 %, and a click anywhere in a row opens it', async () => {
  const page = await stage.open('', { viewport: { width: 640, height: 450 } })
  for (const path of ['', '/requests', '/webhooks', '/ledger', '/outbox', '/resources/checkouts']) {
    await page.goto(stage.ui + path)
    expect([path, (await page.locator('main [data-id]').first().boundingBox())!.y]).toEqual([
      path,
      expect.toSatisfy((y: number) => y < 450 - 24),
    ])
  }
  for (const [path, row] of [
    ['/requests', 'tbody [data-id] .when'],
    ['/sandboxes', '.items [data-id=other] code'],
  ] as const) {
    await page.goto(stage.ui + path)
    await arrive(page, () => page.locator(row).first().click())
    expect(page.url()).not.toBe(stage.ui + path)
  }
})

describe('the row of a request', () => {
  it('shows why the request was refused, and its order, amount and key', async () => {
    const page = await stage.open('/requests?resource={checkout}'.replace('{checkout}', made.checkout!))
    const reused = await page.locator('tr[data-id=req_5]').innerText()
    expect(reused).toContain('Idempotency-Key was already used with a different request body')
    expect(reused).toContain('$300')
    expect(reused).toContain('key refund-1')
    expect(reused).not.toContain('refused:')
    await page.goto(`${stage.ui}/requests?op=checkouts.create`)
    expect(await page.locator('tbody tr[data-id]').innerText()).toContain(HOSTILE)
  })

  it('distinguishes a response that will never come from one in flight', async () => {
    await stage.call('GET /v1/events', undefined, { 'x-sim': 'fault=reset; at=before' })
    const page = await stage.open('/requests?op=events.list')
    const row = await page.locator('tr[data-id]').first().innerText()
    expect(row).toContain('no answer')
    expect(row).toContain('reset')
    expect(row).not.toContain('in flight')
  })
})

describe('an explained request', () => {
  it('shows its path, the stage that responded, and the differences between two bodies', async () => {
    const page = await stage.open('/requests/req_5')
    expect(await page.locator('.path [data-outcome=answered]').innerText()).toContain('idempotency')
    expect(await page.locator('.path [data-outcome=not-reached]').count()).toBe(4)
    const rows = page.getByRole('table', { name: 'Differences between the bodies' }).locator('tbody tr')
    expect(await rows.first().innerText()).toMatch(/amount\s+250\s+300/)
    await page.setViewportSize({ width: 390, height: 900 })
    const titles =
      '[...document.querySelector("tbody tr").cells].map((cell) => getComputedStyle(cell, "::before").content)'
    expect(await page.evaluate(titles)).toEqual(['"field"', '"first request"', '"this request"'])
  })
})

describe('the timeline', () => {
  it('shows a lost response, its replay and the reused key, and links to each', async () => {
    const page = await stage.open(`/resources/${made.checkout}`)
    const drawing = page.locator('.timeline')
    const notes = await drawing.locator('.asked .note', { hasText: 'key refund-1' }).allTextContents()
    expect(notes).toEqual([
      'connection reset, after the commit · X-Sim · key refund-1',
      'replayed · key refund-1',
      'key refund-1',
    ])
    expect(await drawing.locator('.request.lost').count()).toBeGreaterThan(0)
    expect(await drawing.locator('.pause').last().textContent()).toMatch(/later/)
    await arrive(page, () => drawing.locator('a.request.replayed').last().click())
    expect(page.url()).toContain('/requests/req_4')
  })

  it('is one list at every width, in chronological order, with the time in each name and selectable text', async () => {
    const page = await stage.open(`/resources/${made.checkout}`)
    const names = await page.locator('.timeline .moment a').allTextContents()
    const times = names.map((name) => name.slice(0, 12))
    expect(times.filter((time) => !/^\d\d:\d\d:\d\d\.\d{3}$/.test(time))).toEqual([])
    expect(new Set(times).size).toBeGreaterThan(2)
    const asked = page.locator('.timeline a.request').first()
    for (const [width, isBeside] of [
      [390, false],
      [768, true],
      [1440, true],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      const [request, change] = [
        await asked.boundingBox(),
        await page.locator('.timeline a.change').first().boundingBox(),
      ]
      const end = request!.x + request!.width
      if (isBeside) expect(change!.x, `at ${width}`).toBeGreaterThan(end)
      else expect(change!.x, `at ${width}`).toBeLessThanOrEqual(end)
    }
    const from = (await page.locator('.timeline .moment time').first().boundingBox())!
    const { x, y } = (await asked.locator('.what').boundingBox())!
    await page.mouse.move(from.x + 2, from.y + 12)
    await page.mouse.down()
    await page.mouse.move(x + 90, y + 12, { steps: 5 })
    await page.mouse.up()
    expect(await page.evaluate('getSelection().toString()')).toMatch(/^\d\d:\d\d:\d\d\.\d{3}\s+POST/)
    expect(page.url()).toContain('/resources/')
  })
})

it('copies the command that records the filtered requests', async () => {
  const page = await stage.open('/requests?op=checkouts.refund', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.getByText('Record these requests as a scenario').click()
  await page.locator('.tools .snippet button').first().click()
  await page.getByText('Copied').waitFor()
  const ids = stage.shop.requests({ op: 'checkouts.refund' }).map(({ id }) => id)
  expect(ids).toContain('req_4')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `paysim record --target ${stage.url} ${ids.join(' ')}`,
  )
})
