/** The hosted page from the buyer's side: in a real browser, from the shop and back to it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arrive, choose, follow, openPage, openStage, press, TYPED } from '../browser/stage.ts'

// A browser is slow on a busy machine, so the limit only catches hangs.

let stage: Awaited<ReturnType<typeof openStage>>
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const shown = (page: Page) => page.locator('body').innerText()
const eventsOf = (resourceId: string) => stage.sandbox.events({ resourceId }).map(({ type }) => type)

describe.concurrent.each([390, 1280])('at %i px', (width) => {
  const open = () => openPage(stage.browser, { viewport: { width, height: 800 } })

  it('a buyer pays by card in nine taps and lands on the exact successUrl', async () => {
    const checkout = await stage.createCheckout()
    const page = await open()
    await page.goto(checkout.checkoutUrl)
    await follow(page, /Fill in \+1 555/)
    await press(page, 'Send the code')
    await follow(page, 'Fill in 000000')
    await press(page, 'Log in')
    // A phone shows the order on one line: the shop and the amount.
    const summary = page.getByRole('complementary', { name: 'Your order' })
    expect(await summary.innerText()).toMatch(/Pay [\w.:]+\s+\$1,000\.00/)
    expect(await summary.getByText('order-1001').isVisible()).toBe(width > 390)
    const { height } = (await summary.boundingBox())!
    if (width === 390) expect(height).toBeLessThan(60)
    else expect(height).toBeGreaterThanOrEqual(60)
    await choose(page, 'Card')
    await follow(page, /Fill in 4242/)
    await press(page, 'Continue to review')
    expect(await shown(page)).toContain('Visa ending in 4242')
    await press(page, /Accept and pay \$1,000\.00/)

    expect(page.url()).toBe(`${stage.shop.url}/thanks?order=1001&paid=yes`)
    const approved = await stage.readCheckout(checkout.id)
    expect(approved).toMatchObject({ status: 'approved', paymentMethodType: 'card' })
    expect(eventsOf(checkout.id)).toEqual(['checkout.created', 'checkout.approved'])
    await page.context().close()
  })
})

// The tests of test/environments take these ways without a browser, so without JavaScript.
describe.concurrent('on a phone', () => {
  const open = () => openPage(stage.browser, { viewport: { width: 390, height: 800 } })

  it('a buyer applies, enters a bank account and pays, with one click to fill in each step', async () => {
    const checkout = await stage.createCheckout({ amount: 200_000 })
    const page = await open()
    await page.goto(checkout.checkoutUrl)
    await follow(page, /Fill in \+1 555/)
    await press(page, 'Send the code')
    await follow(page, 'Fill in 000000')
    await press(page, 'Log in')
    await choose(page, 'Bank account')
    await follow(page, 'Fill in Test Approved')
    await press(page, 'Apply')
    expect(await shown(page)).toContain('You can pay the $200,000.00 from your bank account.')
    expect(await shown(page)).toContain('Test Approved is always approved')
    await follow(page, /Fill in 222222226/)
    await press(page, 'Continue to review')
    expect(await shown(page)).toContain('Staging Bank account ending in 6789')
    await press(page, /Accept and pay \$200,000\.00/)

    expect(page.url()).toContain('/thanks')
    expect(await stage.readCheckout(checkout.id)).toMatchObject({
      status: 'approved',
      paymentMethodType: 'bank_account',
    })
    await page.context().close()
  })
})

describe('a buyer without a mouse', () => {
  it('can pay with the keyboard alone', async () => {
    const checkout = await stage.createCheckout()
    const page = await openPage(stage.browser)
    const keys = async (...pressed: string[]) => {
      for (const key of pressed) await page.keyboard.press(key)
    }
    const reach = async (selector: string) => {
      for (let tabs = 0; tabs < 30; tabs += 1) {
        if ((await page.locator(`${selector}:focus`).count()) > 0) return
        await keys('Tab')
      }
      throw new Error(`no way to ${selector} by keyboard`)
    }
    const entered = () => arrive(page, () => keys('Enter'))

    await page.goto(checkout.checkoutUrl)
    await keys('Tab', 'Enter')
    await page.waitForURL('**#main')
    await reach('[name=contact]')
    await page.keyboard.type('ada@example.test')
    await entered()
    await page.locator('[name=code]:focus').waitFor()
    await page.keyboard.type('000000')
    await entered()
    await reach('[name=method]')
    await keys('ArrowDown', 'ArrowUp')
    await entered()
    await reach('[name=number]')
    await page.keyboard.type(TYPED.card)
    await reach('[name=expiry]')
    await page.keyboard.type('11/29')
    await reach('[name=cvc]')
    await page.keyboard.type(TYPED.cvc)
    await entered()
    await reach('main button')
    await entered()
    expect(page.url()).toContain('/thanks')
    await page.context().close()
  })
})
