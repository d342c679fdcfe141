/** §4: every operation of /v1. The spec shows one read; the other reads follow its pattern (D55). */
import type { z } from 'zod'
import { type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { OPERATION_IDS, type OperationId, router } from '../../spec/contract/endpoints.ts'
import { notInState } from '../../spec/contract/errors.ts'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import { type CreationOf, type MadeByTester, TESTER_ACTS } from '../../spec/contract/resources/by-tester.ts'
import { DEFINITIONS } from '../../spec/contract/resources/index.ts'
import { postAuthorization, postAuthorizationCapture } from './authorizations.ts'
import { postCheckout, postCheckoutConfirm } from './checkouts.ts'
import { postCustomer } from './customers.ts'
import { getEvent, getEvents } from './events.ts'
import { type Operation, underContract } from './operation.ts'
import { attachTestMethod } from './payment-methods.ts'
import { findRow, plainOperation } from './plain.ts'
import { postCheckoutRefund, postRefund } from './refunds.ts'
import type { Unit } from './unit.ts'

/** The operations with their own code; all others are plain. */
const CODE: { readonly [Id in OperationId]?: Operation<Id> } = {
  'authorizations.create': postAuthorization,
  'authorizations.capture': postAuthorizationCapture,
  'checkouts.create': postCheckout,
  'checkouts.confirm': postCheckoutConfirm,
  'checkouts.refund': postCheckoutRefund,
  'customers.create': postCustomer,
  'refunds.create': postRefund,
  'events.list': getEvents,
  'events.get': getEvent,
}

type OptionsFor<Name extends MadeByTester> = z.output<CreationOf<Name>['options']>

/** The code of a tester's creations. */
const CREATIONS: {
  readonly [Name in MadeByTester]: (unit: Unit, id: string, options: OptionsFor<Name>) => { id: string }
} = {
  payment_method: (unit, customerId, { type }) => attachTestMethod(unit, customerId, type),
}

/** Creates a resource for the one with the id, as its definition allows a tester. */
export function createAsTester<Name extends MadeByTester>(unit: Unit, kind: Name, id: string, data: object) {
  const { of, from, options } = TESTER_ACTS.find((act) => act.kind === kind && !act.move)!
  const { status = '' } = findRow(unit, of, id) as { status?: string }
  if (from !== 'any' && !from.includes(status))
    throw notInState(DEFINITIONS[of].words.one, status, from.join(' or '))
  return CREATIONS[kind](unit, id, options.parse(data) as OptionsFor<Name>)
}

const TABLE = new Map(
  OPERATION_IDS.map((id): [OperationId, Operation] => [id, CODE[id] ?? plainOperation(id)]),
)

/** The operations under the default contract. */
export const OPERATIONS: readonly Operation[] = [...TABLE.values()]

/** An operation under the default contract. */
export const operationById = (id: OperationId): Operation => TABLE.get(id)!

const byContract = new WeakMap<Contract, readonly Operation[]>([[DEFAULT_CONTRACT, OPERATIONS]])

/** The operations of a contract, made once. */
export const operationsUnder = (contract: Contract): readonly Operation[] =>
  keptOrMade(byContract, contract, () => OPERATIONS.map((operation) => underContract(operation, contract)))

const routesByContract = new WeakMap<Contract, ReturnType<typeof router<Operation>>>()

/** The routes to them, which all sandboxes of the contract share. */
export const routesUnder = (contract: Contract) =>
  keptOrMade(routesByContract, contract, () => router(operationsUnder(contract)))
