/**
 * A verb as a row: what it does, and the route below `/_sim` that runs it, as data: what a request and an answer must look
 * like.
 */
import { z } from 'zod'
import type { ErrorStatus } from '../../spec/contract/errors.ts'
import { idOf, Limit, latestPage, type PageWindow, pageOf } from '../../spec/contract/pages.ts'
import {
  type AddressDetails,
  type AnyMethod,
  argumentsOf,
  type HttpMethod,
  isVerb,
  type MethodsOf,
  type Verb,
  type VerbAddress,
  verbAt,
} from './verb.ts'

/** An answer that is not JSON. */
export class RawAnswer {
  readonly type: string
  readonly body: string | Uint8Array | ReadableStream<Uint8Array>

  constructor(type: string, body: string | Uint8Array | ReadableStream<Uint8Array>) {
    this.type = type
    this.body = body
  }
}

/** `Acting`: what it acts on, the parts of a sandbox or the simulator. */
export interface ControlRoute<Acting> {
  /** The operationId of its OpenAPI operation. */
  readonly id: string
  readonly method: HttpMethod
  /** Below `/_sim`, or below a sandbox. */
  readonly path: string
  readonly summary: string
  /** A body of JSON. */
  readonly body?: z.ZodType
  /** The media type of a body that is not JSON; `run` gets its bytes. */
  readonly takes?: string
  /** `run` gets the bytes as they arrive: a snapshot may be larger than memory. */
  readonly inParts?: boolean
  readonly query?: z.ZodObject
  /** 204 where there is no answer. */
  readonly status: 200 | 201 | 204
  readonly answer?: z.ZodType
  /** The media types of an answer that may not be JSON. */
  readonly gives?: readonly string[]
  readonly refusals: readonly ErrorStatus[]
  run(acting: Acting, input: ControlInput): unknown
}

export interface ControlInput {
  header(name: string): string | undefined
  params: Readonly<Record<string, string>>
  query: unknown
  body: unknown
  /** The body as it arrives, where the route takes it in parts. */
  parts: AsyncIterable<Uint8Array>
}

interface Description<Body, Query, Answer> {
  /** Left out, the verb's name. The tool of MCP has it with `_` for each dot. */
  readonly id?: string
  readonly summary: string
  readonly body?: Body
  readonly takes?: string
  readonly inParts?: boolean
  readonly query?: Query
  readonly status?: 200 | 201
  readonly answer?: Answer
  readonly gives?: readonly string[]
  readonly refusals?: readonly ErrorStatus[]
}

/** `run` gets a body as it was sent, after the check: the method's argument is written in this form. */
type Wire<Body> = Body extends z.ZodType ? z.input<Body> : Uint8Array
/** `run` gets the values that the schema read: a query is text. */
type Read<Query> = Query extends z.ZodType ? z.output<Query> : unknown
type Given<Answer> = Answer extends z.ZodType ? z.input<Answer> | RawAnswer : unknown

type Schema = z.ZodType | undefined
type QuerySchema = z.ZodObject | undefined

interface Route<Acting, Body, Query, Answer> extends Description<Body, Query, Answer> {
  run(
    acting: Acting,
    input: Pick<ControlInput, 'params' | 'header' | 'parts'> & { body: Wire<Body>; query: Read<Query> },
  ): Given<Answer> | Promise<Given<Answer>>
}

type AnyRoute<Acting> = Route<Acting, Schema, QuerySchema, Schema>

/** Without an `id`, the name of its verb is to be set. */
function routeAt<Acting>({ method, path }: Verb, row: AnyRoute<Acting>): ControlRoute<Acting> {
  const { id = '', summary, body, takes, inParts, query, answer, gives, refusals = [], run } = row
  const status = row.status ?? (answer || gives ? 200 : 204)
  const route = { id, method, path: path.replaceAll('?}', '}'), summary, status, refusals, run }
  return { ...route, body, takes, inParts, query, answer, gives } as ControlRoute<Acting>
}

type ItemOf<Answer> = Answer extends readonly (infer Item)[] ? Item : Answer
/**
 * Compares a method's answer with its schema. Intersected with the schema's type, `unknown` changes nothing,
 * and `never` makes a wrong schema a compile error.
 */
type AnswerFits<Method extends (...args: never[]) => unknown, Answer> = Answer extends z.ZodType
  ? [ItemOf<Awaited<ReturnType<Method>>>] extends [z.input<Answer>]
    ? unknown
    : never
  : unknown
type ObjectOf<Args> = Extract<Args, object>
/**
 * The type of a request's body: the method's argument that is an object. A method of plain values has them as
 * fields.
 */
type BodyOf<Args> = [ObjectOf<Args>] extends [never] ? Record<string, Args> : ObjectOf<Args>
type BodyFits<Method extends (...args: never[]) => unknown, Body> = Body extends z.ZodType
  ? [z.input<Body>] extends [BodyOf<Parameters<Method>[number]>]
    ? unknown
    : never
  : unknown

/** The function of a verb: the method's arguments, after the object that it acts on. */
type Does<Acting, Method extends AnyMethod> = (
  acting: Acting,
  ...args: Parameters<Method>
) => ReturnType<Method>

/** What a table has of a verb, beside its address. */
interface Row {
  /** What the method does, for editors; `summary` is its first sentence. */
  readonly comment: string
  readonly does?: Does<never, AnyMethod>
  /** Undefined where the route of another verb, or a route alone, answers. */
  readonly route?: ControlRoute<never>
}

const ROW = Symbol('row')

/** `more`, for editors: what a method does beside what its summary says. */
interface Told {
  readonly summary: string
  readonly more?: string
}

const withRow = <Method extends AnyMethod>(
  verb: Verb<Method>,
  { summary, more }: Told,
  row: Omit<Row, 'comment'>,
): Verb<Method> =>
  Object.assign(verb, { [ROW]: { comment: `${summary}.${more ? ` ${more}.` : ''}`, ...row } })

type AdaptedRow<Acting, Body, Query, Answer> = AddressDetails & Told & Route<Acting, Body, Query, Answer>

/** What makes the rows of verbs that act on `Acting`. Most are called twice: a method's type is given, those of schemas are found. */
export const verbsOf = <Acting>() => ({
  /**
   * A verb whose request calls its function directly. `answer` is the schema of one item if the verb answers
   * with a list or a page.
   */
  verb:
    <Method extends AnyMethod>() =>
    <
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      address: VerbAddress,
      {
        does,
        ...row
      }: AddressDetails &
        Told &
        Description<Body, Query, Answer> & {
          readonly body?: BodyFits<Method, Body>
          readonly answer?: AnswerFits<Method, Answer>
          does: Does<Acting, Method>
        },
    ): Verb<Method> => {
      const verb = verbAt<Method>(address, row)
      const { answer, query, ...others } = row as unknown as Told &
        Description<Schema, QuerySchema, z.ZodType>
      const call = (acting: Acting, input: ControlInput) =>
        does(acting, ...(argumentsOf(verb, input) as Parameters<Method>))
      const route = routeAt(verb, { ...others, ...asAnswered(verb, query, answer, call) })
      return withRow(verb, row, { does, route })
    },

  /** A verb whose request differs from its method: `run` handles the request. */
  adapted:
    <Method extends AnyMethod>() =>
    <
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      address: VerbAddress,
      { does, ...row }: AdaptedRow<Acting, Body, Query, Answer> & { does: Does<Acting, Method> },
    ): Verb<Method> => {
      const verb = verbAt<Method>(address, row)
      return withRow(verb, row, { does, route: routeAt(verb, row as unknown as AnyRoute<Acting>) })
    },

  /** The same where only a client in another process has the method. */
  remoteOnly:
    <Method extends AnyMethod>() =>
    <
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      address: VerbAddress,
      row: AdaptedRow<Acting, Body, Query, Answer>,
    ): Verb<Method> => {
      const verb = verbAt<Method>(address, row)
      return withRow(verb, row, { route: routeAt(verb, row as unknown as AnyRoute<Acting>) })
    },

  /** A verb whose request is answered by the route of another one, or by one of `routeOnly`. */
  methodOnly:
    <Method extends AnyMethod>() =>
    (address: VerbAddress, { does, ...row }: AddressDetails & Told & { does: Does<Acting, Method> }) =>
      withRow(verbAt<Method>(address, row), row, { does }),

  /** A request that is not a method. */
  routeOnly: <
    Body extends Schema = undefined,
    Query extends QuerySchema = undefined,
    Answer extends Schema = undefined,
  >(
    address: VerbAddress,
    row: Route<Acting, Body, Query, Answer> & { readonly id: string },
  ): ControlRoute<Acting> => routeAt(verbAt(address), row as unknown as AnyRoute<Acting>),
})

/** Each verb of a table with its dotted name and its row, which an address alone has not. */
function rowsIn(verbs: object, group = ''): { name: string; row: Row }[] {
  return Object.entries(verbs).flatMap(([key, one]: [string, object]) => {
    const name = group + key
    if (!isVerb(one)) return rowsIn(one, `${name}.`)
    return ROW in one ? { name, row: one[ROW] as Row } : []
  })
}

export const commentsIn = (verbs: object): ReadonlyMap<string, string> =>
  new Map(rowsIn(verbs).map(({ name, row }) => [name, row.comment]))

/** `Acting` is what the verbs of the table were made for. */
export const routesIn = <Acting>(verbs: object): ControlRoute<Acting>[] =>
  rowsIn(verbs).flatMap(({ name, row: { route } }) =>
    route ? { ...(route as unknown as ControlRoute<Acting>), id: route.id || name } : [],
  )

/** Of its path: what it is about. */
export const firstWord = ({ path }: { path: string }): string => path.split('/')[1] ?? ''

/** The object whose methods the verbs are. */
export const methodsOf = <Verbs extends object, Acting>(verbs: Verbs, acting: Acting): MethodsOf<Verbs> =>
  Object.fromEntries(
    Object.entries(verbs).map(([name, one]) => [
      name,
      isVerb(one) ? methodOf(one as unknown as { [ROW]: Row }, acting) : methodsOf(one, acting),
    ]),
  ) as MethodsOf<Verbs>

const methodOf =
  <Acting>({ [ROW]: { does } }: { [ROW]: Row }, acting: Acting) =>
  (...args: unknown[]) =>
    (does as Does<Acting, AnyMethod>)(acting, ...(args as never[]))

/** The same table with the addresses alone, for JSON. */
export const addressesIn = <Verbs extends object>(verbs: Verbs): Verbs => JSON.parse(JSON.stringify(verbs))

type Call<Acting> = (acting: Acting, input: ControlInput) => unknown

function asAnswered<Acting>(
  { answers }: Verb,
  query: QuerySchema,
  item: z.ZodType | undefined,
  call: Call<Acting>,
) {
  if (answers === 'value' || answers === 'text') return { query, answer: item, run: call }
  if (answers === 'list') {
    return {
      query,
      answer: listOf(item!),
      run: async (acting: Acting, input: ControlInput) => list((await call(acting, input)) as unknown[]),
    }
  }
  return {
    query: z.strictObject({ ...query?.shape, ...historyParameters }),
    answer: pageOf(item!),
    run(acting: Acting, input: ControlInput) {
      const { limit, cursor, ...filter } = input.query as PageWindow
      const read = (window: object) =>
        call(acting, { ...input, query: { ...filter, ...window } }) as { id: string }[]
      return latestPage({ limit, cursor }, read, idOf)
    },
  }
}

export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) })
export const list = <Item>(data: readonly Item[]) => ({ data: [...data] })

// Pages: the latest first page, and within a page the order in which things happened

export const historyParameters = {
  limit: Limit,
  cursor: z.string().optional().meta({ description: 'nextCursor of the page before: what came earlier' }),
}
