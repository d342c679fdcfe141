import { describe } from 'vitest'
import { filtered, invalidBodies, play, refusals } from './case.ts'

const NOBODY = { name: null, email: null, phone: null }
const CREATED = { id: /^cus_[0-9A-Za-z]{24}$/, externalId: 'biz-{run}', ...NOBODY }

describe('creating a customer', () => {
  const call = 'POST /v1/customers'
  const created = { call, status: 201, events: ['customer.created'] }
  const details = { name: 'Acme LLC', email: 'a@acme.test', phone: '+15555550100' }

  play([
    {
      ...created,
      name: 'returns the customer with every field',
      json: { externalId: 'biz-{run}' },
      body: CREATED,
      answerHeaders: { location: /^\/v1\/customers\/cus_[0-9A-Za-z]{24}$/ },
      absent: ['paymentMethods'],
    },
    {
      ...created,
      name: 'sets both timestamps to the same instant',
      json: { externalId: 'biz-{run}' },
      body: { createdAt: '{now}', updatedAt: '{now}' },
    },
    {
      ...created,
      name: 'stores its details without validation',
      json: { externalId: 'biz-{run}', ...details },
      body: { ...CREATED, ...details },
    },
    {
      ...created,
      name: 'treats null as absent',
      json: { externalId: 'biz-{run}', ...NOBODY },
      body: CREATED,
    },
    {
      name: 'refuses an external ID that is taken, and names its customer',
      given: ['a customer'],
      call,
      json: { externalId: 'biz-{run}', name: 'Somebody else' },
      status: 409,
      body: {
        error: 'Conflict',
        message: 'Customer with this external ID already exists',
        existingResourceId: '{customer}',
      },
      absent: ['location'],
    },
    {
      name: 'refuses the external ID of a business that became a customer by paying',
      given: ['a checkout', 'it is confirmed'],
      call,
      json: { externalId: 'biz-{run}' },
      status: 409,
      body: { existingResourceId: '{customer}' },
    },
    {
      ...created,
      name: 'accepts an external ID that differs in case or space',
      given: ['a customer'],
      json: { externalId: ' BIZ-{run}' },
      body: { externalId: ' BIZ-{run}' },
    },
    ...invalidBodies(
      call,
      [],
      [
        [{ externalId: null }, 'Invalid field: externalId must be a string of 1 to 255 characters'],
        [{ externalId: '' }, 'Invalid field: externalId must be a string of 1 to 255 characters'],
        [{ externalId: 'b', email: {} }, 'Invalid field: email must be a string of 1 to 255 characters'],
      ],
    ),
  ])
})

describe('reading customers', () => {
  play([
    {
      name: 'one',
      given: ['a customer'],
      call: 'GET /v1/customers/{customer}',
      status: 200,
      body: { ...CREATED, id: '{customer}' },
    },
    {
      name: 'a customer created by a payment',
      given: ['a checkout', 'a minute later', 'it is confirmed'],
      call: 'GET /v1/customers/{customer}',
      status: 200,
      body: { ...CREATED, id: '{customer}', createdAt: '{now}', updatedAt: '{now}' },
    },
    {
      name: 'the customer with an external ID',
      given: ['a customer', 'another customer'],
      call: 'GET /v1/customers?externalId=biz-{run}',
      status: 200,
      body: { data: [{ id: '{customer}' }], hasMore: false, nextCursor: null },
    },
    {
      name: 'no customer with an unused external ID',
      given: ['a customer'],
      call: 'GET /v1/customers?externalId=nobody-{run}',
      status: 200,
      body: { data: [], hasMore: false, nextCursor: null },
    },
  ])
})

const METHOD = { id: '{method}', customerId: '{customer}', status: 'attached', detachedAt: null }
const TEST_CARD = {
  type: 'card',
  card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 },
  bankAccount: null,
}
const TEST_BANK_ACCOUNT = {
  type: 'bank_account',
  card: null,
  bankAccount: { bankName: 'Staging Bank', routingNumber: '222222226', last4: '6789' },
}

describe('reading payment methods', () => {
  const given = ['a checkout', 'it is confirmed'] as const
  const withBoth = ['a bank checkout', 'it is confirmed', 'an authorization'] as const
  const all = 'GET /v1/customers/{customer}/payment-methods'
  play([
    {
      name: 'a card with only four digits of its number',
      given,
      call: `${all}/{method}`,
      status: 200,
      body: { ...METHOD, ...TEST_CARD },
      absent: ['number', 'cvc'],
    },
    {
      name: 'a bank account with only four digits of its number',
      given: ['a bank checkout', 'it is confirmed'],
      call: `${all}/{method}`,
      status: 200,
      body: { ...METHOD, ...TEST_BANK_ACCOUNT },
      absent: ['accountNumber'],
    },
    {
      name: "a customer's, newest first",
      given: withBoth,
      call: all,
      status: 200,
      body: { data: [TEST_CARD, TEST_BANK_ACCOUNT], hasMore: false, nextCursor: null },
    },
    {
      name: "a customer's, where there are none",
      given: ['a customer', 'another customer', 'an authorization of the other customer'],
      call: all,
      status: 200,
      body: { data: [], hasMore: false, nextCursor: null },
    },
    ...filtered(`${all}?`, withBoth, [
      ['type=card', [TEST_CARD]],
      ['type=bank_account', [TEST_BANK_ACCOUNT]],
      ['status=attached', [TEST_CARD, TEST_BANK_ACCOUNT]],
      ['status=detached', []],
      ['status=attached&type=card', [TEST_CARD]],
    ]),
    ...refusals(`${all}/pm_nobody`, [['one that was never attached', given, '404 Payment method not found']]),
    ...refusals('GET /v1/customers/cus_nobody/payment-methods/{method}', [
      ['one of a customer that was never created', given, '404 Customer not found'],
    ]),
    ...refusals(`${all}/{othersMethod}`, [
      [
        "another customer's, as unknown",
        ['a customer', 'another customer', 'an authorization of the other customer'],
        '404 Payment method not found',
      ],
    ]),
  ])
})

describe('detaching', () => {
  const given = ['a checkout', 'it is confirmed'] as const
  const call = 'POST /v1/customers/{customer}/payment-methods/{method}/detach'
  play([
    {
      name: 'is permanent',
      given: [...given, 'a minute later'],
      call,
      status: 200,
      body: {
        ...METHOD,
        ...TEST_CARD,
        status: 'detached',
        createdAt: '{start}',
        updatedAt: '{now}',
        detachedAt: '{now}',
      },
      events: ['payment_method.detached'],
      absent: ['location'],
    },
    {
      name: 'does not change payments with the method',
      given: [...given, 'the method is detached'],
      call: 'GET /v1/checkouts/{checkout}',
      status: 200,
      body: { status: 'confirmed', paymentMethodId: '{method}', paymentMethodType: 'card' },
    },
    {
      name: 'still allows a refund',
      given: [...given, 'the method is detached'],
      call: 'POST /v1/checkouts/{checkout}/refunds',
      json: { amount: 10 },
      status: 201,
      body: { status: 'pending' },
      events: ['refund.created'],
      writes: ['refund 10.00', 'later refund.complete'],
    },
    {
      name: 'leaves the method readable',
      given: [...given, 'the method is detached'],
      call: 'GET /v1/customers/{customer}/payment-methods/{method}',
      status: 200,
      body: { status: 'detached' },
    },
    ...refusals('POST /v1/customers/{customer}/payment-methods/{othersMethod}/detach', [
      [
        "reads another customer's method as unknown",
        ['a customer', 'another customer', 'an authorization of the other customer'],
        '404 Payment method not found',
      ],
    ]),
  ])
})
