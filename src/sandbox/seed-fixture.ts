/**
 * Creates seed data through the operations, as if platform and buyer had sent the requests, so it contains nothing that an
 * operation refuses. No webhook is sent for it.
 */
import { approveAsBuyer, approvedOf } from '../service/buyer-flow/flow.ts'
import { parseInput } from '../service/door/request.ts'
import { attachTestMethod } from '../service/operations/payment-methods.ts'
import { findRow, makeNamedMove } from '../service/operations/plain.ts'
import { operationsUnder } from '../service/operations/table.ts'
import type { Unit } from '../service/operations/unit.ts'
import { contractOf } from '../spec/contract/contract.ts'
import type { OperationId } from '../spec/contract/endpoints.ts'
import { ApiError, invalidField } from '../spec/contract/errors.ts'
import { DEFINITIONS, type ResourceName } from '../spec/contract/resources/index.ts'
import type { MoveRow } from '../spec/contract/resources/resource.ts'
import type { JsonObject } from '../spec/contract/wire.ts'
import type { Fixture } from '../spec/options/fixture.ts'

type Made<Kind extends keyof Fixture> = NonNullable<Fixture[Kind]>[number]

export function seedFixture(
  unit: Unit,
  { customers = [], checkouts = [], authorizations = [] }: Fixture,
): void {
  each('customers', customers, (customer) => seedCustomer(unit, customer))
  each('checkouts', checkouts, (checkout) => seedCheckout(unit, checkout))
  each('authorizations', authorizations, (authorization) => seedAuthorization(unit, authorization))
}

/** An operation's refusal becomes an error that names the item of the fixture. */
function each<Row>(name: string, rows: readonly Row[], make: (row: Row) => void): void {
  for (const [index, row] of rows.entries()) {
    try {
      make(row)
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      throw invalidField(`fixture.${name}.${index}`, `cannot be made: ${cause.message}`)
    }
  }
}

function seedCustomer(unit: Unit, { paymentMethods = [], ...fields }: Made<'customers'>): void {
  const id = perform(unit, 'customers.create', {}, fields)
  for (const type of paymentMethods) attachTestMethod(unit, id, type)
}

const URLS = { successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/basket' }

function seedCheckout(unit: Unit, checkout: Made<'checkouts'>): void {
  const { status = 'pending', refunds = [], ...fields } = checkout
  const id = perform(unit, 'checkouts.create', {}, { ...URLS, ...fields })
  if (status === 'confirmed' && unit.services.requireApproval) reach(unit, 'checkout', id, 'approved')
  reach(unit, 'checkout', id, status)
  seedRefunds(unit, { checkoutId: id }, refunds)
}

function seedAuthorization(unit: Unit, authorization: Made<'authorizations'>): void {
  const { status = 'authorized', amountCaptured: amount, refunds = [], ...fields } = authorization
  const id = perform(unit, 'authorizations.create', {}, fields)
  reach(unit, 'authorization', id, status, status === 'captured' && amount !== undefined ? { amount } : {})
  seedRefunds(unit, { authorizationId: id }, refunds)
}

function seedRefunds(
  unit: Unit,
  target: { checkoutId: string } | { authorizationId: string },
  refunds: NonNullable<Made<'checkouts'>['refunds']>,
): void {
  for (const { status, ...fields } of refunds) {
    const id = perform(unit, 'refunds.create', {}, { ...target, ...fields })
    // A delay of 0 has completed it already.
    if (status && findRow(unit, 'refund', id).status !== status) reach(unit, 'refund', id, status)
  }
}

/** Makes the move that leads to the state, as the platform, the buyer or time does. A new resource's state needs none. */
function reach(unit: Unit, kind: ResourceName, id: string, status: string, body: JsonObject = {}): void {
  const { moves, collection } = DEFINITIONS[kind]
  const [name, row] = Object.entries<MoveRow>(moves).find(([, { to }]) => to === status) ?? []
  if (row?.by === 'buyer') approvedOf(approveAsBuyer(unit, id))
  if (row?.by === 'time') makeNamedMove(unit, kind, id, name!)
  if (row?.by === 'platform') perform(unit, `${collection}.${name}` as OperationId, { id }, body)
}

/** Runs the operation with this input, and returns the id of the created resource. */
function perform(unit: Unit, id: OperationId, params: Record<string, string>, body: JsonObject = {}): string {
  const { add } = unit.services.contract.profile
  const contract = contractOf({ add, requests: { unknownFields: 'refuse' } })
  const operation = operationsUnder(contract).find((row) => row.id === id)!
  return JSON.parse(operation.perform(unit, parseInput(operation, params, body, '')).body).id
}
