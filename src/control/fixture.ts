/**
 * Seed data: what there is when a sandbox starts. It is made through the operations themselves, as if platform and
 * buyer had done it, so whatever they refuse cannot be in it; no webhook tells of it.
 */
import { z } from 'zod'
import { approveAsBuyer } from '../buyer/flow.ts'
import { ApiError, invalidField } from '../contract/errors.ts'
import { Amount } from '../contract/money.ts'
import { PaymentMethodType } from '../contract/payment-method.ts'
import { oneOf, Text, Url } from '../contract/wire.ts'
import { parseInput } from '../gate/input.ts'
import {
  postAuthorization,
  postAuthorizationCapture,
  postAuthorizationVoid,
} from '../operations/authorizations.ts'
import { postCheckout, postCheckoutCancel, postCheckoutConfirm } from '../operations/checkouts.ts'
import { findCustomer, postCustomer } from '../operations/customers.ts'
import type { Operation } from '../operations/operation.ts'
import { attach, testMeans } from '../operations/payment-methods.ts'
import { finishRefund, postRefund } from '../operations/refunds.ts'
import type { Unit } from '../operations/unit.ts'
import { requireShape } from './input.ts'

const Refunds = z
  .array(z.strictObject({ amount: Amount, status: oneOf(['pending', 'completed']).optional() }))
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
          paymentMethods: z.array(PaymentMethodType).optional(),
        }),
      )
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
      .optional(),
  })
  .meta({ id: 'Fixture', description: 'What there is when a sandbox starts' })

export type Fixture = z.input<typeof Fixture>

type Made<Kind extends keyof Fixture> = NonNullable<Fixture[Kind]>[number]

export function requireFixture(given: unknown): void {
  requireShape(z.object({ fixture: Fixture }), { fixture: given })
}

export function seedFixture(
  unit: Unit,
  { customers = [], checkouts = [], authorizations = [] }: Fixture,
): void {
  each('customers', customers, (one) => plantCustomer(unit, one))
  each('checkouts', checkouts, (one) => plantCheckout(unit, one))
  each('authorizations', authorizations, (one) => plantAuthorization(unit, one))
}

/** What an operation refuses is a mistake in the fixture, at the place where it stands. */
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

function plantCustomer(unit: Unit, { paymentMethods = [], ...fields }: Made<'customers'>): void {
  const id = ask(unit, postCustomer, {}, fields)
  for (const type of paymentMethods) attach(unit, findCustomer(unit, id), testMeans(unit, type))
}

const URLS = { successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/basket' }

function plantCheckout(unit: Unit, checkout: Made<'checkouts'>): void {
  const { status = 'pending', refunds = [], ...fields } = checkout
  const id = ask(unit, postCheckout, {}, { ...URLS, ...fields })
  if (status === 'approved' || (status === 'confirmed' && unit.services.requireApproval))
    approveAsBuyer(unit, id)
  if (status === 'confirmed') ask(unit, postCheckoutConfirm, { id })
  if (status === 'canceled') ask(unit, postCheckoutCancel, { id })
  plantRefunds(unit, { checkoutId: id }, refunds)
}

function plantAuthorization(unit: Unit, authorization: Made<'authorizations'>): void {
  const { status = 'authorized', amountCaptured: amount, refunds = [], ...fields } = authorization
  const id = ask(unit, postAuthorization, {}, fields)
  if (status === 'captured')
    ask(unit, postAuthorizationCapture, { id }, amount === undefined ? {} : { amount })
  if (status === 'voided') ask(unit, postAuthorizationVoid, { id })
  plantRefunds(unit, { authorizationId: id }, refunds)
}

function plantRefunds(
  unit: Unit,
  target: { checkoutId: string } | { authorizationId: string },
  refunds: NonNullable<Made<'checkouts'>['refunds']>,
): void {
  for (const { amount, status } of refunds) {
    const id = ask(unit, postRefund, {}, { ...target, amount })
    if (status === 'completed') finishRefund(unit, id)
  }
}

/** Does what a platform would ask for, and answers with the id of what there is then. */
function ask(unit: Unit, operation: Operation, params: Record<string, string>, body: object = {}): string {
  const input = parseInput(operation, params, body as Record<string, unknown>, '')
  return JSON.parse(operation.perform(unit, input).body).id
}
