/** A proxy in front of a real service: forwards each request and its response unchanged, and reports both. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { writes } from '../../spec/contract/endpoints.ts'
import { answerTo, clientFor, headerPairs, passedOnHeaders } from '../../spec/node-http.ts'
import { hasSecretName, type Secrets, secretsIn } from '../../spec/secrets.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { listening } from '../listening.ts'
import { singleHeaders } from '../player/receiver.ts'
import type { ServiceExchange } from './evidence.ts'

/** Headers that the proxy sets itself: the host is different, the body is sent as a whole, and the response must be readable. */
const OWN_HEADERS = ['host', 'accept-encoding', 'expect', 'content-length', 'transfer-encoding']

/** Without the headers that contain secrets. */
type PassedOn = Omit<ServiceExchange, 'seenIn'>

interface ProxyListener {
  seen(passed: PassedOn): void
  /** Called for a request that cannot be compared, such as one whose response is incomplete. */
  unseen(request: { call: string; why: string }): void
  /** Gets the secrets in the headers and the URLs, so that they can be masked elsewhere. */
  secrets: Secrets
}

export async function openProxy(target: URL, port: number, listener: ProxyListener) {
  const passing = new Set<Promise<void>>()
  let isClosing = false
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const passed = pass(incoming, outgoing).finally(() => passing.delete(passed))
    passing.add(passed)
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { socket, method, url } = incoming
    const left = new AbortController()
    const leave = () => left.abort()
    socket.once('close', leave)
    listener.secrets.addAll(secretsOf(incoming))
    try {
      listener.seen(await passOn(target, incoming, outgoing, left.signal, listener.secrets))
    } catch (cause) {
      const hasLeft = left.signal.aborted ? 'the app did not wait for the response' : undefined
      const why = isClosing ? 'it had no response yet' : (hasLeft ?? (cause as Error).message)
      listener.unseen({ call: `${method} ${url}`, why })
      // The app sees a broken connection, as it would without the proxy.
      if (!outgoing.writableFinished) socket.destroy()
    } finally {
      socket.off('close', leave)
    }
  }

  const server = await listening(answer, { port }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause
    throw new Error(`Port ${port} is in use. Pass --proxy 0 for any free port.`)
  })
  return {
    url: server.url,
    async close() {
      isClosing = true
      await server.close()
      await Promise.all(passing)
    },
  }
}

/** Forwards the response as it arrives. */
async function passOn(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  ended: AbortSignal,
  secrets: Secrets,
): Promise<PassedOn> {
  const at = wallClock()
  const { method = '', url = '' } = incoming
  const sent = await buffer(incoming)
  const answer = await ask(target, incoming, sent, ended)
  secrets.addAll(secretsOf(answer))
  const { statusCode = 502, statusMessage, rawHeaders } = answer
  outgoing.writeHead(statusCode, statusMessage, passedOnHeaders(rawHeaders).flat())
  const chunks: Buffer[] = []
  answer.on('data', (chunk: Buffer) => chunks.push(chunk))
  await pipeline(answer, outgoing, { signal: ended }).catch(({ message }: Error) => {
    throw new Error(`the response broke off, ${message}`)
  })
  const given = singleHeaders(answer.headers)
  const encoding = given['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw new Error(`the response is compressed with ${encoding}, so it is not compared`)
  const body = Buffer.concat(chunks)
  for (const [name, { length }] of Object.entries({ request: sent, response: body }))
    if (length > COMPARED_MAX_BYTES) throw new Error(`the ${name} is larger than 1 MB, so it is not compared`)
  return {
    at,
    asked: {
      method,
      target: url,
      headers: withoutSecrets(singleHeaders(incoming.headers)),
      body: sent.length === 0 ? undefined : sent.toString('utf8'),
    },
    theirs: {
      status: statusCode,
      headers: withoutSecrets(given),
      body: body.toString('utf8'),
    },
  }
}

async function ask(
  target: URL,
  { method = '', url = '', rawHeaders }: IncomingMessage,
  body: Buffer,
  ended: AbortSignal,
): Promise<IncomingMessage> {
  const request = clientFor(target.protocol).request(target, {
    method,
    path: target.pathname.replace(/\/$/, '') + url,
    headers: [
      ...passedOnHeaders(rawHeaders, OWN_HEADERS),
      ['host', target.host],
      ['accept-encoding', 'identity'],
      ...(body.length > 0 || writes(method) ? [['content-length', String(body.length)]] : []),
    ].flat(),
    // A new connection for each request: the service could close a reused one at the wrong moment, which would be the proxy's
    // fault.
    agent: false,
    // If the app has disconnected, abort the request too: an unresponsive service would keep the command running.
    signal: ended,
  })
  request.end(body)
  const answer = await answerTo(request).catch(({ message }: Error) => {
    throw new Error(`no response, ${message}`)
  })
  if (answer.statusCode === 101) throw new Error('no response, the service left HTTP with status 101')
  return answer
}

/** A page of a hundred items has 60 KB. */
const COMPARED_MAX_BYTES = 1024 * 1024

const secretsOf = ({ url, rawHeaders }: IncomingMessage): string[] =>
  secretsIn({ target: url, headers: headerPairs(rawHeaders) })

const withoutSecrets = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hasSecretName(name)))
