/**
 * §6: a webhook proves who sent it. The service shows no scheme; this is Standard Webhooks 1.0.0 (D36): an HMAC-SHA256
 * over id, timestamp and the very bytes of the body, keyed with the secret's decoded bytes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedHeaders {
  'webhook-id': string
  /** Seconds since 1970. */
  'webhook-timestamp': string
  'webhook-signature': string
}

/** D37: how far a receiver lets the timestamp be from its own clock. */
const TOLERANCE_SECONDS = 5 * 60
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/

export function isSecret(secret: string): boolean {
  const bytes = keyBytes(secret)?.length ?? 0
  return bytes >= 24 && bytes <= 64
}

const keyBytes = (secret: string): Buffer | undefined => {
  const encoded = SECRET.exec(secret)?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64')
}

function keyOf(secret: string): Buffer {
  const key = keyBytes(secret)
  if (!key) throw new Error('A signing secret is whsec_ and the base64 of 24 to 64 bytes.')
  return key
}

const signatureOf = (secret: string, id: string, timestamp: string, body: string) =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`

/** The headers that make a body a signed webhook. */
export function signWebhook(
  body: string,
  { secret, id, at }: { secret: string; id: string; at: number },
): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(secret, id, timestamp, body),
  }
}

/** Why a webhook is not to be believed, in one sentence; undefined for one that is. */
export function whyInvalid(
  body: string,
  headers: Partial<Record<keyof SignedHeaders, string>>,
  { secret, at }: { secret: string; at: number },
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers
  if (!id || !timestamp || !given)
    return 'A webhook-id, webhook-timestamp or webhook-signature header is missing.'
  if (!/^\d+$/.test(timestamp)) return 'The webhook-timestamp is not a number of seconds.'
  if (Math.abs(at / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    return 'The webhook-timestamp is more than five minutes away.'
  const expected = Buffer.from(signatureOf(secret, id, timestamp, body))
  const matches = given.split(' ').some((one) => {
    const signature = Buffer.from(one)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
  return matches ? undefined : 'No signature in the webhook-signature header matches this body and secret.'
}

/** Throws unless the body was signed with the secret, within the last five minutes. */
export function verifyWebhook(
  body: string,
  headers: Partial<Record<keyof SignedHeaders, string>>,
  { secret, at }: { secret: string; at: number },
): void {
  const reason = whyInvalid(body, headers, { secret, at })
  if (reason) throw new Error(reason)
}
