/** `paysim sign`: the headers that a webhook of this body would carry, for trying a receiver by hand. */
import { readFileSync } from 'node:fs'
import { signWebhook } from '../../service/webhooks/sign.ts'
import { UsageError } from '../../spec/options/read.ts'

export interface SignOptions {
  secret: string
  id: string
  /** Milliseconds since 1970; now without it. */
  at?: number | undefined
}

/** A body is given as it is, as @FILE, or as - for what comes on standard input. */
export function sign(body: string, { secret, id, at }: SignOptions): string {
  const headers = signWebhook(readText(body), { secret, id, at })
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

function readText(body: string): string {
  if (body === '-') return readFileSync(0, 'utf8')
  if (!body.startsWith('@')) return body
  try {
    return readFileSync(body.slice(1), 'utf8')
  } catch {
    throw new UsageError(`${body} must be @ and a file that can be read.`)
  }
}
