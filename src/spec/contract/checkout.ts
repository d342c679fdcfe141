import type { z } from 'zod'
import { checkout } from './resources/checkout.ts'

export { CheckoutConfirm, CheckoutRefund } from './resources/checkout.ts'
export const CheckoutStatus = checkout.Status
export const CheckoutWithUrl = checkout.Shown
/** As it is stored: its URL depends on the address at which the simulator is reached. */
export const Checkout = checkout.Stored
export type Checkout = z.output<typeof Checkout>
export const CheckoutCreate = checkout.Create
export type CheckoutCreate = z.output<typeof CheckoutCreate>
export const CheckoutQuery = checkout.Query
export const CheckoutPage = checkout.Page
