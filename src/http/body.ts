/** Reads a body up to a limit, from the socket where there is one and from the Fetch request where there is not. */
import type { IncomingMessage } from 'node:http'
import type { HttpContext } from './v1.ts'

export type Body = Uint8Array | 'too large'

export function readBody(c: HttpContext, maxBytes: number): Promise<Body> {
  const { incoming } = c.env ?? {}
  return incoming ? fromSocket(incoming as IncomingMessage, maxBytes) : fromFetch(c.req.raw, maxBytes)
}

/** Listens rather than iterates: an iteration that stops early would take the connection down before the 413. */
function fromSocket(incoming: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = []
    let bytes = 0
    incoming.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        chunks = []
        resolve('too large')
      }
    })
    incoming.on('end', () => resolve(joined(chunks)))
    incoming.on('error', reject)
  })
}

async function fromFetch({ body }: Request, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  return joined(chunks)
}

const joined = (chunks: Uint8Array[]) => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
