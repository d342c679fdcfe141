/** The buyer's actions on the tester's object: the steps of the hosted page, and their effects. */
import { describe, expect, test } from 'vitest'
import type { BuyerOptions } from '../../src/spec/contract/tester.ts'
import { openShop, order, START } from '../control/shop.ts'

async function open(amount = 1000, fields: object = {}) {
  const { shop, call } = openShop()
  const { body } = await call('POST', '/v1/checkouts', { ...order(amount), ...fields })
  return {
    approve: (wish?: BuyerOptions) => shop.buyer.approve(body.id, wish),
    decline: (wish?: BuyerOptions) => shop.buyer.decline(body.id, wish),
    approveNobody: () => shop.buyer.approve('chk_2'),
    read: async (path: string) => (await call('GET', path)).body,
    status: async () => (await call('GET', `/v1/checkouts/${body.id}`)).body.status,
    events: () => shop.events().map(({ type }) => type),
    subjects: () => shop.outbox().map(({ subject }) => subject),
    messages: () => shop.outbox().map(({ template, body }) => `${template}: ${body}`),
  }
}

describe('approving', () => {
  test('creates a customer, a method, an approved checkout and a code in the outbox', async () => {
    const { approve, read, events, messages } = await open()
    const checkout = approve()
    expect(checkout).toMatchObject({ status: 'approved', approvedAt: START, paymentMethodType: 'card' })
    expect(events()).toEqual([
      'checkout.created',
      'customer.created',
      'payment_method.attached',
      'checkout.approved',
    ])
    expect(messages()).toEqual(['login_code: 000000 is your code for o-1.'])
    expect(await read(`/v1/customers/${checkout.customerId}`)).toMatchObject({ email: 'buyer@example.test' })
    expect(() => approve()).toThrow('Checkout is already approved')
  })

  test('applies for credit to pay by bank account, with the name of the business', async () => {
    const { approve, read, messages } = await open(990_000)
    const { customerId } = approve({ method: 'bank_account' })
    expect(await read(`/v1/customers/${customerId}`)).toMatchObject({ name: 'Example Trading LLC' })
    expect(messages()[1]).toBe(
      'application_decision: Your application for $990,000.00 was approved. Test Approved is always approved, for any amount and without a check.',
    )
  })

  test.for<[string, BuyerOptions, number]>([
    ['a usual score', { lastFour: '1234' }, 25_000],
    ['a high score', { lastFour: '0000' }, 250_000],
    ['a named applicant', { applicant: 'Ada King Lovelace' }, 25_000],
  ])('is refused above the limit of %s', async ([, wish, limit]) => {
    const below = await open(limit)
    expect(below.approve({ method: 'bank_account', ...wish })).toMatchObject({ status: 'approved' })
    const above = await open(limit + 0.01)
    expect(() => above.approve({ method: 'bank_account', ...wish })).toThrow(
      /^Application is declined\. A score of/,
    )
    expect(await above.status()).toBe('pending')
  })

  test('is refused for an unknown checkout or an invalid applicant', async () => {
    const { approve, approveNobody } = await open()
    expect(approveNobody).toThrow('Checkout not found')
    expect(() => approve({ method: 'bank_account', lastFour: '12' })).toThrow(/^Invalid field: nationalId/)
    expect(() => approve({ method: 'bank_account', applicant: 'Madonna' })).toThrow(/^Invalid field: last/)
  })

  test('uses the method that the platform chose', async () => {
    const { approve } = await open(1000, { paymentMethodType: 'bank_account' })
    expect(approve()).toMatchObject({ paymentMethodType: 'bank_account' })
  })
})

test.for<[string, BuyerOptions]>([
  ['an application is declined', {}],
  ['a card is declined', { method: 'card' }],
])('when %s, the checkout stays pending, and a card still pays', async ([, wish]) => {
  const { approve, decline, status, messages, subjects } = await open()
  decline(wish)
  expect(await status()).toBe('pending')
  if (wish.method !== 'card') {
    expect(messages()[1]).toMatch(/was declined. The bank declined the application/)
    expect(() => approve({ method: 'bank_account' })).toThrow(/declined/)
    expect(subjects()).toEqual([expect.anything(), 'Your application was declined'])
  }
  expect(approve({ method: 'card' })).toMatchObject({ status: 'approved' })
})
