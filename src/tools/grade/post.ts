/** Sends one POST to the receiver as paysim sends its webhooks, or with a body that arrives slowly. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { lateText, sendWebhook } from '../../service/webhooks/send.ts'
import { TIMER_MAX_MS } from '../../spec/world/clock.ts'
import type { Letter } from './cases.ts'

export interface LetterResponse {
  /** Null if there was no response. */
  status: number | null
  error: string | null
  /** Set if the response did not arrive in time. */
  isLate?: boolean
}

const PIECES = 10

/** Within a time limit for the response, to which that of a slow body is added. */
export async function post(
  { headers, body, overMs = 0 }: Letter,
  url: URL,
  timeoutMs: number,
): Promise<LetterResponse> {
  const bytes = Buffer.from(body)
  const within = Math.min(timeoutMs + overMs, TIMER_MAX_MS)
  const { status, error } = await sendWebhook(
    url.href,
    overMs === 0 ? bytes : Readable.from(slowly(bytes, overMs)),
    { 'content-length': String(bytes.length), ...headers },
    within,
    new AbortController().signal,
  )
  return { status, error, isLate: error === lateText(within) }
}

async function* slowly(bytes: Buffer, overMs: number): AsyncGenerator<Buffer> {
  const size = Math.ceil(bytes.length / PIECES)
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size)
    await once(AbortSignal.timeout(overMs / PIECES), 'abort')
  }
}
