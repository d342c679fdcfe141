/** Pages that update live, in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHistory, openDashboard, type Stage } from '../browser/dashboard-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openDashboard()
  await makeHistory(stage)
})
afterAll(() => stage.close())

describe('the live stream', () => {
  const rows = (page: Page) => page.locator('main tbody > [data-id]')
  const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor()

  it('shows a request once it is answered, and keeps typed text and focus', async () => {
    const page = await stage.open('/requests')
    await isLive(page)
    await stage.call('GET /v1/checkouts?limit=3')
    await expect.poll(() => rows(page).first().innerText()).toContain('limit=3')
    const typed = page.getByLabel('Text', { exact: true })
    await typed.fill('order-')
    await stage.call('GET /v1/checkouts?limit=4')
    await expect.poll(() => rows(page).first().innerText()).toContain('limit=4')
    expect(await typed.inputValue()).toBe('order-')
    expect(await page.locator(':focus').getAttribute('name')).toBe('text')
  })

  it('updates every list, even one that was empty', async () => {
    const page = await stage.open()
    for (const [path, more] of [
      ['', 1],
      ['/resources/checkouts', 1],
      ['/ledger', 1],
      ['/outbox', 1],
      ['/webhooks', 2],
      ['/requests?op=checkouts.confirm', 1],
    ] as const) {
      await page.goto(stage.ui + path)
      await isLive(page)
      const before = await rows(page).count()
      const { id } = await stage.order({ orderId: 'followed' })
      await stage.call(`POST /v1/checkouts/${id}/confirm`)
      await expect.poll(() => rows(page).count()).toBe(before + more)
    }
    stage.simulator.sandbox('new')
    await page.goto(`${stage.ui}/sandboxes/new/resources/customers`)
    await isLive(page)
    await stage.call('POST /v1/customers', { externalId: 'first' }, { 'x-api-key': 'sk_staging_new' })
    await expect.poll(() => rows(page).count()).toBe(1)
  })

  it('updates the timeline, the page of a resource, and a held request', async () => {
    const { id } = await stage.order({ orderId: 'drawn' })
    const page = await stage.open(`/?order=${id}`)
    await isLive(page)
    const drawn = page.locator('.timeline a.request')
    const before = await drawn.count()
    await stage.call(`POST /v1/checkouts/${id}/cancel`, {})
    await expect.poll(() => drawn.count()).toBe(before + 1)

    const unread = await stage.order({ orderId: 'read' })
    await page.goto(`${stage.ui}/resources/${unread.id}`)
    await isLive(page)
    await stage.call(`POST /v1/checkouts/${unread.id}/confirm`)
    await expect.poll(() => page.locator('main .title .chip').innerText()).toBe('confirmed')
    await expect.poll(() => page.getByRole('table', { name: 'Events' }).locator('[data-id]').count()).toBe(2)

    stage.shop.arm({ behaviors: [{ when: { op: 'refunds.list' }, times: 1, do: { hold: 'door' } }] })
    const waiting = stage.call('GET /v1/refunds')
    const [held] = await stage.shop.untilHeld('door')
    await page.goto(`${stage.ui}/requests/${held?.request}`)
    await isLive(page)
    await page.getByText('It waits at the gate door').waitFor()
    stage.shop.release('door')
    await waiting
    await expect.poll(() => page.locator('main').innerText()).toContain('200')
    expect(await page.getByText('It waits at the gate door').count()).toBe(0)
  })

  it('reloads the page only a few times during 5,000 requests', async () => {
    const { simulator, shop } = stage
    const page = await stage.open('/requests')
    await isLive(page)
    let asked = 0
    page.on('request', () => {
      asked += 1
    })
    const request = new Request('http://paysim.test/v1/checkouts', { headers: { 'x-api-key': shop.apiKey } })
    const begun = Date.now()
    for (let wave = 0; wave < 50; wave += 1) {
      await Promise.all(Array.from({ length: 100 }, () => simulator.fetch(request.clone())))
    }
    const last = shop.requests({ limit: 1 })[0]!.id
    await expect.poll(() => rows(page).first().getAttribute('data-id')).toBe(last)
    expect(await page.locator('main [data-id]').count()).toBe(50)
    expect(asked).toBeLessThanOrEqual(3 + (Date.now() - begun) / 500)
  })

  it('costs nothing after the last page is closed', async () => {
    // Not the shared sandbox: the page of an earlier test may still be closing there.
    stage.simulator.sandbox('unwatched')
    const { journal } = stage.internalsOf('unwatched')
    const without = journal.watchers
    const page = await stage.open('/sandboxes/unwatched')
    await expect.poll(() => journal.watchers).toBe(without + 1)
    await page.goto(`${stage.ui}/ledger`)
    await expect.poll(() => journal.watchers).toBe(without)
  })

  it('reports that its sandbox is gone', async () => {
    stage.simulator.sandbox('short-lived')
    const page = await stage.open('/sandboxes/short-lived')
    await page.getByText('Live', { exact: true }).waitFor()
    stage.simulator.remove('short-lived')
    await page.getByText('This sandbox was removed.').waitFor()
  })
})
