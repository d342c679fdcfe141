/** The page Beside the real service, while a platform calls the service through the proxy. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { ORDER, OTHER_WORDS } from '../contract/different-profile.ts'
import { openedShadow } from '../learn/opened-shadow.ts'
import { launch } from './browser.ts'
import { faultsOf, follow, heading, openPage } from './stage.ts'

type Shadow = Awaited<ReturnType<typeof openedShadow>>

const service = createSimulator({ profile: OTHER_WORDS })
let shadow: Shadow
let browser: Awaited<ReturnType<typeof launch>>
beforeAll(async () => {
  const { url } = await service.listen()
  browser = await launch()
  shadow = await openedShadow({ target: url, port: 0, dashboardPort: 0 }, () => {})
})
afterAll(async () => {
  await browser.close()
  await shadow.close()
  await service.close()
})

it('lists the exchanges as they happen, with the ids that are paired, where they part and the key that mends it', async () => {
  const page = await openPage(browser, { viewport: { width: 1280, height: 900 } })
  await page.goto(shadow.dashboard)
  expect(await heading(page)).toBe('Beside the real service')
  expect(await page.getByRole('navigation', { name: 'Dashboard' }).getByText('Real service').count()).toBe(1)
  await page.getByText('No request yet').waitFor()

  const { apiKey } = service.sandbox('default')
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const created = async (orderId: string) => {
    const body = JSON.stringify({ ...ORDER, orderId })
    const answer = await fetch(`${shadow.url}/v1/checkouts`, { method: 'POST', headers, body })
    return ((await answer.json()) as { id: string }).id
  }
  const id = await created('one')
  await created('two')
  const rows = page.getByRole('table', { name: 'Requests at both' }).locator('tbody tr')
  // It follows without being loaded again.
  await rows.nth(1).waitFor()
  const first = await rows.nth(1).innerText()
  for (const part of [
    'POST /v1/checkouts',
    '200',
    '201',
    `pay-…${id.slice(-5)} = chk_…`,
    '$.status is "OPEN" there',
    'states.checkout.pending: "OPEN"',
  ])
    expect(first).toContain(part)
  expect(await page.getByText('2 of 2 requests differ.').count()).toBe(1)
  expect(await faultsOf(page)).toEqual([])

  await rows.nth(1).getByRole('link', { name: 'POST /v1/checkouts' }).click()
  expect(await heading(page)).toBe('POST /v1/checkouts')
  expect(await page.getByRole('region', { name: 'Answer to request 1 there' }).innerText()).toContain(
    '"OPEN"',
  )
  expect(await page.getByRole('region', { name: 'Answer to request 1 here' }).innerText()).toContain(
    '"pending"',
  )
  expect(await faultsOf(page)).toEqual([])
  await follow(page, 'In the journal of this sandbox')
  expect(await heading(page)).toContain('POST /v1/checkouts')
})
