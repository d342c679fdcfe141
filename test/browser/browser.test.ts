import { expect, onTestFinished, test } from 'vitest'
import { served } from '../served.ts'
import { launch } from './browser.ts'

// Checks what all browser tests need: a browser that starts, reaches a local server and has fonts.
test('a page opens and its text is drawn', async () => {
  const baseURL = await served((request, response) => {
    const color = request.url === '/visible' ? 'black' : 'white'
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><h1 style="color: ${color}">Zahlung bestätigt: 1000.00 €</h1>`)
  })
  const browser = await launch()
  onTestFinished(() => browser.close())

  const page = await browser.newPage({ baseURL })
  await page.goto('/invisible')
  const blank = await page.screenshot()
  await page.goto('/visible')

  expect(await page.getByRole('heading').textContent()).toBe('Zahlung bestätigt: 1000.00 €')
  expect(blank.equals(await page.screenshot())).toBe(false)
})
