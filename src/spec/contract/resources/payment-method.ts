/** §2 Payment method: how a customer pays. Never a full card or account number, here or in the database. */
import { z } from 'zod'
import { CARD_MONTHS, CARD_YEARS } from '../limits.ts'
import { oneOf } from '../wire.ts'
import { customer } from './customer.ts'
import { field } from './field.ts'
import { resource } from './resource.ts'

/** D5: the spec names card and non-card; its staging rules mention a bank account. */
export const PaymentMethodType = oneOf(['card', 'bank_account'])

export const Card = z
  .object({
    brand: z.string(),
    last4: z.string(),
    expMonth: z.int().min(CARD_MONTHS.min).max(CARD_MONTHS.max),
    expYear: z.int().min(CARD_YEARS.min).max(CARD_YEARS.max),
  })
  .meta({ id: 'Card' })

export const BankAccount = z
  .object({ bankName: z.string(), routingNumber: z.string(), last4: z.string() })
  .meta({ id: 'BankAccount' })

/** A test payment method that a tester attaches to a customer. */
const NewPaymentMethod = z
  .strictObject({ type: PaymentMethodType.optional().describe('Default: a card') })
  .meta({ id: 'NewPaymentMethod' })

export const paymentMethod = resource({
  name: 'payment_method',
  collection: 'paymentMethods',
  path: 'customers/{id}/payment-methods',
  param: 'paymentMethodId',
  parent: customer,
  prefix: 'pm_',
  decision: 'none',
  words: {
    one: 'Payment method',
    many: 'Payment methods',
    what: 'How a customer pays',
    about: 'A card or bank account that a customer paid with.',
  },
  created: 'attached',
  ledger: 'none',
  order: 'events',
  fields: {
    customerId: field.reference(customer, {}),
    type: field.word(PaymentMethodType, { filter: 'many' }),
    status: field.state,
    card: field.part(Card, { nullable: true, search: 'part', check: "(card IS NOT NULL) = (type = 'card')" }),
    bankAccount: field.part(BankAccount, {
      nullable: true,
      search: 'part',
      check: "(bankAccount IS NOT NULL) = (type = 'bank_account')",
    }),
  },
  moves: {
    detach: { from: ['attached'], to: 'detached', by: 'platform', ledger: 'none' },
  },
  operations: {
    list: { does: 'list', summary: "List a customer's payment methods, newest first" },
    get: { does: 'read', summary: "Read a customer's payment method" },
    detach: { does: 'change', summary: 'Detach a payment method, for good' },
  },
  tester: {
    verb: 'attach',
    for: customer,
    from: 'any',
    summary: "Attach staging's test card, or its test bank account",
    options: NewPaymentMethod,
  },
})

export type PaymentMethodType = z.output<typeof PaymentMethodType>
export type Card = z.output<typeof Card>
export type BankAccount = z.output<typeof BankAccount>

export const PaymentMethod = paymentMethod.Shown
export type PaymentMethod = z.output<typeof PaymentMethod>
