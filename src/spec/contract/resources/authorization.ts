/** §2 Authorization: money held without a page, captured once or voided. A capture has no record of its own (D6). */
import { z } from 'zod'
import { Amount } from '../money.ts'
import { customer } from './customer.ts'
import { field } from './field.ts'
import { PaymentMethodType, paymentMethod } from './payment-method.ts'
import { resource } from './resource.ts'

/** D6: without an amount the whole authorization is captured. */
export const AuthorizationCapture = z
  .object({ amount: Amount.nullish() })
  .meta({ id: 'AuthorizationCapture' })

/** D2: the spec names the operations, but not the states. */
export const authorization = resource({
  name: 'authorization',
  collection: 'authorizations',
  path: 'authorizations',
  param: 'id',
  parent: undefined,
  prefix: 'auth_',
  decision: 'D2',
  words: {
    one: 'Authorization',
    many: 'Authorizations',
    what: 'Money held without a page, captured once or voided',
    about: "A platform holds money on a customer's payment method: POST /v1/authorizations.",
  },
  created: 'created',
  ledger: 'none',
  order: 'itself',
  fields: {
    customerId: field.reference(customer, { sent: 'completed', filter: 'many' }),
    externalId: field.text({ sent: 'completed', search: 'part' }),
    orderId: field.text({
      sent: 'optional',
      filter: 'few',
      search: 'part',
      about: "The platform's id of the order",
    }),
    amount: field.amount({ sent: 'required', search: 'amount', check: 'amount > 0' }),
    currency: field.currency({}),
    status: field.state,
    paymentMethodId: field.reference(paymentMethod, { sent: 'completed', changes: true }),
    paymentMethodType: field.word(PaymentMethodType, { changes: true }),
    amountCaptured: field.amount({ changes: true, check: 'amountCaptured BETWEEN 0 AND amount' }),
    amountRefunded: field.amount({ changes: true, check: 'amountRefunded BETWEEN 0 AND amountCaptured' }),
  },
  // D23: the customer by id, by external ID, or by both.
  rules: [
    { field: 'customerId or externalId', holds: (body) => Boolean(body.customerId || body.externalId) },
  ],
  moves: {
    capture: {
      from: ['authorized'],
      to: 'captured',
      by: 'platform',
      ledger: { kind: 'capture', amount: 'amountCaptured' },
    },
    void: { from: ['authorized'], to: 'voided', by: 'platform', ledger: 'none' },
  },
  operations: {
    create: {
      does: 'create',
      summary: "Hold money on a customer's payment method",
      movesMoney: true,
      refusals: [404, 409],
    },
    capture: {
      does: 'change',
      body: AuthorizationCapture,
      summary: 'Capture an authorization, once; the rest is released',
    },
    void: {
      does: 'change',
      summary: 'Void an authorization: the money is released',
    },
    list: { does: 'list', summary: 'List authorizations, newest first' },
    get: { does: 'read', summary: 'Read an authorization' },
  },
})

export const Authorization = authorization.Shown
export type Authorization = z.output<typeof Authorization>
export const AuthorizationCreate = authorization.Create
