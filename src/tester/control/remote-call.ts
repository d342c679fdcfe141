/** Sends verbs to a simulator in another process, over `fetch`. */
import { ApiError, type ErrorStatus } from '../../spec/contract/api-error.ts'
import { PAGE_MAX_ROWS } from '../../spec/contract/limits.ts'
import { whyNotFetched } from '../../spec/tls-problem.ts'
import { type AnyMethod, answerIn, isVerb, type MethodsOf, type Verb, verbRequest } from './verb.ts'

/** Where requests go: the base address, and the headers of each. */
export interface RemoteBase {
  base: string
  headers: Record<string, string>
}

export type RemoteMethod<Method> = Method extends (...args: infer Args) => infer Answer
  ? (...args: Args) => Promise<Awaited<Answer>>
  : never

/** The same methods, each returning a promise. */
export type Remote<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends AnyMethod
    ? RemoteMethod<Methods[Name]>
    : Remote<Methods[Name]>
}

/** A method for each verb of a table. */
export const remoteMethods = <Verbs extends object>(
  verbs: Verbs,
  remote: RemoteBase,
): Remote<MethodsOf<Verbs>> =>
  Object.fromEntries(
    Object.entries(verbs).map(([name, entry]) => [
      name,
      isVerb(entry)
        ? (...args: unknown[]) => (entry.answers === 'page' ? allPages : call)(remote, entry, args)
        : remoteMethods(entry, remote),
    ]),
  ) as Remote<MethodsOf<Verbs>>

async function call(remote: RemoteBase, verb: Verb, args: unknown[]): Promise<unknown> {
  const body = await send(remote, verb, args)
  if (verb.answers === 'list') return (body as { data: unknown }).data
  return answerIn(verb, body)
}

interface Window {
  limit?: number | undefined
  cursor?: string | undefined
}

async function allPages(remote: RemoteBase, verb: Verb, [filter = {}]: unknown[]): Promise<unknown> {
  const ask = async (window: Window) =>
    (await send(remote, verb, [{ ...(filter as Window), ...window }])) as Record<string, unknown>
  const { latest, rows } = await joinedPages(ask, verb.pages, filter as Window)
  if (verb.pages === 'data') return rows
  const { hasMore, nextCursor, ...others } = latest
  return { ...others, [verb.pages]: rows }
}

/** All pages as one list, oldest first; the server returns the latest page first. */
export async function joinedPages(
  ask: (window: Window) => Promise<Record<string, unknown>>,
  field = 'data',
  { limit: missing = Number.POSITIVE_INFINITY, cursor }: Window = {},
): Promise<{ latest: Record<string, unknown>; rows: unknown[] }> {
  let latest: Record<string, unknown> | undefined
  const rows: unknown[] = []
  do {
    const answer = await ask({ limit: Math.min(missing - rows.length, PAGE_MAX_ROWS), cursor })
    latest ??= answer
    // Guards against a server that is not paysim: its responses may have no list, and without a check of the cursor the loop
    // would never end.
    rows.unshift(...(Array.isArray(answer[field]) ? answer[field] : []))
    cursor = typeof answer.nextCursor === 'string' ? answer.nextCursor : undefined
  } while (cursor !== undefined && rows.length < missing)
  return { latest, rows }
}

async function send({ base, headers }: RemoteBase, verb: Verb, args: unknown[]): Promise<unknown> {
  const { method, path, body } = verbRequest(verb, ...args)
  const url = new URL(base + path)
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) }).catch((cause: Error) => {
    throw new Error(`No paysim is running at ${url.origin}${whyNotFetched(url, cause)}`, { cause })
  })
  if (!response.ok) throw await refusal(response)
  if (response.status === 204) return undefined
  return isJson(response) && verb.answers !== 'text' ? response.json() : response.text()
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') ?? false

/** The error that the embedded object throws. A proxy in between may respond too, with any kind of body. */
async function refusal(response: Response): Promise<ApiError> {
  const status = response.status as ErrorStatus
  if (!isJson(response))
    return new ApiError(
      status,
      `${response.url} answered ${status}, not as a paysim does: another program may listen there`,
    )
  const { error: _, message, ...details } = (await response.json()) as Record<string, unknown>
  return new ApiError(status, String(message), { details })
}
