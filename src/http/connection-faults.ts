/** What faults do to an answer's body, wherever it goes. */
import { once } from 'node:events'
import type { Answer, ConnectionFault } from '../gate/request.ts'

/** Faults of the connection itself. */
export type SocketFault = Exclude<ConnectionFault['kind'], 'bad-json' | 'drip'>

export const withBadJson = (answer: Answer): Answer => ({ ...answer, body: `${answer.body.slice(0, -1)},` })

export function firstHalf(body: string): Buffer {
  const bytes = Buffer.from(body)
  return bytes.subarray(0, Math.ceil(bytes.length / 2))
}

const DRIPS = 20

/** The longest that a timer of this platform can run. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** The right body in small pieces, spread over the time. */
export async function* drips(body: string, durationMs: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body)
  const size = Math.max(1, Math.ceil(bytes.length / DRIPS))
  for (let at = 0; at < bytes.length; at += size) {
    for (let left = Math.ceil((durationMs * size) / bytes.length); left > 0; left -= TIMER_MAX_MS) {
      await once(AbortSignal.timeout(Math.min(left, TIMER_MAX_MS)), 'abort', { signal })
    }
    yield bytes.subarray(at, at + size)
  }
}
