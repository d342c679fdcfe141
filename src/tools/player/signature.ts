/**
 * Checks a webhook's signature as a receiver would, by the profile's scheme (default: Standard Webhooks 1.0.0). It deliberately
 * shares no code with signing, so that a mistake there is noticed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseDuration } from '../../spec/contract/duration.ts'
import type { Profile } from '../../spec/contract/profile.ts'

export type Signature = 'valid' | 'stale' | 'invalid' | 'missing'

type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>

interface Check extends Omit<Profile['webhooks']['signature'], 'scheme'> {
  scheme: Profile['webhooks']['signature']['scheme']
  secret: string
  /** Unix seconds. */
  now: number
}

/** What a scheme reads from the headers: whether a signature matches, and when it was made. */
interface Found {
  isSigned: boolean
  /** Undefined if the scheme does not sign the time. */
  signedAt?: number
}

export function checkSignature(headers: ReceivedHeaders, body: Buffer, check: Check): Signature {
  const signature = headerOf(headers, check.header)
  const found = signature === undefined ? undefined : SCHEMES[check.scheme](signature, headers, body, check)
  if (found === undefined) return 'missing'
  if (!found.isSigned) return 'invalid'
  const { signedAt = check.now } = found
  // A valid signature with an old timestamp may be a replayed delivery.
  return Math.abs(check.now - signedAt) * 1000 <= parseDuration(check.tolerance) ? 'valid' : 'stale'
}

const SCHEMES: Record<
  Check['scheme'],
  (signature: string, headers: ReceivedHeaders, body: Buffer, check: Check) => Found | undefined
> = {
  standard(signatures, headers, body, { secret, idHeader, timestampHeader }) {
    const id = headerOf(headers, idHeader)
    const timestamp = headerOf(headers, timestampHeader)
    if (id === undefined || timestamp === undefined) return undefined
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
    const isSigned = signatures.split(' ').some((one) => {
      const [version, text = ''] = one.split(',')
      return version === 'v1' && isSame(digest, Buffer.from(text, 'base64'))
    })
    return { isSigned, signedAt: Number(timestamp) }
  },

  timestamped(signature, _, body, { secret }) {
    const parts = signature.split(',').map((part) => part.split('='))
    const timestamp = parts.find(([name]) => name === 't')?.[1]
    if (timestamp === undefined) return undefined
    const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
    const isSigned = parts.some(
      ([name, hex = '']) => name === 'v1' && isSame(digest, Buffer.from(hex, 'hex')),
    )
    return { isSigned, signedAt: Number(timestamp) }
  },

  hex(signature, _, body, { secret, prefix }) {
    const digest = createHmac('sha256', secret).update(body).digest()
    const hex = signature.startsWith(prefix) ? signature.slice(prefix.length) : ''
    return { isSigned: isSame(digest, Buffer.from(hex, 'hex')) }
  },
}

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

function headerOf(headers: ReceivedHeaders, name: string | null): string | undefined {
  const value = name === null ? undefined : headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}
