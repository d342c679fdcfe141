/** §2 Checkout: what the platform asks a business to pay. */
import { z } from 'zod'
import { id } from './ids.ts'
import { Amount, Money } from './money.ts'
import { pageOf, pageParameters } from './pages.ts'
import { PaymentMethodType } from './payment-method.ts'
import { Currency, Instant, oneOf, Text, Url } from './wire.ts'

/** D1: the spec names the operations, but not the states. */
export const CheckoutStatus = oneOf(['pending', 'approved', 'confirmed', 'canceled'])

/** A checkout as answers and events show it. */
export const CheckoutWithUrl = z
  .object({
    id: id('checkout'),
    orderId: z.string(),
    externalId: z.string(),
    amount: Money,
    currency: Currency,
    status: CheckoutStatus,
    successUrl: z.string(),
    cancelUrl: z.string(),
    checkoutUrl: z.string().meta({ format: 'uri', description: 'Hosted page on which a buyer approves' }),
    customerId: id('customer').nullable(),
    paymentMethodId: id('payment_method').nullable(),
    paymentMethodType: PaymentMethodType.nullable(),
    amountRefunded: Money,
    createdAt: Instant,
    updatedAt: Instant,
    approvedAt: Instant.nullable(),
    confirmedAt: Instant.nullable(),
    canceledAt: Instant.nullable(),
  })
  .meta({ id: 'Checkout' })

/** A checkout as it is stored: its URL depends on the address at which the simulator is reached. */
export const Checkout = CheckoutWithUrl.omit({ checkoutUrl: true })

export type Checkout = z.output<typeof Checkout>

/** D22: the five fields of the spec's example are required. */
export const CheckoutCreate = z
  .object({
    orderId: Text,
    externalId: Text,
    amount: Amount,
    successUrl: Url,
    cancelUrl: Url,
    paymentMethodType: PaymentMethodType.nullish(),
  })
  .meta({ id: 'CheckoutCreate' })

export type CheckoutCreate = z.output<typeof CheckoutCreate>

export const CheckoutConfirm = z.object({ paymentMethodId: Text.nullish() }).meta({ id: 'CheckoutConfirm' })

export const CheckoutRefund = z.object({ amount: Amount }).meta({ id: 'CheckoutRefund' })

export const CheckoutQuery = z.object({
  status: CheckoutStatus.optional(),
  orderId: z.string().optional(),
  externalId: z.string().optional(),
  customerId: z.string().optional(),
  ...pageParameters,
})

export const CheckoutPage = pageOf(CheckoutWithUrl).meta({ id: 'CheckoutPage' })
