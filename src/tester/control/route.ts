/** A verb as a row: its function, and its route below `/_sim` as data, with the schemas of request and response. */
import { z } from 'zod'
import type { ErrorStatus } from '../../spec/contract/errors.ts'
import { idOf, Limit, latestPage, type PageWindow, pageOf } from '../../spec/contract/pages.ts'
import {
  type AddressDetails,
  type AnyMethod,
  argumentsOf,
  type HttpMethod,
  isVerb,
  type MethodAndPath,
  type MethodsOf,
  type Verb,
  verbAt,
} from './verb.ts'

/** A response that is not JSON. */
export class RawAnswer {
  readonly type: string
  readonly body: string

  constructor(type: string, body: string) {
    this.type = type
    this.body = body
  }
}

/** `Target`: what its verb works on, the parts of a sandbox or the simulator. */
export interface ControlRoute<Target> {
  /** The operationId of its OpenAPI operation; default: the verb's name. The MCP tool's name has `_` for each dot. */
  readonly id: string
  readonly method: HttpMethod
  /** Below `/_sim`, or below a sandbox. */
  readonly path: string
  readonly summary: string
  /** A JSON body. */
  readonly body?: z.ZodType
  /** The media type of a body that is not JSON; `run` gets its bytes. */
  readonly takes?: string
  readonly query?: z.ZodObject
  /** 204 if there is no response body. */
  readonly status: 200 | 201 | 204
  readonly answer?: z.ZodType
  /** The media types of a response that may not be JSON. */
  readonly gives?: readonly string[]
  readonly refusals: readonly ErrorStatus[]
  run(target: Target, input: ControlInput): unknown
}

interface ControlInput {
  header(name: string): string | undefined
  params: Readonly<Record<string, string>>
  query: unknown
  body: unknown
}

/** A verb's texts for people. */
export interface VerbTexts {
  readonly summary: string
  /** Further details, which only editors show. */
  readonly more?: string
}

export type VerbDescription<Body, Query, Answer> = VerbTexts &
  Partial<Pick<ControlRoute<never>, 'id' | 'takes' | 'status' | 'gives' | 'refusals'>> & {
    readonly body?: Body
    readonly query?: Query
    readonly answer?: Answer
  }

/** After the check, `run` gets the body as sent, because the method's argument has this form. */
type Wire<Body> = Body extends z.ZodType ? z.input<Body> : Uint8Array
/** `run` gets the parsed values of a query, which is text. */
type Read<Query> = Query extends z.ZodType ? z.output<Query> : unknown
type Given<Answer> = Answer extends z.ZodType ? z.input<Answer> | RawAnswer : unknown

type Schema = z.ZodType | undefined
type QuerySchema = z.ZodObject | undefined

export interface VerbRoute<Target, Body, Query, Answer> extends VerbDescription<Body, Query, Answer> {
  run(
    target: Target,
    input: Pick<ControlInput, 'params' | 'header'> & { body: Wire<Body>; query: Read<Query> },
  ): Given<Answer> | Promise<Given<Answer>>
}

/** A route without an id gets the name of its verb, by {@link routesIn}. */
type UnnamedRoute<Target> = Omit<ControlRoute<Target>, 'id'> & { readonly id?: string | undefined }

/** `row` is a route with any schemas. */
function routeAt<Target>({ method, path }: Verb, row: object): UnnamedRoute<Target> {
  const written = row as VerbRoute<Target, Schema, QuerySchema, Schema>
  const { answer, gives, status = answer || gives ? 200 : 204, refusals = [] } = written
  return { ...written, method, path: path.replaceAll('?}', '}'), status, refusals } as UnnamedRoute<Target>
}

/** The function of a verb: the method's arguments, after the target. */
type Does<Target, Method extends AnyMethod> = (
  target: Target,
  ...args: Parameters<Method>
) => ReturnType<Method>

/** A verb's row in the table, besides its address. */
interface Row {
  /** The method's description, for editors; `summary` is its first sentence. */
  readonly comment: string
  /** Undefined for a verb without a method in this process. */
  does?: { call(target: unknown, ...args: unknown[]): unknown }['call'] | undefined
  /** Undefined if the route of another verb, or a route alone, answers. */
  readonly route?: UnnamedRoute<never>
}

const ROW = Symbol('row')

const withRow = <Method extends AnyMethod>(
  verb: Verb<Method>,
  { summary, more }: VerbTexts,
  row: Omit<Row, 'comment'>,
): Verb<Method> =>
  Object.assign(verb, { [ROW]: { comment: `${summary}.${more ? ` ${more}.` : ''}`, ...row } })

/** Without `run`, the request calls the function directly, and `answer` is the schema of one item of a list or a page. */
type Direct<Target, Method extends AnyMethod> = {
  readonly run?: undefined
  does: Does<Target, Method>
}

/** A verb whose request differs from its method, which the object in this process may lack. */
type Adapted<Target, Method extends AnyMethod, Body, Query, Answer> = Pick<
  VerbRoute<Target, Body, Query, Answer>,
  'run'
> & { does?: Does<Target, Method> }

/**
 * The functions that create rows. The first call of `verb` takes the method's type, the second infers the schemas' types:
 * TypeScript cannot do both in one call.
 */
export const verbsOf = <Target>() => ({
  verb:
    <Method extends AnyMethod>() =>
    <
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      address: MethodAndPath,
      row: AddressDetails &
        VerbDescription<Body, Query, Answer> &
        (Direct<Target, Method> | Adapted<Target, Method, Body, Query, Answer>),
    ): Verb<Method> => {
      const verb = verbAt<Method>(address, row)
      const { does, run, answer, query }: RowParts<Target, Method> = row
      if (run) return withRow(verb, row, { does, route: routeAt(verb, row) })
      const call = (target: Target, input: ControlInput) =>
        does!(target, ...(argumentsOf(verb, input) as Parameters<Method>))
      const route = routeAt(verb, { ...row, ...asAnswered(verb, query, answer, call) })
      return withRow(verb, row, { does, route })
    },

  /** A verb whose request is answered by another verb's route, or by one of `routeOnly`. */
  methodOnly:
    <Method extends AnyMethod>() =>
    (address: MethodAndPath, { does, ...row }: AddressDetails & VerbTexts & { does: Does<Target, Method> }) =>
      withRow(verbAt<Method>(address, row), row, { does }),

  /** A request that is not a method. */
  routeOnly: <
    Body extends Schema = undefined,
    Query extends QuerySchema = undefined,
    Answer extends Schema = undefined,
  >(
    address: MethodAndPath,
    row: VerbRoute<Target, Body, Query, Answer> & { readonly id: string },
  ): ControlRoute<Target> => routeAt(verbAt(address), row) as ControlRoute<Target>,
})

interface RowParts<Target, Method extends AnyMethod> extends VerbDescription<Schema, QuerySchema, Schema> {
  does?: Does<Target, Method>
  run?: unknown
}

const rowOf = (verb: Verb): Row | undefined => (verb as { [ROW]?: Row })[ROW]

/** Each verb of a table with its dotted name and its row. */
function rowsIn(verbs: object, group = ''): { name: string; row: Row }[] {
  return Object.entries(verbs).flatMap(([key, entry]: [string, object]) => {
    const name = group + key
    if (!isVerb(entry)) return rowsIn(entry, `${name}.`)
    const row = rowOf(entry)
    return row ? { name, row } : []
  })
}

export const commentsIn = (verbs: object): ReadonlyMap<string, string> =>
  new Map(rowsIn(verbs).map(({ name, row }) => [name, row.comment]))

export const routesIn = <Target>(verbs: object): ControlRoute<Target>[] =>
  rowsIn(verbs).flatMap(({ name, row: { route } }) =>
    route ? ({ ...route, id: route.id ?? name } as ControlRoute<Target>) : [],
  )

/** The object with the verbs as methods. */
export const methodsOf = <Verbs extends object, Target>(verbs: Verbs, target: Target): MethodsOf<Verbs> =>
  Object.fromEntries(
    Object.entries(verbs).map(([name, entry]) => [
      name,
      isVerb(entry) ? (...args: unknown[]) => rowOf(entry)!.does!(target, ...args) : methodsOf(entry, target),
    ]),
  ) as MethodsOf<Verbs>

/** The same table with only the addresses, for JSON. */
export const addressesIn = <Verbs extends object>(verbs: Verbs): Verbs => JSON.parse(JSON.stringify(verbs))

function asAnswered<Target>(
  { answers }: Verb,
  query: QuerySchema,
  item: z.ZodType | undefined,
  call: (target: Target, input: ControlInput) => unknown,
) {
  if (answers === 'value' || answers === 'text') return { query, answer: item, run: call }
  if (answers === 'list') {
    return {
      query,
      answer: listOf(item!),
      run: async (target: Target, input: ControlInput) => list((await call(target, input)) as unknown[]),
    }
  }
  return {
    query: z.strictObject({ ...query?.shape, ...historyParameters }),
    answer: pageOf(item!),
    run(target: Target, input: ControlInput) {
      const { limit, cursor, ...filter } = input.query as PageWindow
      const read = (window: object) =>
        call(target, { ...input, query: { ...filter, ...window } }) as { id: string }[]
      return latestPage({ limit, cursor }, read, idOf)
    },
  }
}

export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) })
export const list = <Item>(data: readonly Item[]) => ({ data: [...data] })

// Pages: the latest page first, and chronological order within a page

export const historyParameters = {
  limit: Limit,
  cursor: z.string().optional().describe('nextCursor of the page before: what came earlier'),
}
