/**
 * A verb: a method of a tester's object, and the equivalent request below `/_sim`. The client turns arguments into requests, the
 * server requests into arguments, both by the same data. No imports, because `paysim/control` has to stay small.
 */

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Where an argument goes: in the path, as the whole body, as a field of the body, or as the query. */
type ArgumentPlace = `{${string}}` | 'body' | `body.${string}` | 'query'

export type AnyMethod = (...args: never[]) => unknown

/**
 * A verb without its function: how the method's arguments become a request, and the response the method's result. Data only, so
 * that it can be JSON.
 */
export interface Verb<Method extends AnyMethod = AnyMethod> {
  readonly method: HttpMethod
  /** A segment such as `{id?}` is omitted with its argument. */
  readonly path: string
  /** One place for each argument, in the order of the method's. */
  readonly args: readonly ArgumentPlace[]
  /** Fields that every request of this verb has. */
  readonly always: { readonly body?: object; readonly query?: object }
  /**
   * A list is returned as `{ data }`; a page has a cursor too, and the method returns all pages as one list. Text is not parsed.
   */
  readonly answers: 'value' | 'text' | 'list' | 'page'
  /** The field with a page's rows; if it is not `data`, the method's result has the other fields too. */
  readonly pages: string
  /** Which of {@link READINGS} turns the body into the method's result; default: the body itself. */
  readonly read?: keyof typeof READINGS | undefined
  /** Never set: it only carries the method's type. */
  readonly signature?: Method
}

const READINGS = {
  time: (body: unknown) => Date.parse((body as { now: string }).now),
  clock(body: unknown) {
    const { now, frozen } = body as { now: string; frozen: boolean }
    return { now, frozen }
  },
  happened: (body: unknown) => (body as { happened: unknown[] }).happened,
  text: (body: unknown) => (body as string).replace(/\n$/, ''),
  nothing: (_body: unknown) => undefined,
}

export const isVerb = (entry: object): entry is Verb => 'path' in entry

/** The first word of its path, such as `clock`. */
export const firstWord = ({ path }: { path: string }): string => path.split('/')[1] ?? ''

export const answerIn = ({ read }: Verb, body: unknown): unknown => (read ? READINGS[read](body) : body)

/** Such as `GET /clock`. */
export type MethodAndPath = `${HttpMethod} ${'/' | ''}${string}`
/** The details besides method and path. */
export type AddressDetails = Partial<Pick<Verb, 'args' | 'always' | 'answers' | 'pages' | 'read'>>

/** Default of `args`: the names in the path, then the query of a GET or the body of the others. */
export function verbAt<Method extends AnyMethod>(
  address: MethodAndPath,
  { args, always = {}, answers = 'value', pages = 'data', read }: AddressDetails = {},
): Verb<Method> {
  const [method, path] = address.split(' ') as [HttpMethod, string]
  const inPath = path.match(/\{\w+\??\}/g) ?? []
  const places = [...inPath, method === 'GET' ? 'query' : 'body'] as ArgumentPlace[]
  return { method, path, args: args ?? places, always, answers, pages, read }
}

/** The methods described by a table of verbs. The build writes the summaries of the rows as their comments. */
export type MethodsOf<Verbs> = {
  readonly [Name in keyof Verbs]: Verbs[Name] extends Verb<infer Method> ? Method : MethodsOf<Verbs[Name]>
}

/** Such as `buyer.approve`. */
export type VerbName<Verbs> = {
  [Name in keyof Verbs & string]: Verbs[Name] extends Verb ? Name : `${Name}.${VerbName<Verbs[Name]>}`
}[keyof Verbs & string]

/** Looks a dotted name up in a table of verbs. */
export const named = (object: object, name: string): unknown =>
  name.split('.').reduce<unknown>((inner, part) => Reflect.get(inner as object, part), object)

export interface VerbRequest {
  method: HttpMethod
  /** The path below the sandbox's or the simulator's path, with its query. */
  path: string
  body?: unknown
}

export function verbRequest({ method, path, args, always }: Verb, ...values: unknown[]): VerbRequest {
  const given = new Map(args.map((place, index) => [place as string, values[index]]))
  const filled = path.replaceAll(/\/(\{\w+(\?)?\})/g, (_, place, optional) => {
    const value = given.get(place)
    return value === undefined && optional ? '' : `/${encodeURIComponent(String(value))}`
  })
  const query = queryText({ ...always.query, ...(given.get('query') as object) })
  const fields = [...given].flatMap(([place, value]) =>
    place.startsWith('body.') ? [[place.slice('body.'.length), value]] : [],
  )
  const composed = fields.length > 0 ? Object.fromEntries(fields) : always.body
  return { method, path: query === '' ? filled : `${filled}?${query}`, body: given.get('body') ?? composed }
}

interface VerbInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

export const argumentsOf = ({ args }: Verb, { params, query, body }: VerbInput): unknown[] =>
  args.map((place) => {
    if (place === 'body') return body
    if (place === 'query') return query
    if (place.startsWith('{')) return params[place.replaceAll(/[{?}]/g, '')]
    return Reflect.get(body as object, place.slice('body.'.length))
  })

function queryText(query: object): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) written.set(name, textOf(name, value))
  }
  return written.toString()
}

/** A number in a query has no unit, so it is neither a duration nor a time. */
function textOf(name: string, value: unknown): string {
  if (name === 'within' && typeof value === 'number') return `${value}ms`
  if (['since', 'until'].includes(name) && typeof value === 'number') return new Date(value).toISOString()
  if (name === 'ignore' && Array.isArray(value)) return value.join(';')
  if (name === 'ignore' && typeof value === 'object')
    return Object.entries(value as object)
      .map(([rule, reason]) => `${rule}=${reason}`)
      .join(';')
  return value instanceof Date ? value.toISOString() : String(value)
}
