/** §4: every operation of /v1. The spec shows one read; the other reads have the same pattern (D55). */
import { type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import type { OperationId } from '../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import {
  getAuthorization,
  getAuthorizations,
  postAuthorization,
  postAuthorizationCapture,
  postAuthorizationVoid,
} from './authorizations.ts'
import {
  getCheckout,
  getCheckouts,
  postCheckout,
  postCheckoutCancel,
  postCheckoutConfirm,
} from './checkouts.ts'
import { getCustomer, getCustomers, postCustomer } from './customers.ts'
import { getEvent, getEvents } from './events.ts'
import type { Operation } from './operation.ts'
import { getPaymentMethod, getPaymentMethods, postPaymentMethodDetach } from './payment-methods.ts'
import { getCheckoutRefunds, getRefund, getRefunds, postCheckoutRefund, postRefund } from './refunds.ts'

const TABLE: { readonly [Id in OperationId]: Operation<Id> } = {
  'authorizations.create': postAuthorization,
  'authorizations.capture': postAuthorizationCapture,
  'authorizations.void': postAuthorizationVoid,
  'authorizations.list': getAuthorizations,
  'authorizations.get': getAuthorization,
  'checkouts.create': postCheckout,
  'checkouts.list': getCheckouts,
  'checkouts.get': getCheckout,
  'checkouts.cancel': postCheckoutCancel,
  'checkouts.confirm': postCheckoutConfirm,
  'checkouts.refund': postCheckoutRefund,
  'checkouts.refunds': getCheckoutRefunds,
  'customers.create': postCustomer,
  'customers.list': getCustomers,
  'customers.get': getCustomer,
  'paymentMethods.list': getPaymentMethods,
  'paymentMethods.get': getPaymentMethod,
  'paymentMethods.detach': postPaymentMethodDetach,
  'refunds.create': postRefund,
  'refunds.list': getRefunds,
  'refunds.get': getRefund,
  'events.list': getEvents,
  'events.get': getEvent,
}

/** The operations under the default contract. */
export const OPERATIONS: readonly Operation[] = Object.values(TABLE)

/** An operation under the default contract. */
export const operationById = (id: OperationId): Operation => TABLE[id]

const byContract = new WeakMap<Contract, readonly Operation[]>([[DEFAULT_CONTRACT, OPERATIONS]])

/** The operations of a contract, made once. */
export const operationsUnder = (contract: Contract): readonly Operation[] =>
  keptOrMade(byContract, contract, () => OPERATIONS.map((operation) => operation.under(contract)))
