/** Reads a body up to a limit, from the socket where there is one and from the Fetch request where there is not. */
import type { Context } from 'hono'
import type { Bindings } from './v1.ts'

export async function readBody(
  c: Context<{ Bindings: Bindings }>,
  maxBytes: number,
): Promise<Uint8Array | 'too large'> {
  const declared = Number(c.env?.incoming?.headers['content-length'] ?? 0)
  if (declared > maxBytes) return 'too large'
  const source = c.env?.incoming ?? c.req.raw.body
  if (!source) return new Uint8Array()

  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}
