/** Rules about the receiver of webhooks. */

import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { isSuccess } from '../../spec/exchange.ts'
import type { MadeDelivery, Picture } from './picture.ts'
import { type Found, idsOf, sumOfEach } from './rule.ts'

/** A third of the service's timeout: enough for a receiver that only stores the event. */
const SLOWEST_RECEIVER_MS = 5_000

const isRedirect = ({ status }: MadeDelivery['attempts'][number]) =>
  status !== null && status >= 300 && status < 400

function finding(deliveries: readonly MadeDelivery[], what: string): Found[] {
  if (deliveries.length === 0) return []
  const amount = sumOfEach(deliveries, ({ resourceId }) => resourceId)
  const were = deliveries.length === 1 ? 'was' : 'were'
  return [
    { what: `${counted(deliveries.length, 'webhook')} ${were} ${what}`, about: idsOf(deliveries), amount },
  ]
}

export const receiverSlow = ({ deliveries }: Picture): Found[] =>
  finding(
    deliveries.filter(({ attempts }) => attempts.some(({ durationMs }) => durationMs > SLOWEST_RECEIVER_MS)),
    `kept waiting for more than ${formatDuration(SLOWEST_RECEIVER_MS)}`,
  )

export const receiverRedirects = ({ deliveries }: Picture): Found[] =>
  finding(
    deliveries.filter(({ attempts }) => attempts.some(isRedirect)),
    'answered with a redirect, which is not followed',
  )

/** This many responses without a 2xx are not an accident. */
const ALL_REFUSED = 3

/** The service gave up, or the receiver refused every event that it should have accepted. */
export function receiverFails({ deliveries }: Picture): Found[] {
  const honest = deliveries.filter(({ signatureFault }) => signatureFault === null)
  const answered = honest.filter(({ attempts }) => attempts.some(({ status }) => status !== null))
  const gone = ({ attempts }: MadeDelivery) => attempts.at(-1)?.status === 410
  const givenUp = honest.filter(
    (webhook) => webhook.status === 'failed' && webhook.attempts.length > 0 && !gone(webhook),
  )
  if (givenUp.length > 0) {
    return finding(givenUp, `never ${answered.length === 0 ? 'answered' : 'taken'}, in all attempts`)
  }
  const refused = honest.filter(
    ({ attempts }) => attempts.length > 0 && attempts.every(({ status }) => status !== null && status >= 400),
  )
  if (refused.length < ALL_REFUSED || refused.length < answered.length || refused.some(gone)) return []
  return finding(refused, 'refused, and none was taken')
}

export const forgeryTaken = ({ deliveries }: Picture): Found[] =>
  finding(
    deliveries.filter(({ signatureFault, attempts }) => signatureFault !== null && attempts.some(isSuccess)),
    'taken although the signature or the timestamp was not valid',
  )
