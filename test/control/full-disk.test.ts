/** A full disk as buyers and testers see it: 503 with a sentence for writes, and readable pages. */
import { expect, onTestFinished, test } from 'vitest'
import { composeSimulator } from '../../src/tools/compose.ts'
import { folder } from '../given.ts'
import { order } from './shop.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const FULL = 'The disk is full: nothing was changed. Retry later'

function open() {
  const { simulator, internalsOf } = composeSimulator({
    data: folder(),
    rateLimit: 'off',
    log: 'silent',
    seed: 1,
  })
  onTestFinished(() => simulator.close())
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await simulator.fetch(new Request(`http://paysim.test${path}`, init))
    const { status, headers } = answer
    return {
      status,
      location: headers.get('location'),
      cookie: headers.get('set-cookie')?.split(';')[0],
      text: await answer.text(),
    }
  }
  type Page = Awaited<ReturnType<typeof send>>
  return {
    send,
    shop: simulator.find('default'),
    /** Sends a form with the cookie and token that the browser got with the page. */
    submit: (path: string, { cookie = '', text }: Page, fields: Record<string, string>) =>
      send(path, {
        method: 'POST',
        headers: { ...FORM, cookie },
        body: new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(text)![1]!, ...fields }),
      }),
    async createCheckout(): Promise<string> {
      const headers = { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' }
      const { text } = await send('/v1/checkouts', { method: 'POST', headers, body: JSON.stringify(order()) })
      return JSON.parse(text).id
    },
    /** Limits the database to its current number of pages. */
    fillDisk: () => internalsOf('default').committedStore().limitPages(1),
    freeDisk: () => internalsOf('default').committedStore().limitPages(1_000_000),
  }
}

test('a buyer sees that nothing can be saved, and continues once there is space', async () => {
  const { send, submit, createCheckout, fillDisk, freeDisk } = open()
  const checkouts: string[] = []
  for (let count = 0; count < 100; count += 1) checkouts.push(`/checkout/${await createCheckout()}`)
  fillDisk()
  // Log-ins write rows, so a few of them need a new page.
  for (const checkout of checkouts) {
    const page = await send(checkout)
    const logIn = () => submit(`${checkout}/log-in`, page, { contact: 'buyer@example.test' })
    const answer = await logIn()
    if (answer.location === `${checkout}/code`) continue
    expect(answer).toMatchObject({ status: 503, location: null })
    expect(answer.text).toContain('Nothing was charged. The disk of the staging environment is full or fails')
    freeDisk()
    expect(await logIn()).toMatchObject({ status: 303, location: `${checkout}/code` })
    return
  }
  expect.unreachable('the disk was never full')
})

test('`/_sim` and the dashboard report the full disk to the tester, and pages can be read', async () => {
  const { send, submit, createCheckout, shop, fillDisk, freeDisk } = open()
  const checkout = await createCheckout()
  fillDisk()
  const large = JSON.stringify({
    name: 'n',
    behaviors: [{ id: 'x', do: { respond: { status: 200, json: { text: 'x'.repeat(50_000) } } } }],
  })
  const arm = () => send('/_sim/behaviors', { method: 'POST', body: large })
  const refused = await arm()
  expect(refused.status).toBe(503)
  expect(JSON.parse(refused.text)).toMatchObject({ error: 'Service Unavailable', message: FULL })
  expect(shop.behaviors()).toEqual([])

  const page = await send('/_sim/ui/behaviors')
  expect(page.status).toBe(200)
  await submit('/_sim/ui/do/arm', page, { yaml: large })
  const { cookie = '' } = page
  expect((await send('/_sim/ui', { headers: { cookie } })).text).toContain(FULL)
  for (const path of [
    'requests',
    'resources/checkouts',
    `resources/${checkout}`,
    'ledger',
    'outbox',
    'webhooks',
    'sandboxes',
  ])
    expect((await send(`/_sim/ui/${path}`)).status).toBe(200)

  freeDisk()
  expect((await arm()).status).toBe(200)
})
