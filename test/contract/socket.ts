/** Raw HTTP, for requests that no client would send, and for connections that break. */
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { openSimulator } from '../control/shop.ts'

/** The port of a new simulator for the test. */
export async function listening(options: SimulatorOptions = {}) {
  const simulator = openSimulator(options)
  const { url } = await simulator.listen()
  return { simulator, url, port: Number(new URL(url).port) }
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

/** A connection that is closed at the end of the test, if the server did not close it before. */
export function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const chunks: Uint8Array[] = []
  const received = (encoding: BufferEncoding = 'latin1') => Buffer.concat(chunks).toString(encoding)
  let look = () => {}
  socket.on('data', (bytes) => {
    chunks.push(bytes)
    look()
  })
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.on('end', () => resolve('closed'))
  })
  return {
    write: (part: string | Uint8Array) => socket.write(part),
    /** All bytes that were received, as text. */
    received,
    /** How the connection ended: `closed` with a FIN, or the socket's error such as ECONNRESET. */
    ended,
    /** Resolves once the received bytes contain this text, so many times. */
    until: (text: string, times = 1) =>
      new Promise<string>((resolve, reject) => {
        ended.then((how) => reject(new Error(`${how} before ${text}`)))
        look = () => received().split(text).length > times && resolve(received())
        look()
      }),
    giveUp: () => socket.destroy(),
  }
}

/** Sends a request with the default key, its head as lines and its body as JSON, and leaves the connection open. */
export function rawRequest(url: string, head: string, body?: unknown) {
  const { host, port } = new URL(url)
  const text = body === undefined ? '' : JSON.stringify(body)
  const connection = openConnection(Number(port))
  const [call = '', ...headers] = head.split('\n')
  const content = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]
  connection.write(
    [`${call} HTTP/1.1`, `Host: ${host}`, KEY, ...(text === '' ? [] : content), ...headers, '', text].join(
      '\r\n',
    ),
  )
  return connection
}

/** The head and body of a response, as received. */
export function parts(received: string): { head: string; body: string } {
  const end = received.indexOf('\r\n\r\n')
  return { head: received.slice(0, end).toLowerCase(), body: received.slice(end + 4) }
}

/** Sends these bytes and reads until the server closes, which the request must ask for with Connection: close. */
export async function sendRaw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const { write, ended, received } = openConnection(port)
  for (const part of parts) write(part)
  await ended
  return parsed(received('utf8'))
}

function parsed(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [start = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return {
    status: Number(start.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: answer.slice(end + 4),
  }
}

const KEY = 'x-api-key: sk_staging_default'

/** The head of a request: the request line, the default key, and further headers. */
export const head = (call: string, ...headers: readonly string[]): string =>
  [`${call} HTTP/1.1`, 'host: paysim.test', 'connection: close', KEY, ...headers, '', ''].join('\r\n')
