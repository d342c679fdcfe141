/** The page of `paysim run --report html=FILE`, opened from disk. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { playCommand } from '../../src/tools/player/command.ts'
import { launch } from '../browser/browser.ts'
import { faultsOf } from '../browser/stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'paysim-page-'))
const file = join(folder, 'report.html')
const failing = join(folder, 'failing.yaml')
writeFileSync(
  failing,
  'name: It fails\nsteps:\n  - { call: GET /v1/checkouts, expect: { json: { data: [{ id: x }] } } }\n',
)
let browser: Browser

beforeAll(async () => {
  browser = await launch()
  await playCommand(
    {
      paths: ['scenarios/answer-lost.yaml', 'scenarios/webhook-late.yaml', failing],
      ...{ reports: [{ kind: 'html', file }], tags: [], rateLimit: 'off' },
    },
    {
      out() {},
      err() {},
      color: false,
      env: {},
      async startOwn() {
        const simulator = createSimulator({ log: 'silent' })
        const { url } = await simulator.listen()
        return { url, apiKey: 'sk_staging_default', close: () => simulator.close() }
      },
    },
  )
})
afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true })
})

test.each([
  [390, 'light'],
  [390, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)(
  'at %d px in %s mode, axe finds no violation and nothing overflows',
  async (width, colorScheme) => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    await page.goto(pathToFileURL(file).href)
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect(await faultsOf(page)).toEqual([])
    await page.close()
  },
)

test('a step expands to its request and response, without JavaScript or external files', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  const scenario = page.locator('details.scenario', { has: page.locator('#check-1') })
  await scenario.locator('summary').first().click()
  const step = scenario.locator('li').nth(2)
  expect(await step.locator('pre').isVisible()).toBe(false)
  await step.locator('summary').click()
  expect(await step.locator('pre').innerText()).toContain('connection reset')
  expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href])
  expect(readFileSync(file, 'utf8')).not.toContain('sk_staging')
  await page.close()
})
