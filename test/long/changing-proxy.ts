/** A proxy in front of a paysim that can change a response under /v1. */
import { served } from '../served.ts'

export interface ChangingProxy {
  url: string
  /** The number of responses under /v1 so far; a test resets it to 0. */
  count: number
  /** Returns the replacement body, or undefined to leave the response unchanged. */
  change: ((text: string, count: number) => string | undefined) | undefined
}

export async function changingProxy(target: string): Promise<ChangingProxy> {
  const proxy: ChangingProxy = { url: '', count: 0, change: undefined }
  proxy.url = await served(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      SENT.includes(name) ? values.map((value): [string, string] => [name, value]) : [],
    )
    try {
      const answer = await fetch(target + request.url, {
        method: request.method!,
        headers,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      let text = await answer.text()
      const kept = ANSWERED.flatMap((name) => {
        const value = answer.headers.get(name)
        return value === null ? [] : [[name, value]]
      })
      if (request.url!.startsWith('/v1/')) {
        proxy.count += 1
        text = proxy.change?.(text, proxy.count) ?? text
      }
      response.writeHead(answer.status, Object.fromEntries(kept)).end(text)
    } catch {
      request.socket.resetAndDestroy()
    }
  })
  return proxy
}

const SENT = ['x-api-key', 'content-type', 'authorization', 'idempotency-key', 'x-sim']
const ANSWERED = ['content-type', 'location', 'idempotent-replayed']
