/** A platform's webhook endpoint for one test: a real server that records requests and sends the configured responses. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { served } from './served.ts'

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

  const url = await served(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const delivery = { headers: request.headers, body, event: JSON.parse(body) }
    received.push(delivery)
    if (typeof answer === 'number') response.writeHead(answer).end()
    else answer(response, delivery)
    for (const { enough, resolve } of waiting) if (enough(received)) resolve()
  })
  return {
    url: `${url}/webhooks`,
    received,
    types: () => received.map(({ event }) => event.type),
    /** Sets the response to all later requests. */
    reply(next: Reply): void {
      answer = next
    },
    /** Resolves as soon as `enough` returns true for the received webhooks. */
    until(enough: (received: Received[]) => boolean): Promise<void> {
      if (enough(received)) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ enough, resolve }))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
