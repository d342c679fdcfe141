/** §2 Payment method: how a customer pays. Never a full card or account number, here or in the database. */
import { z } from 'zod'
import { id } from './ids.ts'
import { CARD_MONTHS, CARD_YEARS } from './limits.ts'
import { pageOf, pageParameters } from './pages.ts'
import { Instant, oneOf } from './wire.ts'

/** D5: the spec names card and non-card; its staging rules have a bank account. */
export const PaymentMethodType = oneOf(['card', 'bank_account'])

const PaymentMethodStatus = oneOf(['attached', 'detached'])

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

export const PaymentMethod = z
  .object({
    id: id('payment_method'),
    customerId: id('customer'),
    type: PaymentMethodType,
    status: PaymentMethodStatus,
    card: Card.nullable(),
    bankAccount: BankAccount.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    detachedAt: Instant.nullable(),
  })
  .meta({ id: 'PaymentMethod' })

export type PaymentMethodType = z.output<typeof PaymentMethodType>
export type Card = z.output<typeof Card>
export type BankAccount = z.output<typeof BankAccount>
export type PaymentMethod = z.output<typeof PaymentMethod>

export const PaymentMethodQuery = z.object({
  status: PaymentMethodStatus.optional(),
  type: PaymentMethodType.optional(),
  ...pageParameters,
})

export const PaymentMethodPage = pageOf(PaymentMethod).meta({ id: 'PaymentMethodPage' })
