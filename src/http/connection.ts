/** Puts an answer on the wire: whole, or as badly as a fault asks. */
import type { Context } from 'hono'
import type { Answer } from '../gate/request.ts'
import type { Bindings } from './v1.ts'

export function play(_c: Context<{ Bindings: Bindings }>, { status, headers, body }: Answer): Response {
  return new Response(body, { status, headers })
}
