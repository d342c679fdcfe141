/** §2 Checkout: a platform's request for payment by a business. D1: the spec names the operations, but not the states. */
import { z } from 'zod'
import { Amount } from '../money.ts'
import { Text } from '../wire.ts'
import { customer } from './customer.ts'
import { field, withoutNull } from './field.ts'
import { PaymentMethodType, paymentMethod } from './payment-method.ts'
import { resource } from './resource.ts'

const CheckoutUrl = z.string().meta({ format: 'uri', description: 'Hosted page on which a buyer approves' })

export const CheckoutConfirm = z.object({ paymentMethodId: Text.nullish() }).meta({ id: 'CheckoutConfirm' })

export const CheckoutRefund = z.object({ amount: Amount }).meta({ id: 'CheckoutRefund' })

/** D22: the five fields of the spec's example are required. */
export const checkout = resource({
  name: 'checkout',
  collection: 'checkouts',
  path: 'checkouts',
  param: 'id',
  parent: undefined,
  prefix: 'chk_',
  decision: 'D1',
  words: {
    one: 'Checkout',
    many: 'Checkouts',
    what: 'What a business is asked to pay; a buyer approves, the platform confirms',
    about: 'A platform asks a business to pay: POST /v1/checkouts.',
  },
  created: 'created',
  ledger: 'none',
  order: 'itself',
  fields: {
    orderId: field.text({
      sent: 'required',
      filter: 'few',
      search: 'beginning',
      about: "The platform's id of the order",
    }),
    externalId: field.text({
      sent: 'required',
      filter: 'many',
      search: 'beginning',
      about: "The platform's id of the customer",
    }),
    amount: field.amount({ sent: 'required', search: 'amount', check: 'amount > 0' }),
    currency: field.currency({}),
    status: field.state,
    successUrl: field.url({ sent: 'required', about: 'The URL to which the buyer returns after approval' }),
    cancelUrl: field.url({ sent: 'required', about: 'The URL to which the buyer returns after canceling' }),
    checkoutUrl: field.computed(CheckoutUrl),
    customerId: field.reference(customer, { nullable: true, changes: true, filter: 'many' }),
    paymentMethodId: field.reference(paymentMethod, { nullable: true, changes: true }),
    paymentMethodType: field.word(PaymentMethodType, {
      sent: 'optional',
      changes: true,
      about: 'What the buyer pays with',
    }),
    amountRefunded: field.amount({
      changes: true,
      check: "amountRefunded BETWEEN 0 AND amount AND (amountRefunded = 0 OR status = 'confirmed')",
    }),
  },
  moves: {
    approve: { from: ['pending'], to: 'approved', by: 'buyer', ledger: 'none' },
    confirm: {
      from: ['pending', 'approved'],
      to: 'confirmed',
      by: 'platform',
      ledger: { kind: 'charge', amount: 'amount' },
    },
    cancel: { from: ['pending', 'approved'], to: 'canceled', by: 'platform', ledger: 'none' },
  },
  operations: {
    create: { does: 'create', summary: 'Create a checkout', movesMoney: false },
    list: { does: 'list', summary: 'List checkouts, newest first' },
    get: { does: 'read', summary: 'Read a checkout' },
    cancel: {
      does: 'change',
      summary: 'Cancel a checkout that is not confirmed',
    },
    confirm: {
      does: 'change',
      body: CheckoutConfirm,
      summary: 'Confirm a checkout: the business is charged',
    },
    refund: {
      does: 'create',
      body: CheckoutRefund,
      summary: 'Refund a confirmed card checkout, in part or whole',
      movesMoney: true,
      on: { what: 'refund', path: 'refunds' },
      refusals: [403, 404, 409],
    },
    refunds: {
      does: 'list',
      summary: "List a checkout's refunds, newest first",
      on: { what: 'refund', path: 'refunds' },
    },
  },
})

export const CheckoutWithUrl = checkout.Shown
/** As stored: its URL depends on the address at which the simulator is reached. */
export const Checkout = checkout.Stored
export type Checkout = z.output<typeof Checkout>
export const CheckoutCreate = checkout.Create
export type CheckoutCreate = z.output<typeof CheckoutCreate>

/** D22: the texts of a new checkout that a profile may make optional. */
export const OPTIONAL_TEXTS = ['orderId', 'successUrl', 'cancelUrl']

/**
 * D22: the body if a profile requires other fields. A text that was not sent is stored as an empty one, which no platform can
 * send.
 */
export function checkoutBody(required: readonly string[]): z.ZodObject {
  const changes = Object.entries<z.ZodType>(CheckoutCreate.shape).flatMap(([name, body]) => {
    const isRequired = required.includes(name)
    if (isRequired && body instanceof z.ZodOptional) return [[name, withoutNull(body)]]
    if (isRequired || !OPTIONAL_TEXTS.includes(name)) return []
    return [[name, body.nullish().transform((given) => given ?? '')]]
  })
  return changes.length === 0
    ? CheckoutCreate
    : CheckoutCreate.extend(Object.fromEntries(changes)).meta(CheckoutCreate.meta()!)
}
