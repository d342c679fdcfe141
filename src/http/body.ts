/** Reads a body up to a limit, from a socket or from a Fetch request. */
import type { IncomingMessage } from 'node:http'

export type Body = Buffer | 'too large'

/** Listens rather than iterates: an iteration that stops early would take the connection down before the 413. */
export function bodyOf(incoming: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        chunks = []
        resolve('too large')
      }
    })
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    incoming.on('error', reject)
  })
}

export async function bodyOfFetch({ body }: Request, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
