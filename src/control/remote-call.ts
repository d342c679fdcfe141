/**
 * Asks a row of a simulator somewhere else. Its address, what it takes and what it answers are read off the rows by the
 * compiler alone: nothing of the server is loaded, and an address that is no row's does not compile.
 */
import { ApiError, type ErrorStatus } from '../contract/api-error.ts'
import type { SANDBOX_ROUTES, SIMULATOR_ROUTES } from './routes.ts'

type Known<Rows extends readonly { known?: unknown }[]> = NonNullable<Rows[number]['known']>
export type SimulatorRoute = Known<typeof SIMULATOR_ROUTES>
export type SandboxRoute = Known<typeof SANDBOX_ROUTES>

interface AnyRow {
  /** Such as `POST /clock`. */
  address: string
  params: unknown
  body: unknown
  query: unknown
  answer: unknown
}

type At<Row extends AnyRow, Address> = Extract<Row, { address: Address }>

type Asked<Row extends AnyRow> = Partial<Pick<Row, 'body' | 'query'>> &
  (unknown extends Row['params'] ? unknown : Pick<Row, 'params'>)

export type RemoteCall<Row extends AnyRow> = <Address extends Row['address']>(
  address: Address,
  ...asked: unknown extends At<Row, Address>['params']
    ? [Asked<At<Row, Address>>?]
    : [Asked<At<Row, Address>>]
) => Promise<At<Row, Address>['answer']>

/** `base` is where the paths of the rows begin. */
export const remoteCaller =
  <Row extends AnyRow>(base: string, headers: Record<string, string>): RemoteCall<Row> =>
  async (address, asked: Partial<Pick<AnyRow, 'params' | 'body' | 'query'>> = {}) => {
    const [method, path] = address.split(' ') as [string, string]
    const url = new URL(base + filled(path, asked.params as Record<string, string>))
    for (const [name, value] of Object.entries(asked.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const response = await fetch(url, { method, headers, ...contentOf(asked.body) }).catch((cause) => {
      throw new Error(`No paysim answers at ${url.origin}`, { cause })
    })
    if (!response.ok) throw await refusal(response)
    return answerOf(response)
  }

const filled = (path: string, params: Record<string, string> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!))

function contentOf(body: unknown): RequestInit {
  if (body === undefined) return {}
  return { body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  if (isJson(response)) return response.json()
  const isText = response.headers.get('content-type')?.startsWith('text/')
  return isText ? response.text() : new Uint8Array(await response.arrayBuffer())
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') ?? false

/** The error that embedding would throw. What stands in between may answer too, and with anything. */
async function refusal(response: Response): Promise<ApiError> {
  const status = response.status as ErrorStatus
  if (!isJson(response)) return new ApiError(status, `${response.url} answered ${status}`)
  const { error: _, message, ...details } = (await response.json()) as Record<string, unknown>
  return new ApiError(status, String(message), { details })
}
