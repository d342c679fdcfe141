/** The Audit page, with the findings of a client that retries under another key. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ORDER } from '../order.ts'
import { openDashboard, type Stage } from './dashboard-stage.ts'
import { follow, heading } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openDashboard({ audit: { ignore: { C4: 'the order id is what we have' } } })
})
afterAll(() => stage.close())

it('shows the findings and their possible cost, the ignored rules, and the troubles that never occurred', async () => {
  const { call } = stage
  const key = (text: string) => ({ 'idempotency-key': text })
  const order = { ...ORDER, orderId: 'order-7', amount: 100 }
  const { id } = await call('POST /v1/checkouts', order, key('order-7'))
  await call(`POST /v1/checkouts/${id}/confirm`, {}, key('confirm-8f1d4a'))
  const refund = `POST /v1/checkouts/${id}/refunds`
  const lost = { 'x-sim': 'fault=reset; at=after-commit' }
  await call(refund, { amount: 25 }, { ...lost, ...key('refund-8f1d4a') })
  await call(refund, { amount: 25 }, key('refund-90ae3c'))

  const page = await stage.open('/audit')
  const rows = (table: string) => page.getByRole('table', { name: table }).locator('tbody tr').allInnerTexts()
  expect(await page.getByText('that would break in production').innerText()).toContain(
    '1 error and 0 warnings in 4 requests',
  )
  const [finding, ...others] = await page
    .getByRole('list', { name: 'Findings' })
    .locator('> li')
    .allInnerTexts()
  expect(others).toEqual([])
  for (const part of [
    'C2 error',
    '1 time',
    'order-7',
    'it happened twice',
    'req_3',
    '$25.00',
    'send it with every retry',
  ])
    expect(finding).toContain(part)
  expect(await rows('Ignored rules')).toEqual([
    expect.stringMatching(/^C4\s+the order id is what we have\s+1$/),
  ])
  const troubles = await rows('Failures')
  expect(troubles).toContainEqual(
    expect.stringMatching(/response was lost after the commit\s+1\s+C2\s+order-7 req_3$/),
  )
  // Warnings are amber.
  expect(
    await page.locator('.chip', { hasText: 'C2' }).evaluateAll((chips) => chips.map((el) => el.className)),
  ).toEqual(['chip bad', 'chip bad'])
  expect(troubles).toContainEqual(
    expect.stringMatching(/A webhook was forged\s+never\s+--only webhook-forged$/),
  )

  await follow(page, 'req_3')
  expect(await heading(page)).toContain(refund)

  await page.goBack()
  expect(await page.locator('.notice').allInnerTexts()).toEqual([
    expect.stringMatching(/^order-7 was refunded twice, \$25\.00 too much: req_4 repeats req_3/),
  ])
  await call(refund, { amount: 5 }, lost)
  await page.reload()
  expect(await rows('Failures')).toContainEqual(
    expect.stringMatching(/response was lost after the commit\s+2\s+C1 C2 C6\s/),
  )
})
