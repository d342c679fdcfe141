/** The tester controls the simulator from the dashboard: each action by its form, and by the curl command for it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACTIONS } from '../../src/pages/dashboard/actions.ts'
import { openDashboard, type Stage } from './dashboard-stage.ts'
import { faultsOf, follow, heading, openPage, press, type } from './stage.ts'

let stage: Stage
let page: Page
/** The actions that the tests of this file have run; the last test expects all of them. */
const done = new Set<string>()
beforeAll(async () => {
  stage = await openDashboard()
  page = await openPage(stage.browser, { viewport: { width: 1280, height: 900 } })
  page.on('request', (request) => {
    const action = /\/do\/([\w.]+)$/.exec(request.url())?.[1]
    if (action) done.add(action)
  })
})
beforeEach(() => stage.shop.reset())
afterAll(() => stage.close())

const goTo = (path: string) => page.goto(stage.ui + path)
const notice = () => page.locator('.notice p').first().innerText()
/** The curl command for the last button. */
const curl = () => page.locator('.notice .curl pre').textContent()

describe('time', () => {
  it('can be moved, stopped and resumed', async () => {
    const { clock } = stage.shop
    await goTo('/ledger')
    const before = clock.now()
    await press(page, '+1d')
    expect(clock.now()).toBe(before + 86_400_000)
    expect(page.url()).toContain('/ledger')
    await press(page, 'Resume')
    expect(clock.read().frozen).toBe(false)
    await press(page, 'Freeze')
    expect(clock.read().frozen).toBe(true)
  })

  it('can be advanced by a typed duration, set, and waited for, and the events on the way are listed', async () => {
    const { id } = await stage.order()
    await stage.call(`POST /v1/checkouts/${id}/confirm`)
    const refund = await stage.call(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
    await goTo('')
    await type(page, { By: '6s' })
    await press(page, 'Advance')
    expect(await curl()).toContain(`-d '{"advance":"6s"}'`)
    expect(await page.locator('.notice').first().innerText()).toContain(`refund ${refund.id} completed`)
    expect(await faultsOf(page)).toEqual([])
    await type(page, { To: '2027-01-01T00:00:00Z' })
    await press(page, 'Set')
    expect(stage.shop.clock.read().now).toBe('2027-01-01T00:00:00.000Z')
    await press(page, 'Wait until nothing is due')
    expect(await notice()).toBe('Nothing is in flight, and nothing is due.')
  })
})

describe('behaviors', () => {
  it('can be armed from the library, and disarmed one by one or all', async () => {
    await goTo('/behaviors')
    await press(page, /^Arm The refund is committed, but the response is lost$/)
    expect(stage.shop.behaviors().map(({ id }) => id)).toEqual(['lose-first-answer'])
    expect(await notice()).toBe('Armed: The refund is committed, but the response is lost.')
    await press(page, 'Arm A webhook never arrives')
    expect(await page.locator('.armed > li').count()).toBe(2)
    await press(page, 'Disarm lose-first-answer')
    expect(stage.shop.behaviors()).toHaveLength(1)
    await press(page, 'Disarm all')
    expect(stage.shop.behaviors()).toEqual([])
  })

  it('can be typed in, with each mistake shown at its line', async () => {
    await goTo('/behaviors')
    const typed = 'name: Trouble\nbehaviors:\n  - id: slow\n    do: { dely: 2s }\n'
    const editor = page.getByLabel('Behaviors as YAML')
    await editor.fill(typed)
    await press(page, 'Add to the armed behaviors')
    expect(await page.locator(':focus').getAttribute('name')).toBe('yaml')
    expect(await page.locator('#yaml-problem').innerText()).toMatch(
      /^Line 4, column \d+: .*did you mean delay\?/,
    )
    expect(await editor.inputValue()).toBe(typed)
    expect(await faultsOf(page)).toEqual([])
    expect(stage.shop.behaviors()).toEqual([])

    await editor.fill(typed.replace('dely', 'delay'))
    await press(page, 'Replace the armed behaviors')
    expect(stage.shop.behaviors().map(({ id }) => id)).toEqual(['slow'])
  })

  it('hold requests at a gate until it is opened', async () => {
    const { id } = await stage.order()
    const held = stage.call(`GET /v1/checkouts/${id}`, undefined, { 'x-sim': 'hold=gate-a' })
    await stage.shop.untilHeld('gate-a')
    await goTo('/behaviors')
    expect(await page.getByText('Requests waiting at a gate').isVisible()).toBe(true)
    await press(page, 'Release')
    expect(await curl()).toContain('/_sim/gates/gate-a/release')
    expect(await notice()).toBe('1 request released from the gate gate-a.')
    expect(await held).toMatchObject({ id })
  })
})

describe('resources', () => {
  it('a buyer can approve, and a buyer can be declined', async () => {
    const [first, second] = [await stage.order(), await stage.order()]
    await goTo(`/resources/${first.id}`)
    expect(await page.locator('.title .chip').textContent()).toContain('pending')
    await press(page, 'Approve as the buyer')
    expect(await page.locator('.title .chip').textContent()).toContain('approved')
    await goTo(`/resources/${second.id}`)
    await press(page, 'Decline as the bank')
    expect(await notice()).toContain('still pending')
  })

  it('a customer gets a method, a refund completes, and links lead both ways', async () => {
    const customer = await stage.call('POST /v1/customers', { externalId: 'biz-1' })
    await goTo(`/resources/${customer.id}`)
    await page.getByLabel('Payment method type').selectOption('bank_account')
    await press(page, 'Attach a payment method')
    await follow(page, /^pm_/)
    expect(await heading(page)).toMatch(/^pm_/)
    await follow(page, customer.id)
    expect(await heading(page)).toBe(customer.id)

    const { id } = await stage.order()
    await stage.call(`POST /v1/checkouts/${id}/confirm`)
    await stage.call(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
    await goTo(`/resources/${id}`)
    await follow(page, /^ref_/)
    await press(page, 'Complete now')
    expect(await page.locator('.title .chip').textContent()).toContain('completed')
    await follow(page, id)
    expect(await heading(page)).toBe('order-1001 · $1,000.00')
  })
})

describe('webhooks and messages', () => {
  it('can be sent to an endpoint, resent, and stopped', async () => {
    await goTo('/webhooks')
    await type(page, { URL: stage.receiver.url, 'Event types': 'checkout.*' })
    await press(page, 'Set endpoint')
    expect(stage.shop.webhook.get()).toMatchObject({ url: stage.receiver.url, events: ['checkout.*'] })
    const { id } = await stage.order()
    await stage.shop.settle()
    const received = stage.receiver.received()
    await page.reload()
    await follow(page, /checkout\.created$/)
    await press(page, /^Resend/)
    await stage.shop.settle()
    await expect.poll(() => stage.receiver.received()).toBeGreaterThan(received)
    await goTo(`/resources/${id}`)
    await press(page, 'Emit event')
    expect(stage.shop.events({ resourceId: id })).toHaveLength(2)
    stage.shop.webhook.put({ url: 'http://127.0.0.1:1/hooks' })
    await stage.order()
    await stage.shop.clock.advance('10d')
    await goTo('/webhooks')
    await press(page, 'Resend all failing')
    expect(await notice()).toBe('Resending 1 webhook.')
    await page.getByText('Remove endpoint…').click()
    await press(page, 'Remove endpoint')
    expect(stage.shop.webhook.get()).toBe(null)
  })

  it('can be cleared', async () => {
    const { id } = await stage.order()
    await stage.call(`POST /v1/checkouts/${id}/confirm`)
    await goTo('/outbox')
    expect(await page.getByRole('table', { name: 'Messages' }).innerText()).toContain(
      'Receipt for order-1001',
    )
    await page.getByText('Clear the outbox…').click()
    await press(page, 'Clear the outbox')
    expect(await page.locator('main').innerText()).toContain('No messages yet')
    await goTo('/requests')
    await page.getByText('Clear the journal…').click()
    await press(page, 'Clear the journal')
    expect(stage.shop.requests()).toEqual([])
  })
})

describe('sandboxes', () => {
  it('can be saved, restored and reset', async () => {
    await stage.order()
    await goTo('/sandboxes')
    await type(page, { Name: 'full' }).catch(() =>
      page.getByPlaceholder('the next number').first().fill('full'),
    )
    await press(page, 'Take snapshot')
    await page.getByText('Reset…').click()
    await press(page, 'Reset')
    expect(stage.shop.events()).toEqual([])
    await page.getByText('Restore… full').click()
    await press(page, 'Restore full')
    expect(stage.shop.events()).toHaveLength(1)
    await page.getByText('Remove… full').click()
    await press(page, 'Remove full')
    expect(stage.shop.snapshots.list()).toEqual([])
  })

  it('can be forked, switched and removed', async () => {
    const { id } = await stage.order()
    await goTo('/sandboxes')
    await page.getByPlaceholder('the next number').last().fill('fork')
    await page.getByLabel('Start from').selectOption('default')
    await press(page, 'Create')
    expect(await curl()).toContain('/_sim/sandboxes')
    expect(page.url()).toBe(`${stage.ui}/sandboxes/fork`)
    await follow(page, 'Sandboxes')
    await page.getByLabel('How long a refund stays pending').fill('2h')
    await press(page, 'Save settings')
    expect(stage.simulator.find('fork').describe().refundDelay).toBe('2h')
    await page.goto(`${stage.ui}/sandboxes/fork/resources/${id}`)
    expect(await heading(page)).toBe('order-1001 · $1,000.00')
    await follow(page, 'Sandbox: fork')
    await follow(page, 'default')
    expect(page.url()).toBe(`${stage.ui}/sandboxes`)
    await page.goto(`${stage.ui}/sandboxes/fork/sandboxes`)
    await page.getByText('Remove this sandbox…').click()
    await press(page, 'Remove this sandbox')
    expect(stage.simulator.sandboxes().map(({ name }) => name)).toEqual(['default'])
  })
})

describe('a form', () => {
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(stage.ui + path, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(fields) })

  const cookie = async () =>
    (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')

  it('is accepted only with the token of its session, and redirects nowhere else', async () => {
    await goTo('')
    const token = (await page.locator('[name=token]').first().getAttribute('value')) ?? ''
    const before = stage.shop.clock.now()
    await post('/do/clock.advance', { advance: '1d' })
    await post('/do/clock.advance', { advance: '1d', token })
    await post('/do/clock.advance', { advance: '1d', token: `${token}x` }, { cookie: await cookie() })
    expect(stage.shop.clock.now()).toBe(before)

    const led = await post('/do/settle', { token, back: 'https://evil.test/' }, { cookie: await cookie() })
    expect(led.headers.get('location')).toBe('/_sim/ui')
    const foreign = { cookie: await cookie(), origin: 'https://evil.test' }
    expect((await post('/do/clock.advance', { advance: '1d', token }, foreign)).status).toBe(403)
    expect(stage.shop.clock.now()).toBe(before)
  })

  it('is on a page that loads nothing from elsewhere, under a host name that paysim accepts', async () => {
    const { headers } = await fetch(stage.ui)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; connect-src 'self'",
    )
    expect(headers.get('set-cookie')).toMatch(/; Path=\/_sim\/ui; HttpOnly; SameSite=Lax$/)
    const rebound = new Request('http://evil.test/_sim/ui', { headers: { host: 'evil.test' } })
    expect((await stage.simulator.fetch(rebound)).status).toBe(403)
  })

  it('exists for every action', () => {
    expect([...done].sort()).toEqual(Object.keys(ACTIONS).sort())
  })
})

describe('with an admin token', () => {
  it('asks for the token once, and stores it out of reach of scripts', async () => {
    const guarded = await openDashboard({ adminToken: 'open sesame' })
    const visitor = await openPage(guarded.browser)
    await visitor.goto(`${guarded.ui}/ledger`)
    expect(await heading(visitor)).toBe('Log in with the admin token')
    await type(visitor, { 'Admin token': 'please' })
    await press(visitor, 'Log in')
    expect(await visitor.locator('#adminToken-problem').innerText()).toBe('Wrong admin token.')
    expect(await faultsOf(visitor)).toEqual([])
    await type(visitor, { 'Admin token': 'open sesame' })
    await press(visitor, 'Log in')
    expect(await heading(visitor)).toBe('Ledger')
    await press(visitor, '+1m')
    expect(await visitor.locator('.notice').first().innerText()).toContain('The clock is at')
    expect(await visitor.evaluate('document.cookie')).toBe('')
    const [kept] = await visitor.context().cookies()
    expect(kept).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
    expect(kept!.value).not.toContain('sesame')
    expect(await visitor.locator('.curl pre').first().textContent()).toContain('Bearer $PAYSIM_ADMIN_TOKEN')
    expect((await fetch(`${guarded.ui}/live`, { redirect: 'manual' })).status).toBe(303)
    await guarded.close()
  })
})
