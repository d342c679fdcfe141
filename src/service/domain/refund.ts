import { amountTooLarge, cardsOnly, fullyRefunded, notInState } from '../../spec/contract/errors.ts'
import { type Cents, cents } from '../../spec/contract/money.ts'
import type { Authorization } from '../../spec/contract/resources/authorization.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'

/** What is refunded, a confirmed checkout or a captured authorization, with the fields that the check below needs. */
interface Charge {
  readonly name: 'Checkout' | 'Authorization'
  readonly plural: 'checkouts' | 'authorizations'
  /** The state in which the money has been taken. */
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
 * Throws unless this amount can be refunded. Checks in the order of D20: cards only (§5), state, amount. Without a payment method
 * the state is at fault (D26). `amountRefunded` includes pending refunds (D27), see `withRefund`.
 */
export function requireRefundable(charge: Charge, amount: Cents): void {
  const { name, plural, charged, status, paymentMethodType } = charge
  if (paymentMethodType !== null && paymentMethodType !== 'card') throw cardsOnly(plural)
  if (status !== charged) throw notInState(name, status, charged)
  const refundable = charge.amount - charge.amountRefunded
  if (refundable === 0) throw fullyRefunded(name)
  if (amount > refundable) throw amountTooLarge('refundable')
}

/**
 * The checkout or authorization after a refund of it is created. The amount counts from now on, while the refund is still
 * pending (D27); completing the refund changes nothing here. The state stays as it is (D28).
 */
export const withRefund = <Charged extends Checkout | Authorization>(
  charged: Charged,
  amount: Cents,
  now: number,
): Charged => ({
  ...charged,
  amountRefunded: cents(charged.amountRefunded + amount),
  updatedAt: now,
})
