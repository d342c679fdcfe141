/** Rules for the headers of webhooks: how they are signed. */

import { isObject, jsonIn } from '../../../spec/contract/parsed-json.ts'
import { checkSignature } from '../../player/signature.ts'
import type { SentWebhook } from '../evidence.ts'
import type { Reading } from '../reading.ts'
import { headerName, type Noticed } from './rule.ts'

export function* signatureRule({ webhooks }: Reading): Noticed {
  for (const webhook of webhooks) {
    const { seenIn, secret } = webhook
    const signed = secret === undefined ? {} : signatureIn(webhook, secret)
    for (const [name, value] of Object.entries(signed)) {
      const key = `webhooks.signature.${name}`
      const isHeader = name.toLowerCase().endsWith('header') && value !== null
      yield {
        key,
        value: isHeader ? headerName(key, value) : value,
        seenIn,
        saw: 'a signature that matches the secret',
      }
    }
  }
}

const SCHEMES = ['timestamped', 'standard', 'hex'] as const

/** The length of a SHA-256 in hexadecimal. */
const HEX_CHARS = 64

/** The header with a matching signature, and the first scheme that explains it. */
function signatureIn(
  { headers, body }: SentWebhook,
  secret: string,
): Readonly<Record<string, string | null>> {
  const event = jsonIn(body.toString('utf8'))
  const id = isObject(event) ? event.id : undefined
  const named = (fits: (value: string) => boolean) =>
    Object.keys(headers).find((name) => fits(headers[name]!)) ?? null
  const idHeader = named((value) => value === id)
  const timestampHeader = named((value) => /^1\d{9}$/.test(value))
  const others = { idHeader, timestampHeader }
  for (const [header, value] of Object.entries(headers))
    for (const scheme of SCHEMES) {
      const prefix = value.slice(0, -HEX_CHARS)
      const check = { ...others, scheme, header, prefix, secret, now: 0, tolerance: '0s' }
      // A stale signature matches too: the age does not matter here.
      if (['valid', 'stale'].includes(checkSignature(headers, body, check)))
        return { ...others, scheme, header, ...(scheme === 'hex' && { prefix }) }
    }
  return {}
}
