/** Reads a body up to a limit, and refuses a Content-Encoding. */
import type { IncomingMessage } from 'node:http'
import { wrongContentEncoding } from './contract/errors.ts'

type Body = Buffer | 'too large'

/** From the socket if there is one: the Fetch body on top of it takes twice as long as the rest of a request. */
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
  const bytes = await readUpTo(body ?? [], maxBytes)
  return bytes.length > maxBytes ? 'too large' : bytes
}

/** A stream's bytes. If there are more than `maxBytes`, only the start, which is also longer than `maxBytes`. */
export async function readUpTo(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    read.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) break
  }
  return Buffer.concat(read)
}

/**
 * Refuses a body with a Content-Encoding (D59). RFC 9110, 12.5.3: the refusal names the accepted encodings in Accept-Encoding.
 */
export function requirePlainBody(contentEncoding: string | undefined): void {
  if (!/^(identity)?$/i.test(contentEncoding?.trim() ?? '')) throw wrongContentEncoding()
}
