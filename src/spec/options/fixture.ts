/** Seed data: the content of a sandbox at its start. Each kind that a platform creates is a list, with its parts inside. */
import { z } from 'zod'
import { TESTER_LIMITS } from '../contract/limits.ts'
import { Amount } from '../contract/money.ts'
import { type ResourceField, withoutNull } from '../contract/resources/field.ts'
import { DEFINITIONS, RESOURCE_NAMES, type ResourceName } from '../contract/resources/index.ts'
import { KINDS_OF_PAYMENT } from '../contract/resources/movements.ts'
import { PaymentMethodType } from '../contract/resources/payment-method.ts'
import { oneOf, Text } from '../contract/wire.ts'
import type { Written } from '../contract/written.ts'

const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).max(TESTER_LIMITS.fixtureRows.max).optional()

/** Customers first, because authorizations need them. */
export const SEEDED_KINDS = ['events', 'itself'].flatMap((order) =>
  RESOURCE_NAMES.filter(
    (kind) => DEFINITIONS[kind].order === order && 'create' in DEFINITIONS[kind].operations,
  ),
)

/** The kinds whose rows are inside those of another, such as refunds inside a checkout. */
export const partsOf = (kind: ResourceName): readonly ResourceName[] =>
  KINDS_OF_PAYMENT.filter((part) => {
    const { tester, Create } = DEFINITIONS[part]
    return tester ? tester.for.name === kind : `${kind}Id` in Create.shape
  })

/** The fields of the creation request, without references, because a fixture cannot know the ids of other resources. */
const sentFields = (fields: Readonly<Record<string, ResourceField>>): z.ZodRawShape =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { body, references, options }]) => {
      if (!body || references !== undefined) return []
      const schema = body instanceof z.ZodOptional ? withoutNull(body).optional() : body
      const described = schema.describe(options.about ?? `The ${name}`)
      return [[name, body.meta()?.format === 'uri' ? described.optional() : described]]
    }),
  )

/** What a creation request does not have. */
const MORE_FIELDS: Readonly<Partial<Record<ResourceName, z.ZodRawShape>>> = {
  customer: {
    paymentMethods: rowsOf(PaymentMethodType).describe(
      "The kinds of payment methods that are attached; staging's test card or test bank account",
    ),
  },
  authorization: {
    externalId: Text.describe("The platform's id of the customer"),
    amountCaptured: Amount.optional().describe('How much of it is captured; default: all'),
  },
}

function rowOf(kind: ResourceName): z.ZodObject {
  const { fields, states, tester } = DEFINITIONS[kind]
  const shape = {
    ...(tester ? tester.options.shape : sentFields(fields)),
    ...MORE_FIELDS[kind],
    ...('status' in fields && {
      status: oneOf(states).optional().describe(`The state; default: ${states[0]}`),
    }),
    ...listsOf(partsOf(kind), ' of it'),
  }
  // The fields that a profile adds are unknown here: the operations that create the rows read them, and refuse any other.
  return tester ? z.strictObject(shape) : z.looseObject(shape)
}

const listsOf = (kinds: readonly ResourceName[], ofWhat = '') =>
  Object.fromEntries(
    kinds.map((kind) => {
      const { collection, words } = DEFINITIONS[kind]
      return [collection, rowsOf(rowOf(kind)).describe(words.many + ofWhat)]
    }),
  )

const FIXTURE_RULE = 'must be seed data such as { customers: [] }, or what readFixture returns'

export const Fixture = z
  .strictObject(listsOf(SEEDED_KINDS), {
    error: ({ code }) => (code === 'invalid_type' ? FIXTURE_RULE : undefined),
  })
  .meta({ id: 'Fixture', description: 'The initial data of a sandbox' })

/** The content of a sandbox at its start. */
export type Fixture = Written<typeof Fixture>
