import type { OutgoingWebhook } from '../../../service/webhooks/webhooks.ts'
import { formatDuration } from '../../../spec/contract/duration.ts'
import type { DoOf } from '../../scenario-file/do.ts'
import type { Fault, SignatureFault } from './fault.ts'

export const webhook: Fault<'webhook'> = {
  sentence:
    'Changes the deliveries of an event: more than one, later, after those of the next event, none, with a crash of the receiver, or with a signature that is `stale`, `wrong-secret`, `tampered` or `missing`.',
  actsOn: 'delivery',
  prepare: ({ webhook: how }) => ({
    does: description(how),
    deliver: (plan) => ({
      copies: how.drop ? 0 : (how.duplicate ?? (how.crash ? 2 : plan.copies)),
      afterMs: plan.afterMs + (how.delay ?? 0),
      afterNextEvent: how.reorder ?? plan.afterNextEvent,
      sign: how.sign ?? plan.sign,
      crash: how.crash ?? plan.crash,
    }),
  }),
}

function description({ duplicate, delay, reorder, crash, drop, sign }: DoOf<'webhook'>['webhook']): string {
  if (drop) return 'is lost'
  return [
    duplicate !== undefined && `is delivered ${duplicate} times`,
    delay !== undefined && `is delivered ${formatDuration(delay)} later`,
    crash && 'kills its receiver when it has answered, and comes again',
    reorder && 'is delivered after the next one',
    sign !== undefined && `is signed ${sign}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Receivers refuse what was signed more than five minutes ago. */
const STALE_BY_MS = 3_600_000

/** A valid secret that no endpoint has. */
const WRONG_SECRET = 'whsec_bm9ib2R5IHNpZ25zIGFueXRoaW5nIHdpdGggdGhpcyBvbmU='

/** The body and the headers that are sent. */
export function signWithFault(
  webhook: OutgoingWebhook,
  sign: SignatureFault,
): { body: string; headers: Record<string, string> } {
  const { body, signer, ...signing } = webhook
  if (sign === 'stale')
    return { body, headers: signer.sign(body, { ...signing, at: signing.at - STALE_BY_MS }) }
  if (sign === 'wrong-secret')
    return { body, headers: signer.sign(body, { ...signing, secrets: [WRONG_SECRET] }) }
  const headers = signer.sign(body, signing)
  if (sign === 'tampered') return { body: `${body.slice(0, -1)},"tampered":true}`, headers }
  if (sign === 'missing') {
    const { [signer.header]: _, ...unsigned } = headers
    return { body, headers: unsigned }
  }
  return { body, headers }
}
