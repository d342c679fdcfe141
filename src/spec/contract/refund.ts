/** §2 Refund: money on its way back. Asynchronous: pending, then completed (§3). */
import { z } from 'zod'
import { id } from './ids.ts'
import { Amount, Money } from './money.ts'
import { pageOf, pageParameters } from './pages.ts'
import { Currency, Instant, oneOf, Text } from './wire.ts'

/** D3 */
export const RefundStatus = oneOf(['pending', 'completed'])

export const Refund = z
  .object({
    id: id('refund'),
    checkoutId: id('checkout').nullable(),
    authorizationId: id('authorization').nullable(),
    amount: Money,
    currency: Currency,
    status: RefundStatus,
    createdAt: Instant,
    updatedAt: Instant,
    completedAt: Instant.nullable(),
  })
  .meta({ id: 'Refund' })

export type Refund = z.output<typeof Refund>

/** The checkout or the authorization that a refund or a movement of money is about: it names one of the two. */
export const paymentOf = (one: { checkoutId: string | null; authorizationId: string | null }): string =>
  (one.checkoutId ?? one.authorizationId)!

/** D25: the body of POST /v1/refunds names a checkout or an authorization. */
export const RefundCreate = z
  .object({ amount: Amount, checkoutId: Text.nullish(), authorizationId: Text.nullish() })
  .refine((body) => body.checkoutId || body.authorizationId, { path: ['checkoutId or authorizationId'] })
  .refine((body) => !(body.checkoutId && body.authorizationId), {
    path: ['authorizationId'],
    error: 'cannot be combined with checkoutId',
  })
  .meta({ id: 'RefundCreate' })

export const RefundQuery = z.object({
  status: RefundStatus.optional(),
  checkoutId: z.string().optional(),
  authorizationId: z.string().optional(),
  ...pageParameters,
})

export const RefundPage = pageOf(Refund).meta({ id: 'RefundPage' })
