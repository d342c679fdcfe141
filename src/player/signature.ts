/**
 * Checks a webhook's signature as a receiver does, by Standard Webhooks 1.0.0. It shares no code with the signing side,
 * so that a mistake there is noticed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Signature = 'valid' | 'stale' | 'invalid' | 'missing'

/** A timestamp that differs more from the clock is refused, because the delivery may be a replay. */
const TOLERANCE_SECONDS = 300

export function checkSignature(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  secret: string,
  nowSeconds: number,
): Signature {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature']
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'missing'
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const signed = signatures.split(' ').some((one) => {
    const [version, text = ''] = one.split(',')
    const given = Buffer.from(text, 'base64')
    return version === 'v1' && given.length === digest.length && timingSafeEqual(given, digest)
  })
  if (!signed) return 'invalid'
  return Math.abs(nowSeconds - Number(timestamp)) <= TOLERANCE_SECONDS ? 'valid' : 'stale'
}
