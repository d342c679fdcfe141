/** Checks a webhook's signature as a receiver would, by the profile's scheme (default: Standard Webhooks 1.0.0). */
import type { IncomingHttpHeaders } from 'node:http'
import { signerOf } from '../../service/webhooks/sign.ts'
import { parseDuration } from '../../spec/contract/duration.ts'
import type { Profile } from '../../spec/contract/profile.ts'

export type Signature = 'valid' | 'stale' | 'invalid' | 'missing'

/** `now`: in milliseconds since 1970. */
export function checkSignature(
  headers: IncomingHttpHeaders,
  body: Buffer,
  profile: Profile['webhooks']['signature'],
  { secret, now }: { secret: string; now: number },
): Signature {
  const { scheme, header, idHeader, timestampHeader, tolerance } = profile
  const [given, id = '', timestamp] = [header, idHeader, timestampHeader].map((name) =>
    name === null ? undefined : headers[name.toLowerCase()]?.toString(),
  )
  // `hex` does not sign the time.
  const signedAt = { standard: timestamp, timestamped: /(?:^|,)t=([^,]*)/.exec(given ?? '')?.[1], hex: '' }[
    scheme
  ]
  if (given === undefined || signedAt === undefined || (scheme === 'standard' && id === '')) return 'missing'
  const at = signedAt === '' ? now : Number(signedAt) * 1000
  const signer = signerOf(profile)
  const separator = scheme === 'standard' ? ' ' : ','
  const expected = signer.sign(body.toString(), { secrets: [secret], id, at })[signer.header]!
  if (!given.split(separator).includes(expected.split(separator).at(-1)!)) return 'invalid'
  // A valid signature with an old timestamp may be a replayed delivery.
  return Math.abs(now - at) <= parseDuration(tolerance) ? 'valid' : 'stale'
}
