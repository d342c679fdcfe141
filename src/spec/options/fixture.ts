/** Seed data: the content of a sandbox at its start. */
import { z } from 'zod'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { Amount } from '../contract/money.ts'
import { authorization } from '../contract/resources/authorization.ts'
import { checkout } from '../contract/resources/checkout.ts'
import { customer } from '../contract/resources/customer.ts'
import type { ResourceField } from '../contract/resources/field.ts'
import { PaymentMethodType } from '../contract/resources/payment-method.ts'
import { refund } from '../contract/resources/refund.ts'
import { oneOf, Text } from '../contract/wire.ts'
import type { Written } from '../contract/written.ts'

const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).max(TESTER_LIMITS.fixtureRows.max).optional()

type Sent<Body> =
  Body extends z.ZodOptional<z.ZodNullable<infer Inner extends z.ZodType>> ? z.ZodOptional<Inner> : Body
type SentFields<Body> = { [Name in keyof Body]: Sent<Body[Name]> }

/** The fields of the creation request, without references, because a fixture cannot know the ids of other resources. */
function sentFields<Body extends z.ZodRawShape>(definition: {
  fields: Readonly<Record<string, ResourceField>>
  Create: z.ZodObject<Body>
}) {
  const sent = Object.entries(definition.fields).flatMap(([name, { body, references, options }]) => {
    if (!body || references !== undefined) return []
    const schema = body instanceof z.ZodOptional ? withoutNull(body).optional() : body
    return [[name, options.about === undefined ? schema : schema.describe(options.about)]]
  })
  return Object.fromEntries(sent) as SentFields<Body>
}

const withoutNull = (schema: z.ZodOptional) => (schema.unwrap() as z.ZodNullable).unwrap() as z.ZodType

const stateOf = <States extends readonly string[]>(states: States) =>
  oneOf(states).optional().describe(`The state; default: ${states[0]}`)

// The fields that a profile adds are unknown here: the operations that create the rows read them, and refuse any other.
const Refunds = rowsOf(
  z.looseObject({ amount: Amount.describe('The amount'), status: stateOf(refund.states) }),
)

type AuthorizationFields = Omit<
  SentFields<typeof authorization.Create.shape>,
  'customerId' | 'paymentMethodId'
>

const CHECKOUT_FIELDS = sentFields(checkout)

export const Fixture = z
  .strictObject({
    customers: rowsOf(
      z.looseObject({
        ...sentFields(customer),
        paymentMethods: rowsOf(PaymentMethodType).describe(
          "The kinds of payment methods that are attached; staging's test card or test bank account",
        ),
      }),
    ).describe('Customers, with their payment methods'),
    checkouts: rowsOf(
      z.looseObject({
        ...CHECKOUT_FIELDS,
        successUrl: CHECKOUT_FIELDS.successUrl.optional(),
        cancelUrl: CHECKOUT_FIELDS.cancelUrl.optional(),
        status: stateOf(checkout.states),
        refunds: Refunds.describe('Refunds of it'),
      }),
    ).describe('Checkouts, in any state'),
    authorizations: rowsOf(
      z.looseObject({
        ...(sentFields(authorization) as AuthorizationFields),
        externalId: Text.describe("The platform's id of the customer"),
        status: stateOf(authorization.states),
        amountCaptured: Amount.optional().describe('How much of it is captured; default: all'),
        refunds: Refunds.describe('Refunds of it'),
      }),
    ).describe('Authorizations, in any state'),
  })
  .meta({ id: 'Fixture', description: 'The initial data of a sandbox' })

/** The content of a sandbox at its start. */
export type Fixture = Written<typeof Fixture>
