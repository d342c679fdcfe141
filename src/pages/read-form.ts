/** Reads a form as a browser sends it. */
import type { Context } from 'hono'

/** The fields in order; none for a body of another type. */
export async function readForm({ req }: Context): Promise<URLSearchParams> {
  const isForm = req.header('content-type')?.startsWith('application/x-www-form-urlencoded')
  return new URLSearchParams(isForm ? await req.text() : '')
}
