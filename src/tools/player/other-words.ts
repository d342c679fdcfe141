/**
 * A profile with other names for everything: a recording that passes under it and under the defaults does not
 * depend on the words of either.
 */
import type { ProfileChanges } from '../../spec/contract/profile.ts'

export const OTHER_WORDS: ProfileChanges = {
  ids: {
    prefixes: {
      checkout: 'order-',
      authorization: 'hold-',
      refund: 'back-',
      customer: 'business-',
      payment_method: 'source-',
      event: 'note-',
    },
    length: 32,
  },
  lists: { items: 'items', hasMore: 'more' },
  states: {
    checkout: { pending: 'OPEN', approved: 'ACCEPTED', confirmed: 'PAID', canceled: 'CLOSED' },
    authorization: { authorized: 'HELD', captured: 'TAKEN', voided: 'RELEASED' },
    refund: { pending: 'STARTED', completed: 'DONE' },
  },
  events: {
    'checkout.approved': 'ORDER_ACCEPTED',
    'checkout.confirmed': 'ORDER_PAID',
    'refund.created': 'REFUND_STARTED',
    'refund.completed': 'REFUND_DONE',
  },
  errors: { texts: { notFound: 'No such {resource}', missingField: 'The field {field} is required' } },
  idempotency: { replayHeader: 'X-Replayed' },
}
