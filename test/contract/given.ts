/** The initial states of the cases, by name, as steps. {placeholders} refer to the ids that a step creates. */
import type { Sandbox } from '../../src/index.ts'
import { contract } from './platform.ts'

export type Step =
  | { call: string; json?: unknown; key?: string; keep?: Record<string, string> }
  /** A tester's act, such as the creation of a resource. */
  | { act(tester: Sandbox, names: Names): object; keep?: Record<string, string> }
  | { advanceMs: number }

export type Names = Record<string, string>

export const ORDER = {
  orderId: 'order-{run}',
  externalId: 'biz-{run}',
  amount: 1000,
  successUrl: 'https://shop.test/ok?a=1&b=2',
  cancelUrl: 'https://shop.test/no',
}

const checkout = { call: 'POST /v1/checkouts', json: ORDER, keep: { checkout: 'id' } }
const customer = { call: 'POST /v1/customers', json: { externalId: 'biz-{run}' }, keep: { customer: 'id' } }
const refund = { call: 'POST /v1/checkouts/{checkout}/refunds', keep: { refund: 'id' } }
const capture = { call: 'POST /v1/authorizations/{authorization}/capture' }

export const GIVEN = {
  'a checkout': checkout,
  'another checkout': { ...checkout, keep: { another: 'id' } },
  'a card checkout': { ...checkout, json: { ...ORDER, paymentMethodType: 'card' } },
  'a bank checkout': { ...checkout, json: { ...ORDER, paymentMethodType: 'bank_account' } },
  'it is confirmed': {
    call: 'POST /v1/checkouts/{checkout}/confirm',
    keep: { customer: 'customerId', method: 'paymentMethodId' },
  },
  'it is canceled': { call: 'POST /v1/checkouts/{checkout}/cancel' },
  'a buyer approves it': { act: ({ buyer }, { checkout }) => buyer.approve(checkout!) },
  'a buyer approves it with a bank account': {
    act: ({ buyer }, { checkout }) => buyer.approve(checkout!, { method: 'bank_account' }),
  },

  'a refund of 250.00': { ...refund, json: { amount: 250 } },
  'a refund of 750.00': { ...refund, json: { amount: 750 } },
  'a refund of 1000.00': { ...refund, json: { amount: 1000 } },

  'a customer': customer,
  'another customer': {
    call: 'POST /v1/customers',
    json: { externalId: 'other-{run}' },
    keep: { other: 'id' },
  },

  'an authorization': {
    call: 'POST /v1/authorizations',
    json: { amount: 1000, externalId: 'biz-{run}' },
    keep: { authorization: 'id', method: 'paymentMethodId' },
  },
  'an authorization on the bank account': {
    call: 'POST /v1/authorizations',
    json: { amount: 1000, externalId: 'biz-{run}', paymentMethodId: '{method}' },
    keep: { authorization: 'id' },
  },
  'an authorization of the other customer': {
    call: 'POST /v1/authorizations',
    json: { amount: 1000, customerId: '{other}' },
    keep: { othersMethod: 'paymentMethodId' },
  },
  'it is captured': capture,
  '600.00 of it are captured': { ...capture, json: { amount: 600 } },
  'it is voided': { call: 'POST /v1/authorizations/{authorization}/void' },
  'a refund of all of it': {
    call: 'POST /v1/refunds',
    json: { amount: 1000, authorizationId: '{authorization}' },
    keep: { refund: 'id' },
  },
  'the method is detached': { call: 'POST /v1/customers/{customer}/payment-methods/{method}/detach' },

  'a minute later': { advanceMs: 60_000 },
  'the refund is due': { advanceMs: contract.delays.refundDelay },
  'a second later': { advanceMs: 1_000 },
} as const satisfies Record<string, Step>

export type Given = keyof typeof GIVEN
