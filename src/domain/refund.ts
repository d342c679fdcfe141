import type { Authorization } from '../contract/authorization.ts'
import type { Checkout } from '../contract/checkout.ts'
import { amountTooLarge, cardsOnly, wrongState } from '../contract/errors.ts'
import { type Cents, cents } from '../contract/money.ts'
import type { Refund } from '../contract/refund.ts'
import { type Moves, move } from './moves.ts'

/** §3: a refund completes over time and never fails. */
export const refundMoves = {
  complete: { from: ['pending'], to: 'completed', stamps: 'completedAt' },
} as const satisfies Moves<Refund['status'], keyof Refund>

/** What a refund takes from: a confirmed checkout or a captured authorization, read the same way. */
interface Charge {
  readonly name: 'Checkout' | 'Authorization'
  readonly plural: 'checkouts' | 'authorizations'
  /** The state in which money has been taken. */
  readonly charged: 'confirmed' | 'captured'
  readonly status: string
  readonly paymentMethodType: string | null
  readonly amount: Cents
  readonly amountRefunded: Cents
}

export const checkoutCharge = (checkout: Checkout): Charge => ({
  ...checkout,
  name: 'Checkout',
  plural: 'checkouts',
  charged: 'confirmed',
})

export const authorizationCharge = (authorization: Authorization): Charge => ({
  ...authorization,
  name: 'Authorization',
  plural: 'authorizations',
  charged: 'captured',
  amount: authorization.amountCaptured,
})

/**
 * May this much go back? The refusals in the order of D20: cards only (§5), the state, the sum. A charge whose
 * payment method is not chosen yet is a question of state (D26). Pending refunds count like completed ones (D27).
 */
export function requireRefundable(charge: Charge, amount: Cents): void {
  const { name, plural, charged, status, paymentMethodType } = charge
  if (paymentMethodType !== null && paymentMethodType !== 'card') throw cardsOnly(plural)
  if (status !== charged) throw wrongState(name, `${status}, not ${charged}`)
  const refundable = charge.amount - charge.amountRefunded
  if (refundable === 0) throw wrongState(name, 'already fully refunded')
  if (amount > refundable) throw amountTooLarge('refundable')
}

/** The charge after a refund has been taken from it: its state stays, the sum tells (D28). */
export const withRefund = <Charged extends Checkout | Authorization>(
  charged: Charged,
  amount: Cents,
  now: number,
): Charged => ({
  ...charged,
  amountRefunded: cents(charged.amountRefunded + amount),
  updatedAt: now,
})

type New = Pick<Refund, 'id' | 'checkoutId' | 'authorizationId' | 'amount'>

export const createRefund = (request: New, now: number): Refund => ({
  ...request,
  currency: 'USD',
  status: 'pending',
  createdAt: now,
  updatedAt: now,
  completedAt: null,
})

export const completeRefund = (refund: Refund, now: number): Refund =>
  move('Refund', refund, refundMoves.complete, now)
