/** A full disk as buyers and testers see it: 503 with a sentence for writes, and readable pages. */
import { expect, onTestFinished, test } from 'vitest'
import { composeSimulator } from '../../src/tools/compose.ts'
import { BuyersBrowser } from '../environments/buyer.ts'
import { folder } from '../given.ts'
import { asPlatform, asTester, order } from './shop.ts'
import { visitor } from './visitor.ts'

const FULL = 'The disk is full: nothing was changed. Retry later'

function open() {
  const { simulator, internalsOf } = composeSimulator({
    data: folder(),
    rateLimit: 'off',
    log: 'silent',
    seed: 1,
  })
  onTestFinished(() => simulator.close())
  const shop = simulator.find('default')
  const call = asPlatform(simulator, shop)
  return {
    simulator,
    shop,
    createCheckout: async () => (await call('POST', '/v1/checkouts', order())).body,
    /** Limits the database to its current number of pages. */
    fillDisk: () => internalsOf('default').committedStore().limitPages(1),
    freeDisk: () => internalsOf('default').committedStore().limitPages(1_000_000),
  }
}

test('a buyer sees that nothing can be saved, and continues once there is space', async () => {
  const { simulator, createCheckout, fillDisk, freeDisk } = open()
  const buyers: BuyersBrowser[] = []
  for (let count = 0; count < 100; count += 1)
    buyers.push(new BuyersBrowser(simulator, (await createCheckout()).checkoutUrl))
  fillDisk()
  // Log-ins write rows, so a few of them need a new page.
  for (const buyer of buyers) {
    await buyer.open()
    const logIn = () => buyer.submit('log-in', { contact: 'buyer@example.test' })
    const answer = await logIn()
    if (answer.to.endsWith('/code')) continue
    expect(answer).toMatchObject({ status: 503, to: '' })
    expect(answer.text).toContain('Nothing was charged. The disk of the staging environment is full or fails')
    freeDisk()
    await buyer.open()
    expect((await logIn()).to).toMatch(/\/code$/)
    return
  }
  expect.unreachable('the disk was never full')
})

test('`/_sim` and the dashboard report the full disk to the tester, and pages can be read', async () => {
  const { simulator, createCheckout, shop, fillDisk, freeDisk } = open()
  const { id } = await createCheckout()
  const { open: look, send } = visitor(simulator)
  fillDisk()
  const large = JSON.stringify({
    name: 'n',
    behaviors: [{ id: 'x', do: { respond: { status: 200, json: { text: 'x'.repeat(50_000) } } } }],
  })
  const arm = () => asTester(simulator)('POST', '/behaviors', large)
  expect(await arm()).toMatchObject({ status: 503, body: { error: 'Service Unavailable', message: FULL } })
  expect(shop.behaviors()).toEqual([])

  expect((await send('/_sim/ui/do/arm', { yaml: large })).text).toContain(FULL)
  for (const path of [
    ...['behaviors', 'requests', 'resources/checkouts', `resources/${id}`],
    ...['ledger', 'outbox', 'webhooks', 'sandboxes'],
  ])
    expect((await look(`/_sim/ui/${path}`)).status).toBe(200)

  freeDisk()
  expect((await arm()).status).toBe(200)
})
