/** Reads a form as a browser sends it. */
import type { Context } from 'hono'

/** The text of each field; none for a body of another type. */
export async function readForm({ req }: Context): Promise<Record<string, string>> {
  const isForm = req.header('content-type')?.startsWith('application/x-www-form-urlencoded')
  const fields = new URLSearchParams(isForm ? await req.text() : '')
  return Object.fromEntries([...fields].map(([name, text]) => [name, text.replaceAll('\r\n', '\n')]))
}
