/** Stands in front of a real service: passes each request on and its answer back, unchanged, and tells of both. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as overHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { createServer, request as overHttp } from '../../spec/node-http.ts'
import type { AskedRequest, GivenAnswer } from '../learn/evidence.ts'

export interface ServiceProxy {
  url: string
  close(): Promise<void>
}

/** They belong to one connection (RFC 9110, 7.6.1), or would make the answer unreadable here. */
const OWN_HEADERS = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'accept-encoding', 'expect']

/** Their values are only passed on. */
const SECRET_HEADERS = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie']

/** Without the headers that have secrets. */
export interface PassedOn {
  asked: AskedRequest
  theirs: GivenAnswer
  /** What those headers said, so that it can be hidden elsewhere. */
  secrets: readonly string[]
}

export interface Told {
  seen(passed: PassedOn): void
  /** What cannot be compared: the service gave no whole answer, for example, or the app did not wait for it. */
  unseen(what: { call: string; why: string; secrets: readonly string[] }): void
}

export async function openProxy(target: URL, port: number, told: Told): Promise<ServiceProxy> {
  const passing = new Set<Promise<void>>()
  let isClosing = false
  // A connection that is closed just when the app sends again would be a fault of ours.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const passed = pass(incoming, outgoing).finally(() => passing.delete(passed))
    passing.add(passed)
  })

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      told.seen(await passOn(target, incoming, outgoing))
    } catch (cause) {
      const { message, code } = cause as NodeJS.ErrnoException
      const appLeft = code === 'ERR_STREAM_PREMATURE_CLOSE' || (outgoing.destroyed && !outgoing.headersSent)
      // The app sees what it would see of the service: a connection that breaks.
      if (!outgoing.writableFinished) outgoing.destroy()
      told.unseen({
        call: `${incoming.method} ${incoming.url}`,
        why: isClosing
          ? 'it was not answered yet'
          : appLeft
            ? 'the app did not wait for the answer'
            : message,
        secrets: secretsIn(singleValues(incoming)),
      })
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken; --port 0 takes a free one.`) : cause,
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      isClosing = true
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
      await Promise.all(passing)
    },
  }
}

/** The answer goes to the app as it comes; what is kept of it beside that is at most {@link COMPARED_MAX_BYTES}. */
async function passOn(target: URL, incoming: IncomingMessage, outgoing: ServerResponse): Promise<PassedOn> {
  const body = await buffer(incoming)
  const answer = await answerTo(target, incoming, body, outgoing)
  const headers = pairs(answer.rawHeaders).filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name.toLowerCase()),
  )
  outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers.flat())
  const chunks: Buffer[] = []
  let length = 0
  answer.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= COMPARED_MAX_BYTES) chunks.push(chunk)
  })
  answer.on('error', (cause) => {
    cause.message = `the answer broke off, ${cause.message}`
  })
  await pipeline(answer, outgoing)
  if (length > COMPARED_MAX_BYTES) throw new Error(TOO_LONG)
  const [sent, given] = [singleValues(incoming), singleValues(answer)]
  return {
    asked: {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: withoutSecrets(sent),
      body: body.length === 0 ? undefined : body.toString('utf8'),
    },
    theirs: {
      status: answer.statusCode ?? 0,
      headers: withoutSecrets(given),
      body: decoded(Buffer.concat(chunks), given['content-encoding']).toString('utf8'),
    },
    secrets: [sent, given].flatMap(secretsIn),
  }
}

/** A page of a hundred items has 60 KB, and 5,000 answers are kept. */
const COMPARED_MAX_BYTES = 1024 * 1024

const TOO_LONG = 'the answer has more than 1 MB, so it is not compared'

function answerTo(
  target: URL,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = pairs(incoming.rawHeaders).filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()))
    const request = (target.protocol === 'https:' ? overHttps : overHttp)({
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
      method: incoming.method,
      path: target.pathname.replace(/\/$/, '') + incoming.url,
      headers: [
        ...headers,
        ...lengthOf(incoming, body),
        ['host', target.host],
        ['accept-encoding', 'identity'],
      ].flat(),
    })
    // Where the app has left, the request to the service ends too: a silent service would keep the command running.
    outgoing.once('close', () => outgoing.writableFinished || request.destroy())
    request.on('response', resolve)
    request.on('error', ({ message }) => reject(new Error(`no answer, ${message}`)))
    request.end(body)
  })
}

/** Where the app says none, such as `curl -X POST`, Node would send the body in chunks, also one without a byte. */
const lengthOf = ({ method = '', headers }: IncomingMessage, body: Buffer): [string, string][] =>
  headers['content-length'] === undefined && (body.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method))
    ? [['content-length', String(body.length)]]
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
        ? TOO_LONG
        : `the answer is not ${encoding}, as its Content-Encoding says`,
      { cause },
    )
  }
}

const pairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!]] : []))

const singleValues = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const secretsIn = (headers: Readonly<Record<string, string>>): string[] =>
  SECRET_HEADERS.flatMap((name) => headers[name] ?? [])

const withoutSecrets = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.includes(name)))
