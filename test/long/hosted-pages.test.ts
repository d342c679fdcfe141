/** Every page of the hosted checkout in every state meets the rules of WCAG 2.2 AA, in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { choose, faultsOf, logIn, openPage, openStage, press, TYPED, type } from '../browser/stage.ts'
import { type HostedPage, hostedPages } from '../environments/hosted-pages.ts'

let stage: Awaited<ReturnType<typeof openStage>>
let pages: HostedPage[]
let address: string
beforeAll(async () => {
  stage = await openStage()
  pages = await hostedPages(stage.sim, stage.sandbox)
  address = (await stage.createCheckout()).checkoutUrl
})
afterAll(() => stage.close())

/** Shows each page at its own address, so that its styles are loaded, and collects the findings. */
async function inspect(page: Page, look: (page: HostedPage) => Promise<string[]>, among = pages) {
  const found: string[] = []
  await page.goto(address)
  for (const hosted of among) {
    await page.setContent(hosted.html)
    for (const fault of await look(hosted)) found.push(`${hosted.name}: ${fault}`)
  }
  await page.context().close()
  return found
}

/** Together these pages use every color and every block. */
const COLORFUL = [
  ...['application, refused', 'review of a card', 'log-in, refused', 'code, sent again', 'method', 'bank'],
  ...['declined by limit', 'locked', 'logged out', 'paid', 'canceled', 'not found', 'not saved'],
]
const colorful = (names: readonly string[]) => {
  const found = pages.filter(({ name }) => names.includes(name))
  expect(found).toHaveLength(names.length)
  return found
}

test('has no axe violations on a screen of 320 pixels, which is 1280 at a zoom of 400 %', async () => {
  const page = await openPage(stage.browser, { viewport: { width: 320, height: 800 } })
  expect(await inspect(page, () => faultsOf(page))).toEqual([])
})

test('has enough contrast in dark mode', async () => {
  const page = await openPage(stage.browser, {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
  })
  const among = colorful(COLORFUL)
  expect(await inspect(page, () => faultsOf(page, ['color-contrast']), among)).toEqual([])
})

/** Finds focused elements without an outline: `forced-colors` draws no shadow and no tint, so only a line is visible. */
const unmarked = (page: Page) =>
  page.evaluate(`(() => {
    const found = []
    for (const one of document.querySelectorAll('a, button, input:not([type=hidden])')) {
      one.focus({ focusVisible: true })
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) found.push('no outline: ' + one.outerHTML)
    }
    for (const one of document.querySelectorAll('.input, .knob, .notice, .staging')) {
      const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(one)
      const seen = borderTopStyle !== 'none' && parseFloat(borderTopWidth) >= 1 && borderTopColor !== 'rgba(0, 0, 0, 0)'
      if (!seen || borderTopColor === backgroundColor) found.push('no border: ' + one.className)
    }
    const moving = document.getAnimations().length
    return moving === 0 ? found : [...found, moving + ' animations']
  })()`) as Promise<string[]>

test('shows the focus and the borders in forced colors', async () => {
  const page = await openPage(stage.browser, { forcedColors: 'active', reducedMotion: 'reduce' })
  expect(await inspect(page, () => unmarked(page))).toEqual([])
})

/** The texts that a screen reader receives. */
async function focused(page: Page) {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const has = (name: string, { properties = [] }: (typeof nodes)[number]) =>
    properties.find((property) => property.name === name)?.value.value
  const node = nodes.filter((node) => has('focused', node) === true).at(-1)!
  return {
    role: node.role?.value,
    name: node.name?.value,
    description: node.description?.value,
    invalid: has('invalid', node),
  }
}

test('announces an error, moves the focus there, and never returns a card number', async () => {
  const { checkoutUrl } = await stage.createCheckout()
  const page = await openPage(stage.browser)
  const sent: string[] = []
  page.on('response', async (answer) => sent.push(await answer.text().catch(() => '')))
  await logIn(page, checkoutUrl)
  await press(page, 'Continue')
  expect(await focused(page)).toMatchObject({ role: 'radio', name: expect.stringContaining('Card') })
  await choose(page, 'Card')

  const wrong = TYPED.card.replace(/.$/, '5')
  await type(page, { 'Card number': wrong, 'Expiry date': '11 / 29', 'Security code': TYPED.cvc })
  await press(page, 'Continue to review')
  expect(await focused(page)).toEqual({
    role: 'textbox',
    name: 'Card number',
    description: 'This number has a typing mistake. Compare it with the card.',
    invalid: 'true',
  })
  expect(await page.title()).toMatch(/^Error: /)
  await type(page, { 'Card number': TYPED.card, 'Security code': TYPED.cvc })
  await press(page, 'Continue to review')
  expect(await page.getByText('Visa ending in 5556').count()).toBe(1)
  expect(sent.join()).not.toContain(wrong)
  await page.context().close()
})
