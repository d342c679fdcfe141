/** A second profile, as different from the defaults as possible, which the same code serves. */
import type { SandboxOptions } from '../../src/index.ts'
import { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { bothProfiles, completed } from '../../src/spec/contract/profile.ts'
import { byResource, DEFINITIONS } from '../../src/spec/contract/resources/index.ts'
import { TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { TEXTS } from '../../src/spec/contract/texts.ts'
import { secretProfile } from '../fidelity/secret-profile.ts'

type Profile = NonNullable<SandboxOptions['profile']>

/** Changes words only: field names stay, so that `paysim fidelity` can learn from responses. */
export const OTHER_WORDS: Profile = {
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

/** Renames fields too: every name in JSON differs. The names that no test mentions are random. */
export const DIFFERENT: Profile = bothProfiles(
  { fields: secretProfile(1, ['answers.leaveOut']).fields },
  {
    ...OTHER_WORDS,
    // Prefixes without a separator, with two separators and with a digit.
    ids: {
      prefixes: { ...OTHER_WORDS.ids!.prefixes, refund: 'b2_', customer: 'BIZ', payment_method: 'src_x_' },
      length: 32,
    },
    timestamps: { milliseconds: false },
    answers: {
      created: 200,
      fields: {
        ...byResource(({ name }) => ({ object: name })),
        checkout: { object: 'checkout', livemode: false },
        event: { apiVersion: '2026-01-01' },
      },
      leaveOut: { ...byResource(() => ['updatedAt'] as const), event: ['timestamp'] },
      currency: 'EUR',
    },
    fields: {
      checkout: {
        id: 'checkoutRef',
        status: 'state',
        customerId: 'businessId',
        paymentMethodId: 'sourceId',
      },
      refund: { id: 'refundId', status: 'state' },
      customer: { externalId: 'businessRef' },
      event: { id: 'noteId', type: 'what', timestamp: 'when', data: 'about' },
    },
  },
)!

/** Every key has a different value, random if no test mentions it, including keys that change the course of a scenario. */
export const EVERY_KEY: Profile = bothProfiles(secretProfile(1), {
  ...DIFFERENT,
  requests: {
    mediaType: 'lenient',
    unknownFields: 'refuse',
    checkout: ['orderId', 'externalId', 'amount', 'cancelUrl'],
  },
  answers: { ...DIFFERENT.answers, location: false },
  lists: { ...DIFFERENT.lists, size: 7, maxSize: 120 },
  events: Object.fromEntries(EVENT_TYPES.map((type) => [type, `EVENT_${type}`])),
  errors: {
    names: Object.fromEntries(
      Object.keys(completed({}).errors.names).map((status) => [status, `e${status}`]),
    ),
    texts: Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, `${text}!`])),
  },
  idempotency: { replayHeader: 'X-Replayed', keep: '1h', keptRefusals: [404] },
  rateLimit: {
    window: '10s',
    headers: { limit: 'RateLimit-Limit', remaining: 'RateLimit-Remaining', reset: 'RateLimit-Reset' },
    resetAs: 'seconds',
  },
  webhooks: {
    signature: {
      scheme: 'timestamped',
      header: 'X-Signature',
      // No effect here: only the scheme hex has a prefix.
      prefix: 'sha256=',
      idHeader: null,
      timestampHeader: null,
      tolerance: '1m',
    },
    retries: ['1s'],
    timeout: '5s',
  },
  // Longer than the defaults, such as 15s, so that nothing is due earlier in a scenario.
  ...Object.fromEntries(
    TIMED_MOVES.map(({ kind, after }) => [DEFINITIONS[kind].collection, { delay: `1${after}` }]),
  ),
  add: {
    ...byResource(() => ({ score: { type: 'number' } as const })),
    checkout: {
      poNumber: { type: 'text', filter: true, search: true },
      tags: { type: 'map', filter: true },
    },
    authorization: { dueAt: { type: 'time' } },
    refund: { reason: { type: ['damaged', 'late'] } },
    customer: { creditLimit: { type: 'amount' }, isChain: { type: 'boolean' } },
  },
  paths: Object.fromEntries(
    Object.entries(completed({}).paths).map(([id, path]) => [id, path.replace('/v1/', '/v1/other/')]),
  ),
})!

/** The third signature scheme, with a prefix that it does not use and renamed headers. */
export const BY_HEX: Profile = {
  ...EVERY_KEY,
  webhooks: {
    ...EVERY_KEY.webhooks,
    signature: {
      scheme: 'hex',
      header: 'X-Hub',
      prefix: 'sha256=',
      idHeader: 'X-Hub-Id',
      timestampHeader: 'X-Hub-Time',
      tolerance: '1m',
    },
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
