import { describe } from 'vitest'
import { filtered, play, refusals, refused } from './case.ts'
import { ORDER } from './given.ts'
import { requestRules } from './platform.ts'

const CREATED = {
  id: /^chk_[0-9A-Za-z]{24}$/,
  orderId: 'order-{run}',
  externalId: 'biz-{run}',
  amount: 1000,
  currency: 'USD',
  status: 'pending',
  successUrl: 'https://shop.test/ok?a=1&b=2',
  cancelUrl: 'https://shop.test/no',
  checkoutUrl: /\/checkout\/chk_[0-9A-Za-z]{24}$/,
  customerId: null,
  paymentMethodId: null,
  paymentMethodType: null,
  amountRefunded: 0,
  createdAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  updatedAt: /Z$/,
  approvedAt: null,
  confirmedAt: null,
  canceledAt: null,
}

const without = (field: keyof typeof ORDER) =>
  Object.fromEntries(Object.entries(ORDER).filter(([name]) => name !== field))

describe('creating', () => {
  const call = 'POST /v1/checkouts'
  const created = { call, status: 201, events: ['checkout.created'] }

  play([
    {
      ...created,
      name: 'returns the pending checkout with every field',
      json: ORDER,
      body: CREATED,
      answerHeaders: { location: /^\/v1\/checkouts\/chk_[0-9A-Za-z]{24}$/ },
    },
    {
      ...created,
      name: 'preselects the type of payment method',
      json: { ...ORDER, paymentMethodType: 'bank_account' },
      body: { ...CREATED, paymentMethodType: 'bank_account' },
    },
    {
      ...created,
      name: 'treats a null optional field as absent',
      json: { ...ORDER, paymentMethodType: null },
      body: CREATED,
    },
    {
      ...created,
      name: 'has the customer if the business already is one',
      given: ['a customer'],
      json: ORDER,
      body: { ...CREATED, customerId: '{customer}' },
    },
    {
      ...created,
      name: 'accepts the same orderId again',
      given: ['a checkout'],
      json: ORDER,
      body: CREATED,
    },
    {
      ...created,
      name: 'sets both timestamps to the same instant',
      json: ORDER,
      body: { createdAt: '{now}', updatedAt: '{now}' },
    },
  ])

  play([
    ...(Object.keys(ORDER) as (keyof typeof ORDER)[]).map((field) =>
      requestRules.checkout.includes(field)
        ? {
            ...refused(`400 Missing required field: ${field}`),
            name: `needs ${field}`,
            call,
            json: without(field),
          }
        : { ...created, name: `does without ${field}`, json: without(field), body: { [field]: null } },
    ),
  ])
})

describe('confirming', () => {
  const call = 'POST /v1/checkouts/{checkout}/confirm'
  const writes = ['charge 1000.00', 'email checkout_receipt']
  const confirmed = { call, status: 200, events: ['checkout.confirmed'], writes }

  play([
    {
      ...confirmed,
      name: 'creates a customer for a new business, and uses the test card',
      given: ['a checkout', 'a minute later'],
      body: {
        ...CREATED,
        id: '{checkout}',
        status: 'confirmed',
        customerId: /^cus_[0-9A-Za-z]{24}$/,
        paymentMethodId: /^pm_[0-9A-Za-z]{24}$/,
        paymentMethodType: 'card',
        createdAt: '{start}',
        updatedAt: '{now}',
        confirmedAt: '{now}',
      },
      events: ['customer.created', 'payment_method.attached', 'checkout.confirmed'],
      absent: ['location'],
    },
    {
      ...confirmed,
      name: 'uses a test bank account if it was preselected',
      given: ['a bank checkout'],
      body: { status: 'confirmed', paymentMethodType: 'bank_account', paymentMethodId: /^pm_/ },
      events: ['customer.created', 'payment_method.attached', 'checkout.confirmed'],
    },
    {
      ...confirmed,
      name: "uses the customer's newest card, and makes none",
      given: ['a customer', 'an authorization', 'a checkout'],
      body: { customerId: '{customer}', paymentMethodId: '{method}', paymentMethodType: 'card' },
    },
    {
      ...confirmed,
      name: 'skips a detached card',
      given: ['a customer', 'an authorization', 'the method is detached', 'a checkout'],
      body: { customerId: '{customer}', paymentMethodType: 'card' },
      events: ['payment_method.attached', 'checkout.confirmed'],
    },
    {
      ...confirmed,
      name: 'does not pay by card if a bank account was preselected',
      given: ['a customer', 'an authorization', 'a bank checkout'],
      body: { paymentMethodType: 'bank_account' },
      events: ['payment_method.attached', 'checkout.confirmed'],
    },
    {
      ...confirmed,
      name: 'uses the method in the body',
      given: ['a customer', 'an authorization', 'a checkout'],
      json: { paymentMethodId: '{method}' },
      body: { paymentMethodId: '{method}' },
    },
    {
      ...confirmed,
      name: 'uses the method that the buyer chose, and keeps the time of approval',
      given: ['a checkout', 'a buyer approves it with a bank account', 'a minute later'],
      body: {
        status: 'confirmed',
        paymentMethodType: 'bank_account',
        approvedAt: '{start}',
        confirmedAt: '{now}',
        updatedAt: '{now}',
        canceledAt: null,
      },
    },
    {
      ...confirmed,
      name: 'confirms an approved checkout if approval is required',
      given: ['a checkout', 'a buyer approves it'],
      options: { requireApproval: true },
      body: { status: 'confirmed', paymentMethodType: 'card' },
    },
    {
      ...confirmed,
      given: ['a checkout'],
      json: { amount: 'whatever', status: 'canceled' },
      ...(requestRules.unknownFields === 'ignore'
        ? {
            name: 'ignores unknown fields',
            body: { status: 'confirmed', amount: 1000 },
            events: ['customer.created', 'payment_method.attached', 'checkout.confirmed'],
          }
        : {
            name: 'refuses unknown fields',
            status: 400,
            body: { message: 'Unknown field: amount' },
            events: [],
            writes: [],
          }),
    },
    {
      name: 'needs an approval if it is required',
      given: ['a checkout'],
      options: { requireApproval: true },
      call,
      status: 409,
      body: { error: 'Conflict', message: 'Checkout is not approved by the buyer yet' },
    },
    ...refusals(call, [
      ['cannot happen twice', ['a checkout', 'it is confirmed'], '409 Checkout is already confirmed'],
      [
        "refuses another customer's method as unknown",
        ['a customer', 'another customer', 'an authorization of the other customer', 'a checkout'],
        '404 Payment method not found',
        { paymentMethodId: '{othersMethod}' },
      ],
    ]),
  ])
})

describe('canceling', () => {
  const call = 'POST /v1/checkouts/{checkout}/cancel'
  play([
    {
      name: 'cancels a pending checkout',
      given: ['a checkout', 'a minute later'],
      call,
      status: 200,
      body: {
        ...CREATED,
        id: '{checkout}',
        status: 'canceled',
        createdAt: '{start}',
        updatedAt: '{now}',
        canceledAt: '{now}',
      },
      events: ['checkout.canceled'],
      absent: ['location'],
    },
    {
      name: 'cancels an approved checkout',
      given: ['a checkout', 'a buyer approves it'],
      call,
      status: 200,
      body: { status: 'canceled', approvedAt: '{now}', canceledAt: '{now}', confirmedAt: null },
      events: ['checkout.canceled'],
    },
    ...refusals(call, [
      [
        'cannot cancel a confirmed checkout',
        ['a checkout', 'it is confirmed'],
        '409 Checkout is already confirmed',
      ],
    ]),
  ])
})

describe('reading', () => {
  play([
    {
      name: 'one',
      given: ['a checkout'],
      call: 'GET /v1/checkouts/{checkout}',
      status: 200,
      body: { ...CREATED, id: '{checkout}' },
      absent: ['location'],
    },
    {
      name: 'a checkout that a buyer approved',
      given: ['a checkout', 'a minute later', 'a buyer approves it'],
      call: 'GET /v1/checkouts/{checkout}',
      status: 200,
      body: {
        status: 'approved',
        approvedAt: '{now}',
        updatedAt: '{now}',
        createdAt: '{start}',
        confirmedAt: null,
        customerId: /^cus_/,
        paymentMethodId: /^pm_/,
        paymentMethodType: 'card',
      },
    },
    {
      name: 'a checkout of a business that became a customer elsewhere',
      given: ['a checkout', 'a customer'],
      call: 'GET /v1/checkouts/{checkout}',
      status: 200,
      body: { customerId: '{customer}', status: 'pending', paymentMethodId: null },
    },
    {
      name: 'all with an orderId, newest first',
      given: ['a checkout', 'another checkout'],
      call: 'GET /v1/checkouts?orderId=order-{run}',
      status: 200,
      body: { data: [{ id: '{another}' }, { id: '{checkout}' }], hasMore: false, nextCursor: null },
    },
    ...filtered(
      'GET /v1/checkouts?externalId=biz-{run}&',
      ['a checkout', 'it is confirmed', 'another checkout'],
      [
        ['status=confirmed', ['{checkout}']],
        ['status=pending', ['{another}']],
        ['status=canceled', []],
        ['status=approved', []],
        ['customerId={customer}', ['{another}', '{checkout}']],
        ['status=confirmed&customerId={customer}', ['{checkout}']],
        ['status=pending&customerId=cus_nobody', []],
        ['whatever=is+ignored', ['{another}', '{checkout}']],
      ],
    ),
  ])
})
