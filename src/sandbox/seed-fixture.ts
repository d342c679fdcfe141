/**
 * Creates seed data through the operations, as if platform, buyer and tester had sent the requests, so it contains nothing that an
 * operation refuses. No webhook is sent for it.
 */
import { approveAsBuyer, approvedOf } from '../service/buyer-flow/flow.ts'
import { parseInput } from '../service/door/request.ts'
import { attachTestMethod } from '../service/operations/payment-methods.ts'
import { findRow, makeNamedMove } from '../service/operations/plain.ts'
import { createAsTester, operationsUnder } from '../service/operations/table.ts'
import type { Unit } from '../service/operations/unit.ts'
import { contractOf } from '../spec/contract/contract.ts'
import type { OperationId } from '../spec/contract/endpoints.ts'
import { ApiError, invalidField } from '../spec/contract/errors.ts'
import type { MadeByTester } from '../spec/contract/resources/by-tester.ts'
import { DEFINITIONS, type ResourceName } from '../spec/contract/resources/index.ts'
import type { PaymentMethodType } from '../spec/contract/resources/payment-method.ts'
import type { MoveRow } from '../spec/contract/resources/resource.ts'
import type { JsonObject } from '../spec/contract/wire.ts'
import { type Fixture, partsOf, SEEDED_KINDS } from '../spec/options/fixture.ts'

interface Row extends JsonObject {
  status?: string
  paymentMethods?: PaymentMethodType[]
}

const rowsIn = (lists: object, kind: ResourceName): readonly Row[] =>
  Reflect.get(lists, DEFINITIONS[kind].collection) ?? []

export function seedFixture(unit: Unit, fixture: Fixture): void {
  for (const kind of SEEDED_KINDS) {
    for (const [index, row] of rowsIn(fixture, kind).entries()) {
      try {
        seed(unit, kind, row)
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause
        const item = `fixture.${DEFINITIONS[kind].collection}.${index}`
        throw invalidField(item, `cannot be made: ${cause.message}`)
      }
    }
  }
}

const URLS = { successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/basket' }

/** `of`: the resource that it is a part of. */
function seed(unit: Unit, kind: ResourceName, row: Row, of?: { kind: ResourceName; id: string }): void {
  const { collection, tester } = DEFINITIONS[kind]
  const { status, paymentMethods = [], amountCaptured, ...rest } = row
  const parts = partsOf(kind)
  const lists = parts.map((part): string => DEFINITIONS[part].collection)
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => !lists.includes(name)))
  const sent = { ...(kind === 'checkout' && URLS), ...(of && { [`${of.kind}Id`]: of.id }), ...fields }
  const id = tester
    ? createAsTester(unit, kind as MadeByTester, of!.id, fields).id
    : perform(unit, `${collection}.create` as OperationId, {}, sent)
  for (const type of paymentMethods) attachTestMethod(unit, id, type)
  if (status === 'confirmed' && unit.services.requireApproval) reach(unit, kind, id, 'approved')
  const isInPart = status === 'captured' && amountCaptured !== undefined
  if (status !== undefined) reach(unit, kind, id, status, isInPart ? { amount: amountCaptured } : {})
  for (const part of parts) for (const inner of rowsIn(row, part)) seed(unit, part, inner, { kind, id })
}

/** Makes the move that leads to the state, as the platform, the buyer, a tester or time does. */
function reach(unit: Unit, kind: ResourceName, id: string, status: string, body: JsonObject = {}): void {
  const found = findRow(unit, kind, id)
  const { moves, collection } = DEFINITIONS[kind]
  const [name = '', move] = Object.entries<MoveRow>(moves).find(([, { to }]) => to === status) ?? []
  // No move leads to the first state, and a delay of 0 may have led to a later one already.
  if (!move || ('status' in found && found.status === status)) return
  if (move.by === 'buyer') approvedOf(approveAsBuyer(unit, id))
  else if (move.by === 'platform') perform(unit, `${collection}.${name}` as OperationId, { id }, body)
  else makeNamedMove(unit, kind, id, name)
}

/** Runs the operation with this input, and returns the id of the created resource. */
function perform(unit: Unit, id: OperationId, params: Record<string, string>, body: JsonObject = {}): string {
  const { add } = unit.services.contract.profile
  const contract = contractOf({ add, requests: { unknownFields: 'refuse' } })
  const operation = operationsUnder(contract).find((row) => row.id === id)!
  return JSON.parse(operation.perform(unit, parseInput(operation, params, body, '')).body).id
}
