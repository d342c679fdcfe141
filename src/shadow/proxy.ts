/** Stands in front of a real service: passes each request on and its answer back, unchanged, and tells of both. */
import { createServer, type IncomingMessage, request as overHttp, type ServerResponse } from 'node:http'
import { request as overHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
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
  /** The service gave no answer, or the app did not wait for it. */
  failed(call: string, cause: Error): void
}

export async function openProxy(target: URL, port: number, { seen, failed }: Told): Promise<ServiceProxy> {
  // A connection that is closed just when the app sends again would be a fault of ours.
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    try {
      const body = await bytesOf(incoming)
      const answer = await passedOn(target, incoming, body)
      const bytes = await bytesOf(answer)
      send(outgoing, answer, bytes)
      const [sent, given] = [singleValues(incoming), singleValues(answer)]
      seen({
        asked: {
          method: incoming.method ?? '',
          target: incoming.url ?? '',
          headers: withoutSecrets(sent),
          body: body.length === 0 ? undefined : body.toString('utf8'),
        },
        theirs: {
          status: answer.statusCode ?? 0,
          headers: withoutSecrets(given),
          body: bytes.toString('utf8'),
        },
        secrets: [sent, given].flatMap((headers) => SECRET_HEADERS.flatMap((name) => headers[name] ?? [])),
      })
    } catch (cause) {
      // The app sees what it would see of the service: a connection that breaks.
      incoming.socket.destroy()
      failed(`${incoming.method} ${incoming.url}`, cause as Error)
    }
  })
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function passedOn(target: URL, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = pairs(incoming.rawHeaders).filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()))
    const request = (target.protocol === 'https:' ? overHttps : overHttp)({
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
      method: incoming.method,
      path: target.pathname.replace(/\/$/, '') + incoming.url,
      headers: [...headers, ['host', target.host], ['accept-encoding', 'identity']].flat(),
    })
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
}

function send(outgoing: ServerResponse, answer: IncomingMessage, body: Buffer): void {
  const headers = pairs(answer.rawHeaders).filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name.toLowerCase()),
  )
  outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers.flat())
  outgoing.end(body)
}

const pairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!]] : []))

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const singleValues = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const withoutSecrets = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.includes(name)))
