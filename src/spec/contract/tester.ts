/** Inputs of the tester's API, shared by HTTP and a scenario's `sim` step. */
import { z } from 'zod'
import { PaymentMethodType } from './resources/payment-method.ts'
import { oneOf } from './wire.ts'
import type { Written } from './written.ts'

export const text = z.string({ error: 'must be a text' })

/** The buyer who approves or declines without a browser. */
export const BuyerOptions = z
  .strictObject({
    method: PaymentMethodType.optional().describe(
      'What the buyer pays with. Default: a card; for a decline, a bank account',
    ),
    applicant: text
      .optional()
      .meta({ description: 'First and last name of the person who applies', examples: ['Test Approved'] }),
    lastFour: text
      .optional()
      .meta({ description: "The last four digits of the applicant's national ID", examples: ['0000'] }),
  })
  .meta({ id: 'BuyerOptions' })
export type BuyerOptions = Written<typeof BuyerOptions>

/** The parts of a sandbox that a reset can name. */
export const RESET_KINDS = ['state', 'journal', 'behaviors', 'clock', 'limits'] as const
export const ResetKind = oneOf(RESET_KINDS)
export type ResetKind = z.input<typeof ResetKind>

/** Other headers may carry secrets, so the journal keeps them only if a tester names them. */
export const JOURNALED_HEADERS: readonly string[] = ['content-type', 'idempotency-key', 'user-agent', 'x-sim']

/** The start of the User-Agent of a request resent from the dashboard; the id of the first request follows. */
export const SENT_AGAIN = 'paysim-dashboard, again '

/** The resource of a message in the outbox. */
export const MESSAGE_TEMPLATES = [
  'login_code',
  'application_decision',
  'checkout_receipt',
  'refund_completed',
] as const
