/** §2 Refund: money on its way back. Asynchronous: pending, then completed (§3). */
import type { z } from 'zod'
import { authorization } from './authorization.ts'
import { checkout } from './checkout.ts'
import { field } from './field.ts'
import { resource } from './resource.ts'

/** D3 */
export const refund = resource({
  name: 'refund',
  collection: 'refunds',
  path: 'refunds',
  param: 'id',
  parent: undefined,
  prefix: 'ref_',
  decision: 'D3',
  words: {
    one: 'Refund',
    many: 'Refunds',
    what: 'Money on its way back: pending, then completed',
    about: 'Money on its way back: POST /v1/refunds.',
  },
  created: 'created',
  ledger: { kind: 'refund', amount: 'amount' },
  order: 'payment',
  fields: {
    checkoutId: field.reference(checkout, { sent: 'optional', filter: 'few' }),
    authorizationId: field.reference(authorization, {
      sent: 'optional',
      filter: 'few',
      check: '(checkoutId IS NULL) <> (authorizationId IS NULL)',
    }),
    amount: field.amount({ sent: 'required', search: 'amount', check: 'amount > 0' }),
    currency: field.currency({}),
    status: field.state,
  },
  // D25: the body names a checkout or an authorization.
  rules: [
    {
      field: 'checkoutId or authorizationId',
      holds: (body) => Boolean(body.checkoutId || body.authorizationId),
    },
    {
      field: 'authorizationId',
      holds: (body) => !(body.checkoutId && body.authorizationId),
      error: 'cannot be combined with checkoutId',
    },
  ],
  moves: {
    complete: {
      from: ['pending'],
      to: 'completed',
      by: 'time',
      after: '5s',
      decision: 'D48',
      option: 'refundDelay',
      ledger: 'none',
    },
  },
  operations: {
    create: {
      does: 'create',
      summary: 'Refund a checkout or a captured authorization, named in the body',
      movesMoney: true,
      refusals: [403, 404, 409],
    },
    list: { does: 'list', summary: 'List refunds, newest first' },
    get: { does: 'read', summary: "Read a refund's live status" },
  },
})

export const Refund = refund.Shown
export type Refund = z.output<typeof Refund>
export const RefundCreate = refund.Create
