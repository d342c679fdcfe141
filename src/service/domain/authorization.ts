import type { Authorization } from '../../spec/contract/authorization.ts'
import { amountTooLarge } from '../../spec/contract/errors.ts'
import { type Cents, ZERO } from '../../spec/contract/money.ts'
import type { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { type Moves, move } from './moves.ts'
import { requireAttached } from './payment-method.ts'

/** D2 */
export const authorizationMoves = {
  capture: { from: ['authorized'], to: 'captured', stamps: 'capturedAt' },
  void: { from: ['authorized'], to: 'voided', stamps: 'voidedAt' },
} as const satisfies Moves<Authorization['status'], keyof Authorization>

type New = Pick<Authorization, 'id' | 'externalId' | 'orderId' | 'amount'>

export function createAuthorization(request: New, method: PaymentMethod, now: number): Authorization {
  requireAttached(method)
  return {
    ...request,
    customerId: method.customerId,
    currency: 'USD',
    status: 'authorized',
    paymentMethodId: method.id,
    paymentMethodType: method.type,
    amountCaptured: ZERO,
    amountRefunded: ZERO,
    createdAt: now,
    updatedAt: now,
    capturedAt: null,
    voidedAt: null,
  }
}

/** D6: there is one capture, which also releases the rest of the amount. */
export function captureAuthorization(
  authorization: Authorization,
  amount: Cents,
  now: number,
): Authorization {
  const captured = move('Authorization', authorization, authorizationMoves.capture, now)
  if (amount > authorization.amount) throw amountTooLarge('authorized')
  return { ...captured, amountCaptured: amount }
}

export const voidAuthorization = (authorization: Authorization, now: number): Authorization =>
  move('Authorization', authorization, authorizationMoves.void, now)
