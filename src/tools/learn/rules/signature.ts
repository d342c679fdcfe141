/** Rules for the headers of webhooks: how they are signed. */

import { createHmac } from 'node:crypto'
import { jsonIn } from '../../../spec/contract/json-text.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import type { SentWebhook } from '../evidence.ts'
import type { Reading } from '../reading.ts'
import { headerName, type Noticed } from './rule.ts'

export function* signatureRule({ webhooks }: Reading): Noticed {
  for (const webhook of webhooks) {
    const signed = webhook.secret === undefined ? undefined : signatureIn(webhook, webhook.secret)
    if (signed === undefined) {
      if (webhook.secret !== undefined) yield { remark: 'No scheme of a profile explains a signature.' }
      continue
    }
    const named = (name: string, value: string | null) => {
      const key = `webhooks.signature.${name}`
      const isHeader = name.toLowerCase().endsWith('header') && value !== null
      return {
        key,
        value: isHeader ? headerName(key, value) : value,
        seenIn: webhook.seenIn,
        saw: 'a signature that fits the secret',
      }
    }
    for (const [name, value] of Object.entries(signed)) yield named(name, value)
  }
}

interface Signed {
  scheme: 'standard' | 'timestamped' | 'hex'
  header: string
  prefix?: string
  idHeader: string | null
  timestampHeader: string | null
}

/** The header with a signature that fits, by the first scheme that explains it. */
function signatureIn({ headers, body }: SentWebhook, secret: string): Signed | undefined {
  const event = jsonIn(body.toString('utf8'))
  const id = isObject(event) ? event.id : undefined
  const named = (fits: (value: string) => boolean) =>
    Object.keys(headers).find((name) => fits(headers[name]!)) ?? null
  const idHeader = named((value) => value === id)
  const timestampHeader = named((value) => /^1\d{9}$/.test(value))
  const others = { idHeader, timestampHeader }
  const hmac = (key: string | Buffer, signedBefore: string) =>
    createHmac('sha256', key).update(signedBefore).update(body)
  const base64 = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  for (const [header, value] of Object.entries(headers)) {
    const seconds = /(?:^|,)t=(\d+)/.exec(value)?.[1]
    if (seconds && value.includes(`v1=${hmac(secret, `${seconds}.`).digest('hex')}`))
      return { scheme: 'timestamped', header, ...others }
    const [idText, time] = [headers[idHeader ?? ''], headers[timestampHeader ?? '']]
    if (value.includes(`v1,${hmac(base64, `${idText}.${time}.`).digest('base64')}`))
      return { scheme: 'standard', header, ...others }
    const digits = hmac(secret, '').digest('hex')
    if (value.endsWith(digits))
      return { scheme: 'hex', header, prefix: value.slice(0, -digits.length), ...others }
  }
  return undefined
}
