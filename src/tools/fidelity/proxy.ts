/** A proxy in front of a real service: passes each request and its answer on unchanged, and reports both. */
import { once, setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { answerTo, clientFor, createServer, headerPairs, passedOnHeaders } from '../../spec/node-http.ts'
import { hasSecretName, secretsIn } from '../../spec/secrets.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { singleHeaders } from '../player/receiver.ts'
import type { RecordedExchange } from './evidence.ts'

export interface ServiceProxy {
  url: string
  close(): Promise<void>
}

/** Headers that the proxy sets itself: it asks another host, and must be able to read the answer. */
const OWN_HEADERS = ['host', 'accept-encoding', 'expect']

/** Without the headers that have secrets. */
export interface PassedOn extends Omit<RecordedExchange, 'seenIn'> {
  /** What those headers and the address said, so that it can be hidden elsewhere. */
  secrets: readonly string[]
}

export interface Told {
  seen(passed: PassedOn): void
  /**
   * Called for a request that cannot be compared, for example because the service gave no whole answer, or
   * the app did not wait for it.
   */
  unseen(what: { call: string; why: string; secrets: readonly string[] }): void
}

const APP_LEFT = 'the app did not wait for the answer'

export async function openProxy(target: URL, port: number, told: Told): Promise<ServiceProxy> {
  const passing = new Set<Promise<void>>()
  /**
   * For each open connection, a controller that is aborted with the reason why its requests are no longer
   * answered.
   */
  const ends = new Map<Socket, AbortController>()
  // Idle connections are never closed here: one that is closed just when the app sends again would be the
  // proxy's fault.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const passed = pass(incoming, outgoing).finally(() => passing.delete(passed))
    passing.add(passed)
  })
  // Node tells only the first of several requests on one connection that it has closed.
  server.on('connection', (socket) => {
    const end = new AbortController()
    setMaxListeners(0, end.signal)
    ends.set(socket, end)
    socket.once('close', () => {
      ends.delete(socket)
      end.abort(APP_LEFT)
    })
  })

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const end = ends.get(incoming.socket)
    // Several requests can be read from a connection at once. It may be closed when the later ones get here.
    if (end === undefined) return
    try {
      told.seen(await passOn(target, incoming, outgoing, end.signal))
    } catch (cause) {
      const { message, code } = cause as NodeJS.ErrnoException
      const hasLeft = code === 'ERR_STREAM_PREMATURE_CLOSE'
      const why = end.signal.aborted ? end.signal.reason : hasLeft ? APP_LEFT : message
      told.unseen({
        call: `${incoming.method} ${incoming.url}`,
        why,
        secrets: secretsOf(incoming),
      })
      if (outgoing.writableFinished) return
      // The app sees a broken connection, as it would without the proxy.
      end.abort('an answer before it on its connection broke off')
      incoming.socket.destroy()
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken; --proxy 0 takes a free one.`) : cause,
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server.close(), 'close')
      for (const end of ends.values()) end.abort('it was not answered yet')
      server.closeAllConnections()
      await closed
      await Promise.all(passing)
    },
  }
}

/** Both bodies go on as they come; what is kept of them beside that is at most {@link COMPARED_MAX_BYTES} each. */
async function passOn(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  ended: AbortSignal,
): Promise<PassedOn> {
  const at = wallClock()
  const sentBody = new ComparedBody(incoming, 'the request')
  const answer = await ask(target, incoming, ended)
  outgoing.writeHead(
    answer.statusCode ?? 502,
    answer.statusMessage,
    passedOnHeaders(answer.rawHeaders).flat(),
  )
  const givenBody = new ComparedBody(answer, 'the answer')
  answer.on('error', (cause) => {
    cause.message = `the answer broke off, ${cause.message}`
  })
  await pipeline(answer, outgoing, { signal: ended })
  if (!incoming.complete) throw new Error('it was answered before the app had sent all of it')
  const [sent, given] = [singleHeaders(incoming.headers), singleHeaders(answer.headers)]
  const body = sentBody.bytes()
  return {
    at,
    asked: {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: withoutSecrets(sent),
      body: body.length === 0 ? undefined : body.toString('utf8'),
    },
    theirs: {
      status: answer.statusCode ?? 0,
      headers: withoutSecrets(given),
      body: decoded(givenBody.bytes(), given['content-encoding']).toString('utf8'),
    },
    secrets: [...secretsOf(incoming), ...secretsOf(answer)],
  }
}

/** A page of a hundred items has 60 KB. */
const COMPARED_MAX_BYTES = 1024 * 1024

const tooLong = (what: string) => `${what} has more than 1 MB, so it is not compared`

class ComparedBody {
  readonly #chunks: Buffer[] = []
  readonly #what: string
  #length = 0

  constructor(stream: IncomingMessage, what: string) {
    this.#what = what
    stream.on('data', (chunk: Buffer) => {
      this.#length += chunk.length
      if (this.#length <= COMPARED_MAX_BYTES) this.#chunks.push(chunk)
      else this.#chunks.length = 0
    })
  }

  bytes(): Buffer {
    if (this.#length > COMPARED_MAX_BYTES) throw new Error(tooLong(this.#what))
    return Buffer.concat(this.#chunks)
  }
}

async function ask(target: URL, incoming: IncomingMessage, ended: AbortSignal): Promise<IncomingMessage> {
  const request = clientFor(target.protocol).request(target, {
    method: incoming.method,
    path: target.pathname.replace(/\/$/, '') + incoming.url,
    headers: [
      ...passedOnHeaders(incoming.rawHeaders, OWN_HEADERS),
      ...lengthOf(incoming),
      ['host', target.host],
      ['accept-encoding', 'identity'],
    ].flat(),
    // A new connection for each request: a kept one that the service closes at the wrong moment would be the
    // proxy's fault.
    agent: false,
    // Where the app has left, the request to the service ends too: a silent service would keep the command running.
    signal: ended,
  })
  // What the service does not wait for is read all the same: the app may send its next request after it.
  request.on('close', () => incoming.unpipe(request).resume())
  incoming.pipe(request)
  const answer = await answerTo(request).catch(({ message }: Error) => {
    throw new Error(`no answer, ${message}`)
  })
  if (answer.statusCode === 101) throw new Error('no answer, the service left HTTP with status 101')
  return answer
}

/** Where the app sends no body, Node would send one in chunks without a byte. */
const lengthOf = ({ method = '', headers }: IncomingMessage): [string, string][] =>
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  ['POST', 'PUT', 'PATCH'].includes(method)
    ? [['content-length', '0']]
    : []

const DECODE: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
}

/** Some services compress also for a client that asked them not to. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  const decode = encoding === undefined ? undefined : DECODE[encoding.trim().toLowerCase()]
  if (decode === undefined || bytes.length === 0) return bytes
  try {
    return decode(bytes, { maxOutputLength: COMPARED_MAX_BYTES })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(
      code === 'ERR_BUFFER_TOO_LARGE'
        ? tooLong('the answer')
        : `the answer is not ${encoding}, as its Content-Encoding says`,
      { cause },
    )
  }
}

const secretsOf = ({ url, rawHeaders }: IncomingMessage): string[] =>
  secretsIn({ target: url, headers: headerPairs(rawHeaders) })

const withoutSecrets = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hasSecretName(name)))
