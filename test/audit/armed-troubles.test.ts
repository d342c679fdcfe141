/** Each trouble of the gauntlet produces the situation that coverage names, so the suggested command helps. */
import { expect, onTestFinished, test } from 'vitest'
import { TROUBLES } from '../../src/tester/audit/coverage.ts'
import { auditText } from '../../src/tester/audit/show.ts'
import { createSimulator } from '../../src/tools/compose.ts'
import { ORDER } from '../order.ts'
import { served } from '../served.ts'

const ARMED = TROUBLES.flatMap(({ id, arm }) => arm.map((trouble) => ({ id, ...trouble })))

/** Sends every request that a trouble can act on, without waiting for responses, because some never arrive. */
async function runUnder(behaviors: (typeof ARMED)[number]['behaviors']) {
  const url = await served((request, response) => request.resume().on('end', () => response.end()))
  const simulator = createSimulator({ log: 'silent' })
  onTestFinished(() => simulator.close())
  const shop = simulator.create({
    rateLimit: 'off',
    clock: { mode: 'frozen' },
    webhook: { url },
  })
  let keys = 0
  const ask = (method: string, path: string, body?: object) => {
    keys += 1
    return simulator.fetch(
      new Request(`http://paysim/v1${path}`, {
        method,
        headers: {
          'x-api-key': shop.apiKey,
          'content-type': 'application/json',
          'idempotency-key': `key-${keys}`,
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  }
  const made = async (orderId: string) =>
    (await (await ask('POST', '/checkouts', { ...ORDER, orderId })).json()) as { id: string }
  const [first, second] = [await made('o-1'), await made('o-2')]
  await ask('POST', `/checkouts/${first.id}/confirm`)
  const { data } = (await (await ask('GET', '/customers')).json()) as { data: [{ id: string }] }
  const customer = data[0].id
  const held = (await (
    await ask('POST', '/authorizations', { orderId: 'o-3', customerId: customer, amount: 50 })
  ).json()) as { id: string }
  await shop.settle()
  shop.arm(behaviors)
  const asked = [
    ask('POST', '/checkouts', { ...ORDER, orderId: 'o-4' }),
    ask('POST', `/checkouts/${second.id}/confirm`),
    ask('POST', `/checkouts/${first.id}/refunds`, { amount: 10 }),
    ask('POST', '/authorizations', { orderId: 'o-5', customerId: customer, amount: 50 }),
    ask('POST', `/authorizations/${held.id}/capture`, { amount: 50 }),
    ask('GET', '/checkouts'),
    ask('GET', `/checkouts/${first.id}`),
  ]
  for (const request of asked) request.then((answer) => answer.text()).catch(() => {})
  for (let seconds = 0; seconds < 5; seconds += 1) await shop.clock.advance('1s')
  return shop.audit()
}

test.for(ARMED)('$name counts as $id', async ({ id, behaviors }) => {
  const { coverage } = await runUnder(behaviors)
  expect(coverage.filter(({ times }) => times > 0).map(({ trouble }) => trouble)).toContain(id)
})

test('a trouble that never occurred is listed with the command that tries it', async () => {
  const audit = await runUnder([])
  expect(audit.coverage.find(({ trouble }) => trouble === 'webhook-late')).toMatchObject({
    times: 0,
    command: 'paysim gauntlet --only webhook-late',
  })
  expect(audit.coverage.find(({ trouble }) => trouble === 'client-left')).toMatchObject({
    armed: null,
    command: null,
  })
  expect(auditText(audit)).toMatch(
    /^ {2}to test them: paysim gauntlet --only answer-lost-once,request-lost-once,.*,in-flight-once,internal-error-once,.* -- YOUR TESTS$/m,
  )
})
