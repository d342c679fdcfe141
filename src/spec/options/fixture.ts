/** Seed data: what there is when a sandbox starts. */
import { z } from 'zod'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { Amount } from '../contract/money.ts'
import { PaymentMethodType } from '../contract/payment-method.ts'
import { oneOf, Text, Url } from '../contract/wire.ts'

const ROWS = TESTER_LIMITS.fixtureRows.max

const Refunds = z
  .array(
    z.strictObject({
      amount: Amount.describe('The amount'),
      status: oneOf(['pending', 'completed']).optional().describe('The state; left out, pending'),
    }),
  )
  .max(ROWS)
  .optional()

export const Fixture = z
  .strictObject({
    customers: z
      .array(
        z.strictObject({
          externalId: Text.describe("The platform's id of the customer"),
          name: Text.optional().describe("The customer's name"),
          email: Text.optional().describe("The customer's e-mail address"),
          phone: Text.optional().describe("The customer's phone number"),
          paymentMethods: z
            .array(PaymentMethodType)
            .max(ROWS)
            .optional()
            .describe(
              "The kinds of payment methods that are attached; staging's test card or test bank account",
            ),
        }),
      )
      .max(ROWS)
      .optional()
      .describe('Customers, with their payment methods'),
    checkouts: z
      .array(
        z.strictObject({
          orderId: Text.describe("The platform's id of the order"),
          externalId: Text.describe("The platform's id of the customer"),
          amount: Amount.describe('The amount'),
          successUrl: Url.optional().describe('Where the buyer goes after approving'),
          cancelUrl: Url.optional().describe('Where the buyer goes after giving up'),
          paymentMethodType: PaymentMethodType.optional().describe('What the buyer pays with'),
          status: oneOf(['pending', 'approved', 'confirmed', 'canceled'])
            .optional()
            .describe('The state; left out, pending'),
          refunds: Refunds.describe('Refunds of it'),
        }),
      )
      .max(ROWS)
      .optional()
      .describe('Checkouts, in any state'),
    authorizations: z
      .array(
        z.strictObject({
          externalId: Text.describe("The platform's id of the customer"),
          orderId: Text.optional().describe("The platform's id of the order"),
          amount: Amount.describe('The amount'),
          status: oneOf(['authorized', 'captured', 'voided'])
            .optional()
            .describe('The state; left out, authorized'),
          amountCaptured: Amount.optional().describe('How much of it is captured; left out, all'),
          refunds: Refunds.describe('Refunds of it'),
        }),
      )
      .max(ROWS)
      .optional()
      .describe('Authorizations, in any state'),
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
