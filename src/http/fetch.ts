/**
 * The door for whoever has a Fetch request in hand, as an embedded simulator's tests do. There is no connection here that
 * could fail, so what a client would have met as a failed one is a {@link ConnectionError}.
 */
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import { chain, type MaybePromise } from '../gate/maybe-promise.ts'
import type { Answer } from '../gate/request.ts'
import { bodyOfFetch } from './body.ts'
import { ConnectionError } from './connection-error.ts'
import { drips, firstHalf, withBadJson } from './connection-faults.ts'
import type { Ask } from './v1.ts'

export const fetchDoor =
  (ask: Ask) =>
  (request: Request): MaybePromise<Response> => {
    const { method, headers } = request
    const { origin, pathname, search } = new URL(request.url)
    const header = (name: string) => headers.get(name) ?? undefined
    const answered = ask({
      method,
      target: pathname + search,
      origin,
      address: undefined,
      header,
      headerValues: (name) => (headers.has(name) ? [headers.get(name)!] : []),
      readBody: () => bodyOfFetch(request, BODY_MAX_BYTES),
    })
    return chain(answered, responseOf)
  }

function responseOf(answer: Answer): Response {
  const { status, headers, fault } = answer
  if (fault === undefined) return whole(answer)
  if (fault.kind === 'bad-json') return whole(withBadJson(answer))
  const bytes = Buffer.from(answer.body)
  if (fault.kind === 'drip') {
    const body = ReadableStream.from(drips(answer.body, fault.durationMs))
    return new Response(body, { status, headers: { ...headers, 'content-length': String(bytes.length) } })
  }
  const { kind } = fault
  if (kind === 'reset' || kind === 'close' || kind === 'hang') throw new ConnectionError(kind)
  // Where an answer has begun, it is its body that fails.
  async function* broken() {
    yield firstHalf(answer.body)
    throw new ConnectionError(kind)
  }
  return new Response(ReadableStream.from(broken()), { status, headers })
}

const whole = ({ status, headers, body }: Answer) => new Response(body || null, { status, headers })
