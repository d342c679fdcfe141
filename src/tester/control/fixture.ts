/**
 * Seed data: what there is when a sandbox starts. It is created through the operations, as if platform and buyer had sent
 * the requests, so it holds nothing that an operation refuses. No webhook is sent for it.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { approveAsBuyer } from '../../service/buyer-flow/flow.ts'
import { parseInput } from '../../service/gate/input.ts'
import {
  postAuthorization,
  postAuthorizationCapture,
  postAuthorizationVoid,
} from '../../service/operations/authorizations.ts'
import { postCheckout, postCheckoutCancel, postCheckoutConfirm } from '../../service/operations/checkouts.ts'
import { findCustomer, postCustomer } from '../../service/operations/customers.ts'
import type { Operation } from '../../service/operations/operation.ts'
import { attach } from '../../service/operations/payment-methods.ts'
import { finishRefund, postRefund } from '../../service/operations/refunds.ts'
import type { Unit } from '../../service/operations/unit.ts'
import { ApiError, invalidField } from '../../spec/contract/errors.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { Amount } from '../../spec/contract/money.ts'
import { PaymentMethodType } from '../../spec/contract/payment-method.ts'
import { oneOf, Text, Url } from '../../spec/contract/wire.ts'
import { UsageError } from '../../spec/options/read.ts'
import { requireShape } from './read-input.ts'

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

type Made<Kind extends keyof Fixture> = NonNullable<Fixture[Kind]>[number]

/** Reads a fixture from a file: YAML, of which JSON is a part. The YAML reader is loaded only for it. */
export async function readFixture(file: string): Promise<Fixture> {
  const { parse } = await import('yaml')
  try {
    const fixture = parse(await readFile(file, 'utf8')) ?? {}
    requireFixture(fixture)
    return fixture
  } catch (cause) {
    throw new UsageError(`The fixture ${file} cannot be used: ${reasonOf(cause as NodeJS.ErrnoException)}`)
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException) =>
  code === 'ENOENT' ? 'there is no such file.' : message.trim()

export function requireFixture(given: unknown): void {
  requireShape(z.object({ fixture: Fixture }), { fixture: given })
}

export function seedFixture(
  unit: Unit,
  { customers = [], checkouts = [], authorizations = [] }: Fixture,
): void {
  each('customers', customers, (one) => seedCustomer(unit, one))
  each('checkouts', checkouts, (one) => seedCheckout(unit, one))
  each('authorizations', authorizations, (one) => seedAuthorization(unit, one))
}

/** An operation's refusal becomes an error that names the item of the fixture. */
function each<One>(name: string, all: readonly One[], make: (one: One) => void): void {
  for (const [index, one] of all.entries()) {
    try {
      make(one)
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      throw invalidField(`fixture.${name}.${index}`, `cannot be made: ${cause.message}`)
    }
  }
}

function seedCustomer(unit: Unit, { paymentMethods = [], ...fields }: Made<'customers'>): void {
  const id = perform(unit, postCustomer, {}, fields)
  for (const type of paymentMethods)
    attach(unit, findCustomer(unit, id), unit.services.rules.testersMethod(type))
}

const URLS = { successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/basket' }

function seedCheckout(unit: Unit, checkout: Made<'checkouts'>): void {
  const { status = 'pending', refunds = [], ...fields } = checkout
  const id = perform(unit, postCheckout, {}, { ...URLS, ...fields })
  if (status === 'approved' || (status === 'confirmed' && unit.services.requireApproval))
    approveAsBuyer(unit, id)
  if (status === 'confirmed') perform(unit, postCheckoutConfirm, { id })
  if (status === 'canceled') perform(unit, postCheckoutCancel, { id })
  seedRefunds(unit, { checkoutId: id }, refunds)
}

function seedAuthorization(unit: Unit, authorization: Made<'authorizations'>): void {
  const { status = 'authorized', amountCaptured: amount, refunds = [], ...fields } = authorization
  const id = perform(unit, postAuthorization, {}, fields)
  if (status === 'captured')
    perform(unit, postAuthorizationCapture, { id }, amount === undefined ? {} : { amount })
  if (status === 'voided') perform(unit, postAuthorizationVoid, { id })
  seedRefunds(unit, { authorizationId: id }, refunds)
}

function seedRefunds(
  unit: Unit,
  target: { checkoutId: string } | { authorizationId: string },
  refunds: NonNullable<Made<'checkouts'>['refunds']>,
): void {
  for (const { amount, status } of refunds) {
    const id = perform(unit, postRefund, {}, { ...target, amount })
    if (status === 'completed') finishRefund(unit, id)
  }
}

/** Performs the operation as for a platform's request, and returns the resource's id. */
function perform(
  unit: Unit,
  operation: Operation,
  params: Record<string, string>,
  body: object = {},
): string {
  const input = parseInput(operation, params, body as Record<string, unknown>, '')
  return JSON.parse(operation.perform(unit, input).body).id
}
