/** A second profile, as different from the defaults as it can be: the same code runs it. */
import type { SandboxOptions } from '../../src/index.ts'

export const DIFFERENT: NonNullable<SandboxOptions['profile']> = {
  ids: {
    prefixes: {
      checkout: 'pay-',
      authorization: 'hold-',
      refund: 'back-',
      customer: 'biz-',
      payment_method: 'src-',
      event: 'note-',
    },
    length: 32,
  },
  answers: {
    created: 200,
    fields: {
      checkout: { object: 'checkout', livemode: false },
      refund: { object: 'refund' },
      event: { apiVersion: '2026-01-01' },
    },
  },
  lists: { items: 'items', hasMore: 'more', nextCursor: 'after', limit: 'page_size', cursor: 'after' },
  states: {
    checkout: { pending: 'OPEN', approved: 'ACCEPTED', confirmed: 'PAID', canceled: 'DEAD' },
    authorization: { authorized: 'HELD', captured: 'TAKEN', voided: 'RELEASED' },
    refund: { pending: 'PROCESSING', completed: 'SUCCEEDED' },
  },
  events: {
    'checkout.created': 'CHECKOUT_OPENED',
    'checkout.approved': 'CHECKOUT_ACCEPTED',
    'checkout.confirmed': 'CHECKOUT_PAID',
    'checkout.canceled': 'CHECKOUT_DEAD',
    'refund.created': 'REFUND_STARTED',
    'refund.completed': 'REFUND_SUCCEEDED',
    'customer.created': 'BUSINESS_ADDED',
  },
  errors: {
    names: { 400: 'bad_request', 404: 'not_found', 409: 'conflict', 500: 'server_error' },
    texts: {
      missingField: 'The field {field} is required',
      notFound: 'No such {resource}',
      alreadyInState: '{resource} has the state {state}',
    },
  },
  idempotency: { replayHeader: 'X-Replayed' },
  rateLimit: {
    headers: { limit: 'RateLimit-Limit', remaining: 'RateLimit-Remaining', reset: 'RateLimit-Reset' },
  },
  webhooks: {
    signature: {
      scheme: 'timestamped',
      header: 'X-Signature',
      idHeader: null,
      timestampHeader: null,
    },
  },
  paths: {
    'refunds.get': '/v1/refunds/{id}/status',
    'events.list': '/v1/notifications',
    'events.get': '/v1/notifications/{id}',
  },
}

/** A checkout, for the tests of profiles. */
export const ORDER = {
  orderId: 'o-1',
  externalId: 'b-1',
  amount: 10,
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
}
