/** §4: every operation of /v1. The spec shows one read; the other reads have the same pattern (D55). */
import { type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
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

/** Under the defaults; {@link operationsUnder} has those of a profile. */
export const OPERATIONS: readonly Operation[] = [
  postAuthorization,
  postAuthorizationCapture,
  postAuthorizationVoid,
  getAuthorizations,
  getAuthorization,
  postCheckout,
  getCheckouts,
  getCheckout,
  postCheckoutCancel,
  postCheckoutConfirm,
  postCheckoutRefund,
  getCheckoutRefunds,
  postCustomer,
  getCustomers,
  getCustomer,
  getPaymentMethods,
  getPaymentMethod,
  postPaymentMethodDetach,
  postRefund,
  getRefunds,
  getRefund,
  getEvents,
  getEvent,
]

const byContract = new WeakMap<Contract, readonly Operation[]>([[DEFAULT_CONTRACT, OPERATIONS]])

/** The operations of a contract, made once. */
export function operationsUnder(contract: Contract): readonly Operation[] {
  const operations = byContract.get(contract) ?? OPERATIONS.map((operation) => operation.under(contract))
  byContract.set(contract, operations)
  return operations
}
