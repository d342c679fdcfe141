/** Seed data: what there is when a sandbox starts. */
import { z } from 'zod'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { Amount } from '../contract/money.ts'
import { PaymentMethodType } from '../contract/payment-method.ts'
import { oneOf, Text, Url } from '../contract/wire.ts'

const ROWS = TESTER_LIMITS.fixtureRows.max

const Refunds = z
  .array(z.strictObject({ amount: Amount, status: oneOf(['pending', 'completed']).optional() }))
  .max(ROWS)
  .optional()

export const Fixture = z
  .strictObject({
    customers: z
      .array(
        z.strictObject({
          externalId: Text,
          name: Text.optional(),
          email: Text.optional(),
          phone: Text.optional(),
          paymentMethods: z.array(PaymentMethodType).max(ROWS).optional(),
        }),
      )
      .max(ROWS)
      .optional(),
    checkouts: z
      .array(
        z.strictObject({
          orderId: Text,
          externalId: Text,
          amount: Amount,
          successUrl: Url.optional(),
          cancelUrl: Url.optional(),
          paymentMethodType: PaymentMethodType.optional(),
          status: oneOf(['pending', 'approved', 'confirmed', 'canceled']).optional(),
          refunds: Refunds,
        }),
      )
      .max(ROWS)
      .optional(),
    authorizations: z
      .array(
        z.strictObject({
          externalId: Text,
          orderId: Text.optional(),
          amount: Amount,
          status: oneOf(['authorized', 'captured', 'voided']).optional(),
          amountCaptured: Amount.optional(),
          refunds: Refunds,
        }),
      )
      .max(ROWS)
      .optional(),
  })
  .meta({ id: 'Fixture', description: 'What there is when a sandbox starts' })

/** What there is when a sandbox starts. */
export interface Fixture {
  /** Customers, with their payment methods. */
  customers?: SeedCustomer[] | undefined
  /** Checkouts, in any state. */
  checkouts?: SeedCheckout[] | undefined
  /** Authorizations, in any state. */
  authorizations?: SeedAuthorization[] | undefined
}

type PaymentKind = z.input<typeof PaymentMethodType>

interface SeedCustomer {
  /** The platform's id of the customer. */
  externalId: string
  /** The customer's name. */
  name?: string | undefined
  /** The customer's e-mail address. */
  email?: string | undefined
  /** The customer's phone number. */
  phone?: string | undefined
  /** The kinds of payment methods that are attached; staging's test card or test bank account. */
  paymentMethods?: PaymentKind[] | undefined
}

interface SeedCheckout {
  /** The platform's id of the order. */
  orderId: string
  /** The platform's id of the customer. */
  externalId: string
  /** The amount, such as `10.5`. */
  amount: number
  /** Where the buyer goes after approving. */
  successUrl?: string | undefined
  /** Where the buyer goes after giving up. */
  cancelUrl?: string | undefined
  /** What the buyer pays with. */
  paymentMethodType?: PaymentKind | undefined
  /** The state; left out, pending. */
  status?: 'pending' | 'approved' | 'confirmed' | 'canceled' | undefined
  /** Refunds of it. */
  refunds?: SeedRefund[] | undefined
}

interface SeedAuthorization {
  /** The platform's id of the customer. */
  externalId: string
  /** The platform's id of the order. */
  orderId?: string | undefined
  /** The amount, such as `10.5`. */
  amount: number
  /** The state; left out, authorized. */
  status?: 'authorized' | 'captured' | 'voided' | undefined
  /** How much of it is captured; left out, all. */
  amountCaptured?: number | undefined
  /** Refunds of it. */
  refunds?: SeedRefund[] | undefined
}

interface SeedRefund {
  /** The amount, such as `10.5`. */
  amount: number
  /** The state; left out, pending. */
  status?: 'pending' | 'completed' | undefined
}
