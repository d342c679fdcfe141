/** A behavior that never acted fails its test, unless it is optional. */
import { describe, expect, test } from 'vitest'
import { openReceiver } from '../receiver.ts'
import { asPlatform, confirmedCheckout, openShop, openSimulator, order, refund } from './shop.ts'

type Behaviors = Parameters<ReturnType<typeof openShop>['shop']['arm']>[0]

const DOWN = { respond: { status: 500 } }

/** Why a behavior did not act, after a refund was made. */
async function whyUnfired(behaviors: Behaviors, options = {}): Promise<string[]> {
  const { shop, call } = openShop(options)
  shop.arm(behaviors)
  const checkout = await confirmedCheckout(call)
  await refund(call, checkout, 10)
  return shop.unfired().map(({ id, why }) => `${id}: ${why}`)
}

test('the reason names matching requests that came before the behavior was armed', async () => {
  const { shop, call } = openShop()
  await call('POST', '/v1/checkouts', order())
  shop.arm({ id: 'late', when: { op: 'checkouts.create' }, do: { respond: 503 } })
  expect(shop.unfired()[0]?.why).toMatch(
    /req_1 POST .* → 201: it fits, but came before the behavior was armed/,
  )
})

describe('the reason names the nearest miss', () => {
  test.for([
    [
      'another path',
      { when: { call: 'POST /v1/refunds' }, do: DOWN },
      /req_3 POST \/v1\/checkouts\/chk_\w+\/refunds → 201: call is POST \S+, not POST \/v1\/refunds/,
    ],
    [
      'another body',
      { when: { op: 'checkouts.refund', json: { amount: 11 } }, do: DOWN },
      /^b: the last time, \$\.amount is 10, not 11$/,
    ],
    [
      'a count that was not reached',
      { when: { op: 'checkouts.refund' }, skip: 1, do: DOWN },
      /^b: the last time, match 1 of the 1 that it skips$/,
    ],
    [
      'another refund',
      {
        when: { resource: 'refund', enters: 'pending', json: { amount: 7 } },
        do: { transition: 'completed', after: 'now' },
      },
      /^b: the last time, \$\.amount is 10, not 7$/,
    ],
    ['no buyer', { do: { decision: 'decline' } }, /^b: no buyer was put to the bank$/],
    [
      'no endpoint',
      { when: { event: 'refund.created' }, do: { webhook: { drop: true } } },
      /^b: there is no webhook endpoint, so nothing is delivered$/,
    ],
  ] as [string, Extract<Behaviors, readonly unknown[]>[number], RegExp][])(
    '%s',
    async ([, behavior, why]) => {
      const [reason] = await whyUnfired([{ id: 'b', ...behavior }])
      expect(reason).toMatch(why)
    },
  )

  test('events of other types', async () => {
    const receiver = await openReceiver()
    const never = { id: 'b', when: { event: 'checkout.canceled' }, do: { webhook: { drop: true } } } as const
    const reasons = await whyUnfired([never], { webhook: { url: receiver.url } })
    expect(reasons).toEqual([
      expect.stringMatching(/^b: the events were checkout\.confirmed, .*refund\.created$/),
    ])
  })

  test('no request at all', () => {
    const { shop } = openShop()
    shop.arm([{ id: 'b', do: DOWN }])
    expect(shop.unfired()).toEqual([
      { id: 'b', explained: 'any request: answers 500', why: 'no request came' },
    ])
  })
})

test('behaviors that acted, are optional or were disarmed are not listed', async () => {
  const { shop, call } = openShop()
  shop.arm([
    { id: 'acted', times: 1, do: DOWN },
    { id: 'optional', optional: true, when: { op: 'refunds.list' }, do: DOWN },
    { id: 'disarmed', do: DOWN },
  ])
  await call('POST', '/v1/checkouts', order())
  shop.disarm('disarmed')
  expect(shop.unfired()).toEqual([])
  expect(() => shop.close()).not.toThrow()
})

describe('close', () => {
  test('removes the sandbox, and throws if a behavior never acted', async () => {
    const simulator = openSimulator()
    const shop = simulator.sandbox('shop')
    shop.arm([{ id: 'never', when: { op: 'refunds.create' }, do: DOWN }])
    await asPlatform(simulator, shop)('POST', '/v1/checkouts', order())
    expect(() => shop.close()).toThrow(
      /^The behavior never never acted; the nearest requests were\n {2}req_1 POST \/v1\/checkouts → 201: op is checkouts\.create, not refunds\.create\.\nSet optional: true if that is fine\.$/,
    )
    expect(simulator.sandboxes().map(({ name }) => name)).toEqual(['default'])
  })

  test('does not remove the sandbox default', () => {
    const { simulator, shop } = openShop()
    shop.close()
    expect(simulator.sandbox('default')).toBe(shop)
    expect(shop.requests()).toEqual([])
  })
})
