import type { z } from 'zod'
import { refund } from './resources/refund.ts'

export const RefundStatus = refund.Status
export const Refund = refund.Shown
export type Refund = z.output<typeof Refund>
export const RefundCreate = refund.Create
export const RefundQuery = refund.Query
export const RefundPage = refund.Page

/** The checkout or the authorization that a refund or a movement of money is about: it names one of the two. */
export const paymentOf = (row: { checkoutId: string | null; authorizationId: string | null }): string =>
  (row.checkoutId ?? row.authorizationId)!
