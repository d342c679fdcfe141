/** §2 Authorization: money held without a page, captured once or voided. A capture is not a record of its own (D6). */
import { z } from 'zod'
import { id } from './ids.ts'
import { Amount, Money } from './money.ts'
import { pageOf, pageParameters } from './pages.ts'
import { PaymentMethodType } from './payment-method.ts'
import { Currency, Instant, oneOf, Text } from './wire.ts'

/** D2: the spec names the operations, but not the states. */
export const AuthorizationStatus = oneOf(['authorized', 'captured', 'voided'])

export const Authorization = z
  .object({
    id: id('authorization'),
    customerId: id('customer'),
    externalId: z.string(),
    orderId: z.string().nullable(),
    amount: Money,
    currency: Currency,
    status: AuthorizationStatus,
    paymentMethodId: id('payment_method'),
    paymentMethodType: PaymentMethodType,
    amountCaptured: Money,
    amountRefunded: Money,
    createdAt: Instant,
    updatedAt: Instant,
    capturedAt: Instant.nullable(),
    voidedAt: Instant.nullable(),
  })
  .meta({ id: 'Authorization' })

export type Authorization = z.output<typeof Authorization>

/** D23: the customer by id, by external ID, or by both. */
export const AuthorizationCreate = z
  .object({
    amount: Amount,
    customerId: Text.nullish(),
    externalId: Text.nullish(),
    paymentMethodId: Text.nullish(),
    orderId: Text.nullish(),
  })
  .refine((body) => body.customerId || body.externalId, { path: ['customerId or externalId'] })
  .meta({ id: 'AuthorizationCreate' })

/** D6: without an amount the whole authorization is captured. */
export const AuthorizationCapture = z
  .object({ amount: Amount.nullish() })
  .meta({ id: 'AuthorizationCapture' })

export const AuthorizationQuery = z.object({
  status: AuthorizationStatus.optional(),
  orderId: z.string().optional(),
  customerId: z.string().optional(),
  ...pageParameters,
})

export const AuthorizationPage = pageOf(Authorization).meta({ id: 'AuthorizationPage' })
