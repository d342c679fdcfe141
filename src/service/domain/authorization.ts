import { amountTooLarge } from '../../spec/contract/errors.ts'
import type { Cents } from '../../spec/contract/money.ts'
import type { Authorization } from '../../spec/contract/resources/authorization.ts'
import { moved } from './rows.ts'

/** D6: there is one capture, which also releases the rest of the amount. */
export function captureAuthorization(
  authorization: Authorization,
  amount: Cents,
  now: number,
): Authorization {
  const captured = moved('authorization', authorization, 'capture', now)
  if (amount > authorization.amount) throw amountTooLarge('authorized')
  return { ...captured, amountCaptured: amount }
}
