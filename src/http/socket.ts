/** The door for whoever comes over a socket: a request is read from it, and its answer put on it by hand. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalError } from '../contract/errors.ts'
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import { chain } from '../gate/maybe-promise.ts'
import type { Answer } from '../gate/request.ts'
import { bodyOf } from './body.ts'
import type { Ask, Asked } from './v1.ts'
import { writeAnswer } from './write-answer.ts'

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export function socketDoor(ask: Ask, bug: (cause: unknown) => void): Listener {
  return (incoming, outgoing) => {
    const answered = (answer: Answer) => {
      if (answer.status === TOO_LARGE) leaveSoon(incoming, outgoing)
      return writeAnswer(incoming, outgoing, answer)
    }
    try {
      const done = chain(ask(askedOver(incoming)), answered)
      if (done instanceof Promise) done.catch((cause) => fail(cause, incoming, outgoing, bug))
    } catch (cause) {
      fail(cause, incoming, outgoing, bug)
    }
  }
}

function askedOver(incoming: IncomingMessage): Asked {
  const { headers } = incoming
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    origin: originOf(incoming),
    address: incoming.socket.remoteAddress,
    header: (name) => headers[name] as string | undefined,
    headerValues: (name) => valuesOf(incoming, name),
    readBody: () => bodyOf(incoming, BODY_MAX_BYTES),
  }
}

function fail(
  cause: unknown,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bug: (cause: unknown) => void,
): void {
  // A client that left in the middle of its own request is no bug.
  if (incoming.socket.destroyed) return
  bug(cause)
  if (outgoing.headersSent) {
    incoming.socket.destroy()
    return
  }
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
  const { status, body } = internalError()
  writeAnswer(incoming, outgoing, {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

const TOO_LARGE = 413
const LINGER_MS = 500

/** Whoever is told that a body is too large has a moment to read it, and need not be listened to for longer. */
function leaveSoon(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once('finish', () => {
    AbortSignal.timeout(LINGER_MS).addEventListener('abort', () => {
      if (!incoming.complete) incoming.socket.destroy()
    })
  })
}

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i

/** Most requests name the same host as the one before. */
let latest: { host: string; origin: string } | undefined

/** A host that is none stands in no address that we hand out. */
function originOf({ headers: { host }, socket }: IncomingMessage): string {
  if (latest && host === latest.host) return latest.origin
  if (host !== undefined && HOST.test(host) && URL.canParse(`http://${host}`)) {
    latest = { host, origin: `http://${host}` }
    return latest.origin
  }
  const { localAddress = '', localPort } = socket
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}

/** A header that was sent twice is joined in every view but the raw one, where it shows (§4, D31). */
function valuesOf({ headers, rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const joined = headers[name]
  if (typeof joined !== 'string') return []
  if (!joined.includes(', ')) return [joined]
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name)
}
