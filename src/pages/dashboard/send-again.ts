/**
 * Resends a journaled request, unchanged or edited, through the routes of /v1 and the door of the same sandbox, like any
 * platform's request.
 */
import { writes } from '../../spec/contract/endpoints.ts'
import { SENT_AGAIN } from '../../spec/contract/tester.ts'
import { within } from '../../spec/world/clock.ts'
import { uniqueName } from '../../spec/world/unique-name.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { RequestExplained, RequestSummary } from '../../tester/control/shapes.ts'
import type { Fields } from './actions.ts'

interface RepeatedRequest {
  method: string
  /** Path and query. */
  target: string
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
  body: string
}

/** The choice of its Idempotency-Key. */
export type KeyChoice = 'same' | 'new' | 'none'

/** The request that this one repeats; undefined for a platform's own. */
export function repeats({ request }: Pick<RequestExplained, 'request'>): string | undefined {
  const agent = request.headers['user-agent']
  return agent?.startsWith(SENT_AGAIN) ? agent.slice(SENT_AGAIN.length) : undefined
}

/** Why the journal lacks its body; undefined if it has the sent body. A behavior may respond 413 too, at a later step. */
export const whyNoBody = ({ status, steps }: RequestExplained): string | undefined =>
  status === 413 &&
  steps.some(({ step, outcome }) => step === 'body and media type' && outcome === 'answered')
    ? 'Its body was too large to record.'
    : undefined

/** Why it cannot be resent; undefined if it can. */
export function whyNotAgain(request: RequestExplained): string | undefined {
  const { method } = request
  if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) return `${method} cannot be sent from here.`
  return whyNoBody(request)
}

/** The headers that a person may change; the key is chosen, the API key is the sandbox's, and the sender is this page. */
export const ownHeaders = ({ request }: Pick<RequestExplained, 'request'>): Record<string, string> => {
  const { 'user-agent': _, 'idempotency-key': __, ...own } = request.headers
  return own
}

export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** A mistake in the form, as a sentence, and its field. */
export interface Mistake {
  field?: 'target' | 'headers'
  problem: string
}

/** The request described by the form. A missing field keeps its value; a mistake is returned as a sentence. */
export function repetitionOf(
  request: RequestExplained,
  fields: Fields,
): { request: RepeatedRequest } | Mistake {
  const given = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  const target = given('target') ?? request.target
  if (!isOfPlatforms(target))
    return { field: 'target', problem: 'The path must start with /v1 and contain no space or #' }
  const headers = given('headers') === undefined ? ownHeaders(request) : parsedHeaders(given('headers')!)
  if (typeof headers === 'string') return { field: 'headers', problem: headers }
  const key = keyOf(request, given('key'))
  return {
    request: {
      method: request.method,
      target,
      headers: {
        ...headers,
        ...(key !== undefined && { 'idempotency-key': key }),
        'user-agent': SENT_AGAIN + request.id,
      },
      body: given('body') ?? request.request.body,
    },
  }
}

/** Whether the target is below /v1, even after `..` is resolved: a platform has no other paths. */
const isOfPlatforms = (target: string): boolean =>
  /^\/v1(?:[/?]|$)/.test(target) &&
  !/[\s#]/.test(target) &&
  /^\/v1(?:\/|$)/.test(new URL(target, 'http://paysim.test').pathname)

function keyOf({ request }: RequestExplained, choice: string | undefined): string | undefined {
  if (choice === 'none') return undefined
  return choice === 'new' ? uniqueName('again-') : request.headers['idempotency-key']
}

const NOT_FREE: Record<string, string> = {
  'x-api-key': "the sandbox's own key is sent",
  'idempotency-key': 'choose the key below the headers',
}

/** One `name: value` per line; a mistake as a sentence. */
function parsedHeaders(text: string): Record<string, string> | string {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
    const [header, content] = [name.trim().toLowerCase(), value.trim()]
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(content))
      return `A header must be a line such as content-type: application/json, not ${line}`
    if (NOT_FREE[header]) return `The header ${header} cannot be set: ${NOT_FREE[header]}`
    headers[header] = content
  }
  return headers
}

/** Answers a platform's request. */
type PlatformSide = (request: Request) => Promise<Response>

/** After this time, a request in flight is shown as it is: a behavior may delay it by the sandbox's clock. */
const PATIENCE_MS = 2000
const LOOK_EVERY_MS = 20

/** The id of the new request, once it is answered or held at a gate; undefined if the journal does not have it. */
export async function sendAgain(
  control: Pick<SandboxControl, 'apiKey' | 'requests' | 'held'>,
  platformSide: PlatformSide,
  origin: string,
  { method, target, headers, body }: RepeatedRequest,
): Promise<string | undefined> {
  const [latest] = control.requests({ limit: 1 })
  const mayHaveBody = writes(method)
  const url = new URL(target, origin)
  const sent = new Request(url, {
    method,
    headers: { ...headers, 'x-api-key': control.apiKey },
    // As bytes: a string would be sent as text/plain if no type was chosen.
    ...(mayHaveBody && body !== '' && { body: Buffer.from(body) }),
  })
  let id: string | undefined
  // A fault may break the connection; the journal then has the request's outcome.
  const answered = platformSide(sent)
    .then(async (answer) => {
      id = answer.headers.get('x-sim-request') ?? undefined
      await answer.body?.cancel()
    })
    .catch(() => {})
    .then(() => true)
  const isIt = (request: RequestSummary) =>
    request.method === method && request.target === url.pathname + url.search
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const isOver = await within(LOOK_EVERY_MS, answered, false)
    id ??= control.requests({ ...(latest && { since: latest.id }) }).find(isIt)?.id
    if (isOver || control.held().some(({ request }) => request === id)) break
  }
  return id
}
