/** A temporary service: sends the responses of the test over real sockets, and stores the requests. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { served } from '../served.ts'
import { play } from './playing.ts'

export interface Asked {
  method: string
  /** Path and query. */
  target: string
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: string
  /** The client's port, which is the same for all requests of one connection. */
  port: number | undefined
  /** By the machine's monotonic clock. */
  atMs: number
}

export type Reply =
  | { status: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | 'reset'
  | 'close'
  | 'silence'

export async function service(answer: (asked: Asked, count: number) => Reply | Promise<Reply>) {
  const asked: Asked[] = []
  const url = await served(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: target = '', headers, rawHeaders, socket } = request
    const body = Buffer.concat(chunks).toString()
    const atMs = performance.now()
    const received: Asked = { method, target, headers, rawHeaders, body, port: socket.remotePort, atMs }
    asked.push(received)
    const reply = await answer(received, asked.length)
    if (reply === 'reset') reset(socket)
    else if (reply === 'close') socket.end()
    else if (reply !== 'silence') {
      const text = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json))
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(text)
    }
  })
  /** Plays scenarios against it, as a platform with its key. */
  const playAgainst: typeof play = (scenarios, flags, io) =>
    play(scenarios, { target: url, apiKey: KEY, ...flags }, io)
  return { url, asked, playAgainst }
}

/** Ends a connection with only a RST: the socket's resetAndDestroy sends a FIN first, which a client may see. */
export function reset(socket: Socket): void {
  ;(socket as unknown as { _handle: { reset(done: () => void): void } })._handle.reset(() => socket.destroy())
}

export const KEY = 'sk_test_not_to_be_shown'
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** A service with a tester's API: `steer` is called for each new sandbox, and handles its other requests. */
export async function steered(
  answer: (asked: Asked, count: number) => Reply | Promise<Reply>,
  steer: (what: string, json: unknown) => unknown = () => ({}),
) {
  const { url, asked } = await service(async (request, count) => {
    const { method, target, body } = request
    if (!target.startsWith('/_sim/sandboxes')) return answer(request, count)
    if (method === 'PUT' && /^\/_sim\/sandboxes\/scenario-\w+$/.test(target)) {
      steer('made', JSON.parse(body))
      return { status: 201, json: { name: 'box', apiKey: KEY, signingSecret: SECRET } }
    }
    const what = `${method} ${target.slice('/_sim/sandboxes/box'.length)}`.trim()
    return { status: 200, json: (await steer(what, body === '' ? undefined : JSON.parse(body))) ?? {} }
  })
  /** Plays a scenario against it, as its tester. */
  const playAgainst = (scenario: string) => play(scenario, { target: url })
  return { url, asked, playAgainst }
}
