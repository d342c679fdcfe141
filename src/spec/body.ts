/** Reads a body up to a limit. */
import type { IncomingMessage } from 'node:http'

type Body = Buffer | 'too large'

/** From the socket where there is one: the Fetch body on top of it takes twice as long as the rest of a request. */
export const readBodyBytes = (
  incoming: IncomingMessage | undefined,
  request: Request,
  maxBytes: number,
): Promise<Body> => (incoming ? readIncoming(incoming, maxBytes) : readFetchBody(request, maxBytes))

/** By events: an iterator that stops early would destroy the socket before the 413 is sent. */
function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<Body> {
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

async function readFetchBody({ body }: Request, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
