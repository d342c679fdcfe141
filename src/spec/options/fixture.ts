/** Seed data: what there is when a sandbox starts. */
import { z } from 'zod'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { Amount } from '../contract/money.ts'
import { PaymentMethodType } from '../contract/payment-method.ts'
import { oneOf, Text, Url } from '../contract/wire.ts'
import type { Written } from '../contract/written.ts'

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
export type Fixture = Written<typeof Fixture>
