/** The door for whoever comes over a socket: a request is read from it, and its answer put on it by hand. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalError } from '../contract/errors.ts'
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import type { Answer } from '../gate/request.ts'
import { after } from '../gate/soon.ts'
import { bodyOf } from './body.ts'
import { put } from './on-the-wire.ts'
import type { Ask } from './v1.ts'

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export function socketDoor(ask: Ask, bug: (cause: unknown) => void): Listener {
  return (incoming, outgoing) => {
    const { headers, socket } = incoming
    const header = (name: string) => headers[name] as string | undefined

    const fail = (cause: unknown) => {
      // A client that left in the middle of its own request is no bug.
      if (incoming.destroyed) return
      bug(cause)
      const { status, body } = internalError()
      const answer = { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      put(incoming, outgoing, answer)
    }
    try {
      const done = after(
        ask({
          method: incoming.method ?? '',
          target: incoming.url ?? '',
          origin: originOf(incoming),
          address: socket.remoteAddress,
          header,
          headerValues: (name) => valuesOf(incoming, name),
          readBody: () => bodyOf(incoming, BODY_MAX_BYTES),
        }),
        (answer: Answer) => put(incoming, outgoing, answer),
      )
      if (done instanceof Promise) done.catch(fail)
    } catch (cause) {
      fail(cause)
    }
  }
}

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i

/** A host that is none stands in no address that we hand out. */
function originOf({ headers: { host }, socket }: IncomingMessage): string {
  if (host !== undefined && HOST.test(host)) return `http://${host}`
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
