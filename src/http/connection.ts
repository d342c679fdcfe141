/** Puts an answer on the wire: whole, or as badly as a fault asks. */
import type { Answer } from '../gate/request.ts'
import type { HttpContext } from './v1.ts'

export function play(_c: HttpContext, { status, headers, body }: Answer): Response {
  return new Response(body, { status, headers })
}
