/** §4: every operation of /v1. The spec shows one read; the other reads have the same pattern (D55). */
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
