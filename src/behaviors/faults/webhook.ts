import { formatDuration } from '../../contract/duration.ts'
import { type SignedHeaders, signWebhook } from '../../webhooks/sign.ts'
import type { OutgoingWebhook } from '../../webhooks/webhooks.ts'
import type { SignatureFault } from '../delivery-plan.ts'
import type { Fault, FaultWords } from './fault.ts'

export const webhook: Fault<'webhook'> = {
  sentence:
    'Spoils the deliveries of an event: more than one, later, after the next one, none, or with a signature that is `stale`, `wrong-secret`, `tampered` or `missing`.',
  place: 'delivery',
  prepare: ({ webhook: how }) => ({
    does: told(how),
    deliver: (mail) => ({
      copies: how.drop ? 0 : (how.duplicate ?? mail.copies),
      afterMs: mail.afterMs + (how.delay ?? 0),
      letsOnePass: how.reorder ?? mail.letsOnePass,
      sign: how.sign ?? mail.sign,
    }),
  }),
}

function told({ duplicate, delay, reorder, drop, sign }: FaultWords<'webhook'>['webhook']): string {
  if (drop) return 'is lost'
  return [
    duplicate !== undefined && `is delivered ${duplicate} times`,
    delay !== undefined && `is delivered ${formatDuration(delay)} later`,
    reorder && 'is delivered after the next one',
    sign !== undefined && `is signed ${sign}`,
  ]
    .filter(Boolean)
    .join(', ')
}

const LONG_AGO_MS = 3_600_000

/** Base64 of `nobody signs anything with this one`. */
const OTHER_SECRET = 'whsec_bm9ib2R5IHNpZ25zIGFueXRoaW5nIHdpdGggdGhpcyBvbmU='

/** Body and headers as they leave. */
export function signed(
  letter: OutgoingWebhook,
  sign: SignatureFault,
): { body: string; headers: Partial<SignedHeaders> } {
  const { body, ...signing } = letter
  if (sign === 'stale')
    return { body, headers: signWebhook(body, { ...signing, at: signing.at - LONG_AGO_MS }) }
  if (sign === 'wrong-secret')
    return { body, headers: signWebhook(body, { ...signing, secret: OTHER_SECRET }) }
  const headers = signWebhook(body, signing)
  if (sign === 'tampered') return { body: `${body.slice(0, -1)},"tampered":true}`, headers }
  if (sign === 'missing') {
    const { 'webhook-signature': _, ...unsigned } = headers
    return { body, headers: unsigned }
  }
  return { body, headers }
}
