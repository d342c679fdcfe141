/**
 * For each writing operation: a request that succeeds, and the state that it needs. A new operation does not
 * compile without an entry.
 */
import type { WritingId } from '../../src/spec/contract/endpoints.ts'
import type { Case } from './case.ts'

export const ORDER_TEXT =
  '{"orderId":"o-{run}","externalId":"b-{run}","amount":1000,"successUrl":"https://shop.test/ok","cancelUrl":"https://shop.test/no"}'

export type GrantedRequest = Pick<Case, 'given' | 'call' | 'raw'>

export const GRANTED: Readonly<Record<WritingId, GrantedRequest>> = {
  'authorizations.create': {
    call: 'POST /v1/authorizations',
    given: ['a customer'],
    raw: '{"amount":10,"customerId":"{customer}"}',
  },
  'authorizations.capture': {
    call: 'POST /v1/authorizations/{authorization}/capture',
    given: ['a customer', 'an authorization'],
  },
  'authorizations.void': {
    call: 'POST /v1/authorizations/{authorization}/void',
    given: ['a customer', 'an authorization'],
  },
  'checkouts.create': { call: 'POST /v1/checkouts', raw: ORDER_TEXT },
  'checkouts.cancel': { call: 'POST /v1/checkouts/{checkout}/cancel', given: ['a checkout'] },
  'checkouts.confirm': { call: 'POST /v1/checkouts/{checkout}/confirm', given: ['a checkout'] },
  'checkouts.refund': {
    call: 'POST /v1/checkouts/{checkout}/refunds',
    given: ['a checkout', 'it is confirmed'],
    raw: '{"amount":10}',
  },
  'customers.create': { call: 'POST /v1/customers', raw: '{"externalId":"b-{run}"}' },
  'paymentMethods.detach': {
    call: 'POST /v1/customers/{customer}/payment-methods/{method}/detach',
    given: ['a customer', 'an authorization'],
  },
  'refunds.create': {
    call: 'POST /v1/refunds',
    given: ['a checkout', 'it is confirmed'],
    raw: '{"amount":10,"checkoutId":"{checkout}"}',
  },
}
