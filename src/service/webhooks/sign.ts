/**
 * §6: signs webhooks and checks signatures. The spec names no scheme; this is Standard Webhooks 1.0.0 (D36): an HMAC-SHA256 of
 * id, timestamp and body bytes. The key is the secret's decoded bytes.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Profile } from '../../spec/contract/profile.ts'
import { signingKey } from '../../spec/contract/signing-secret.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { formatInstant, timeIn } from '../../spec/contract/time.ts'
import { wallClock } from '../../spec/world/clock.ts'

export interface SignedHeaders {
  'webhook-id': string
  /** Seconds since 1970. */
  'webhook-timestamp': string
  'webhook-signature': string
}

/** D37: how far the timestamp may differ from the receiver's clock. */
const TOLERANCE_SECONDS = 5 * 60
function keyOf(secret: string): Buffer {
  const key = signingKey(secret)
  if (!key) throw new Error('A signing secret is whsec_ and the base64 of 24 to 64 bytes.')
  return key
}

const signatureOf = (secret: string, id: string, timestamp: string, body: WebhookBody) =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`

/** The raw body as text or bytes. Parsing and serializing it may change the bytes. */
export type WebhookBody = string | Uint8Array

/** A Date, milliseconds since 1970 as of `Date.now()`, or ISO text such as `2026-01-01T00:00:00Z`. */
export type SigningTime = Date | number | string

/** Headers of a request: those of Fetch, or of Node and Express as `req.headers`. Names are case-insensitive. */
export type ReceivedHeaders = Headers | object

export interface SigningOptions {
  /** The secret of the endpoint, `whsec_…`, such as a sandbox's `signingSecret`. */
  secret: string
  /** The `webhook-id`: the same for every attempt at one delivery. */
  id: string
  /** The time to sign with; default: now. */
  at?: SigningTime | undefined
}

export interface VerifyingOptions {
  /** The secret of the endpoint, `whsec_…`, such as a sandbox's `signingSecret`. */
  secret: string
  /**
   * The receiver's time, from which `webhook-timestamp` may differ by five minutes; default: now. Sandboxes sign by the machine's
   * clock, even if their own is frozen or moved.
   */
  at?: SigningTime | undefined
}

type SignatureProfile = Profile['webhooks']['signature']

/** How a sandbox signs: a delivery's headers, and the lower-case name of the signature header. */
export interface Signer {
  readonly header: string
  /** `secrets`: newest first. */
  sign(body: string, signing: { secrets: readonly string[]; id: string; at: number }): Record<string, string>
}

/** D36: the scheme of a profile. Only Standard Webhooks decodes the secret; the others use its text as the key. */
export function signerOf({ scheme, prefix, ...headers }: SignatureProfile): Signer {
  const [header, idHeader, timestampHeader] = [headers.header, headers.idHeader, headers.timestampHeader].map(
    (name) => name?.toLowerCase(),
  )
  type Signing = (secrets: readonly string[], id: string, timestamp: string, body: string) => string
  const signature: Record<SignatureProfile['scheme'], Signing> = {
    standard: (secrets, id, timestamp, body) =>
      secrets.map((secret) => signatureOf(secret, id, timestamp, body)).join(' '),
    timestamped: (secrets, _, timestamp, body) =>
      [`t=${timestamp}`, ...secrets.map((secret) => `v1=${hexOf(secret, `${timestamp}.${body}`)}`)].join(','),
    // The header has room for one signature, made with the newest secret.
    hex: ([secret], _, __, body) => `${prefix}${hexOf(secret!, body)}`,
  }
  return {
    header: header!,
    sign(body, { secrets, id, at }) {
      const timestamp = String(Math.floor(at / 1000))
      return {
        ...(idHeader && { [idHeader]: id }),
        ...(timestampHeader && { [timestampHeader]: timestamp }),
        [header!]: signature[scheme](secrets, id, timestamp, body),
      }
    },
  }
}

const hexOf = (secret: string, text: WebhookBody) => createHmac('sha256', secret).update(text).digest('hex')

/** The headers required of a signed webhook. */
export function signWebhook(body: WebhookBody, options: SigningOptions): SignedHeaders {
  refuseOthers(options, ['secret', 'id', 'at'])
  const { secret, id, at } = options
  if (typeof id !== 'string' || id === '') throw new Error('The id of a webhook is a text, such as evt_1.')
  const timestamp = String(Math.floor(millisecondsOf(at) / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(secret, id, timestamp, readableBody(body)),
  }
}

/**
 * Throws an error that says why, unless the body was signed with the secret, within five minutes of `at`.
 *
 * ```ts
 * app.post('/webhooks', express.raw({ type: 'application/json' }), (req, res) => {
 *   verifyWebhook(req.body, req.headers, { secret: process.env.WEBHOOK_SECRET })
 *   const event = JSON.parse(req.body)
 *   res.sendStatus(204)
 * })
 * ```
 */
export function verifyWebhook(body: WebhookBody, headers: ReceivedHeaders, options: VerifyingOptions): void {
  refuseOthers(options, ['secret', 'at'])
  const { secret, at } = options
  const reason = whyInvalid(readableBody(body), headers, secret, millisecondsOf(at))
  if (reason) throw new Error(reason)
}

/** What is wrong with the signature, in one sentence; undefined for a valid one. */
function whyInvalid(
  body: WebhookBody,
  headers: ReceivedHeaders,
  secret: string,
  at: number,
): string | undefined {
  const [id, timestamp, given] = (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).map(
    (name) => headerNamed(headers, name),
  )
  if (!id || !timestamp || !given)
    return 'A webhook-id, webhook-timestamp or webhook-signature header is missing.'
  if (!/^\d+$/.test(timestamp)) return 'The webhook-timestamp is not a number of seconds.'
  if (Math.abs(at / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    return `The webhook-timestamp ${timestamp} is more than five minutes away from ${formatInstant(at)}.`
  const expected = Buffer.from(signatureOf(secret, id, timestamp, body))
  const matches = given.split(' ').some((part) => {
    const signature = Buffer.from(part)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
  return matches ? undefined : 'No signature in the webhook-signature header matches this body and secret.'
}

function headerNamed(headers: ReceivedHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  // Node returns a list for a header that was sent several times. Standard Webhooks separates signatures by spaces.
  return Array.isArray(value) ? value.join(' ') : value === undefined ? undefined : String(value)
}

/**
 * Refuses unknown options: with `ta` instead of `at`, the current time would be used, and the test of an old webhook would pass.
 */
function refuseOthers(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${unknown} is unknown here${didYouMean(unknown, known)}`)
}

function readableBody(body: WebhookBody): WebhookBody {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new Error('The body of a webhook is its text or bytes as received, before they are parsed as JSON.')
}

/** The latest time that a Date can hold. */
const DATE_MAX_MS = 8.64e15

/** Checks the time given by an untyped caller: every comparison with NaN is false, so any timestamp would pass. */
function millisecondsOf(at: SigningTime | undefined): number {
  if (at === undefined) return wallClock()
  const ms =
    at instanceof Date
      ? at.getTime()
      : typeof at === 'string'
        ? timeOf(at)
        : typeof at === 'number'
          ? at
          : NaN
  if (Math.abs(ms) <= DATE_MAX_MS) return ms
  const shown = typeof at === 'string' ? JSON.stringify(at) : String(at)
  throw new Error(
    `at is a Date, milliseconds since 1970 or a text such as 2026-01-01T00:00:00Z, not ${shown}.`,
  )
}

/** A date without a time is refused, because a signature is valid for five minutes. */
const timeOf = (text: string) => (text.includes('T') ? timeIn(text) : Number.NaN)
