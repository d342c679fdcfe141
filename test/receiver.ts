/** A platform's webhook endpoint: a real server that keeps what it got, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
  event: { id: string; type: string; timestamp: string; data: { id: string; [field: string]: unknown } }
}

export type Reply = number | ((response: ServerResponse, received: Received) => void)

export async function openReceiver(reply: Reply = 204) {
  const received: Received[] = []
  const waiting: { enough: (received: Received[]) => boolean; resolve: () => void }[] = []
  let answer = reply

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const one = { headers: request.headers, body, event: JSON.parse(body) }
    received.push(one)
    if (typeof answer === 'number') response.writeHead(answer).end()
    else answer(response, one)
    for (const { enough, resolve } of waiting) if (enough(received)) resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    types: () => received.map(({ event }) => event.type),
    /** Sets how it answers from now on. */
    reply(next: Reply): void {
      answer = next
    },
    /** Resolves as soon as `enough` is true of what was received. */
    until(enough: (received: Received[]) => boolean): Promise<void> {
      if (enough(received)) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ enough, resolve }))
    },
    close(): Promise<void> {
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
