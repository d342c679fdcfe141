import { expect, onTestFinished, test } from 'vitest'
import { served } from '../served.ts'
import { launch } from './browser.ts'

// Checks the requirements of all browser tests: the browser starts, reaches a local server and has fonts.
test('a page opens and renders its text', async () => {
  const baseURL = await served((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html><h1>Zahlung bestätigt: 1000.00 €</h1>')
  })
  const browser = await launch()
  onTestFinished(() => browser.close())

  const page = await browser.newPage({ baseURL })
  await page.goto('/')

  expect(await page.getByRole('heading').textContent()).toBe('Zahlung bestätigt: 1000.00 €')
  // Count pixels in a canvas instead of a screenshot, because screenshots depend on the compositor process and sometimes fail
  // on a busy machine.
  const drawn = (text: string) =>
    page.evaluate(`(() => {
      const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
      context.font = getComputedStyle(document.querySelector('h1')).font
      context.fillText(${JSON.stringify(text)}, 0, 100)
      return context.getImageData(0, 0, 300, 150).data.filter((value) => value > 0).length
    })()`)
  expect(await drawn(' ')).toBe(0)
  expect(await drawn('Zahlung bestätigt')).toBeGreaterThan(100)
})
