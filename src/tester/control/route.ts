/**
 * A verb as a row: what it does, and the route below `/_sim` that runs it, as data: what a request and an answer must look
 * like.
 */
import { z } from 'zod'
import type { ErrorStatus } from '../../spec/contract/errors.ts'
import { idOf, Limit, latestPage, type PageWindow, pageOf } from '../../spec/contract/pages.ts'
import {
  argumentsOf,
  type HttpMethod,
  type MethodNamed,
  type MethodsOf,
  named,
  type Verb,
  type VerbName,
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

/** `Target`: the object whose method it calls, the simulator or one of its sandboxes. */
export interface ControlRoute<Target> {
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
  run(target: Target, input: ControlInput): unknown
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

interface Route<Target, Body, Query, Answer> extends Description<Body, Query, Answer> {
  run(
    target: Target,
    input: Pick<ControlInput, 'params' | 'header' | 'parts'> & { body: Wire<Body>; query: Read<Query> },
  ): Given<Answer> | Promise<Given<Answer>>
}

/** Makes routes whose `run` does more or less than one method of the target. */
export const routesOf =
  <Target>() =>
  <Body extends Schema = undefined, Query extends QuerySchema = undefined, Answer extends Schema = undefined>(
    { method, path }: Verb,
    { refusals = [], status, ...description }: Route<Target, Body, Query, Answer> & { readonly id: string },
  ): ControlRoute<Target> =>
    ({
      ...description,
      method,
      path: path.replaceAll('?}', '}'),
      status: status ?? (description.answer || description.gives ? 200 : 204),
      refusals,
    }) as unknown as ControlRoute<Target>

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

type AnyMethod = (...args: never[]) => unknown

/** The function of a verb: the method's arguments, after the object that it acts on. */
type Does<Acting, Method extends AnyMethod> = (
  acting: Acting,
  ...args: Parameters<Method>
) => ReturnType<Method>

/** `Name` is undefined where a request does more than one method; `route` where a method has no request of its own. */
export interface VerbRow<Name extends string | undefined, Target> {
  readonly name: Name
  readonly does?: Does<never, AnyMethod>
  readonly route?: ControlRoute<Target>
}

/**
 * The rows of a complete table. If a verb has no row, the type is an object that names this verb, so the
 * caller does not compile.
 */
export const everyVerb =
  <Verbs>() =>
  <Name extends VerbName<Verbs> | undefined, Target>(rows: readonly VerbRow<Name, Target>[]) =>
    rows as [Exclude<VerbName<Verbs>, Name>] extends [never]
      ? readonly VerbRow<Name, Target>[]
      : { withoutRow: Exclude<VerbName<Verbs>, Name> }

/** The object whose methods the rows are. */
export function methodsOf<Verbs, Acting>(
  rows: readonly VerbRow<string | undefined, never>[],
  acting: Acting,
): MethodsOf<Verbs> {
  const methods: Record<string, unknown> = {}
  for (const { name, does } of rows) {
    if (name === undefined) continue
    const groups = name.split('.')
    const last = groups.pop()!
    let inner = methods
    for (const group of groups) {
      inner[group] ??= {}
      inner = inner[group] as typeof methods
    }
    inner[last] = (...args: unknown[]) => (does as Does<Acting, AnyMethod>)(acting, ...(args as never[]))
  }
  return methods as MethodsOf<Verbs>
}

/** Makes the rows of a table of verbs. `Target` is the object that has all methods, `Acting` what a verb acts on. */
export const verbRowsOf = <Verbs extends object, Target extends MethodsOf<Verbs>, Acting>(verbs: Verbs) => {
  type Method<Name> = MethodNamed<MethodsOf<Verbs>, Name>
  const routeOf = routesOf<Target>()
  const verbNamed = (name: string) => named(verbs, name) as Verb

  return {
    /**
     * A verb whose request calls the method directly. `answer` is the schema of one item if the verb answers
     * with a list or a page.
     */
    method<
      Name extends VerbName<Verbs>,
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      name: Name,
      {
        does,
        query,
        answer,
        ...description
      }: Description<Body, Query, Answer> & {
        readonly body?: BodyFits<Method<Name>, Body>
        readonly answer?: AnswerFits<Method<Name>, Answer>
        does: Does<Acting, Method<Name>>
      },
    ): VerbRow<Name, Target> {
      const verb = verbNamed(name)
      const call = (target: object, input: ControlInput) =>
        (named(target, name) as (...args: unknown[]) => unknown)(...argumentsOf(verb, input))
      const { schema, run } = asAnswered(verb, answer as z.ZodType, call)
      const route = routeOf<Schema, QuerySchema, Schema>(verb, {
        id: name,
        ...description,
        query: verb.answers === 'page' ? z.strictObject({ ...query?.shape, ...historyParameters }) : query,
        answer: schema,
        run,
      } as Parameters<typeof routeOf<Schema, QuerySchema, Schema>>[1])
      return { name, does, route }
    },

    /** A verb whose request differs from its method: `run` handles the request. */
    adapted<
      Name extends VerbName<Verbs>,
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      name: Name,
      { does, ...description }: Route<Target, Body, Query, Answer> & { does: Does<Acting, Method<Name>> },
    ): VerbRow<Name, Target> {
      return {
        name,
        does,
        route: routeOf(verbNamed(name), {
          id: name,
          ...(description as unknown as Route<Target, Body, Query, Answer>),
        }),
      }
    },

    /** A verb whose HTTP request serves other verbs too: the row of another one has it, as `clock.advance` has `clock.set`'s. */
    embedded: <Name extends VerbName<Verbs>>(
      name: Name,
      does: Does<Acting, Method<Name>>,
    ): VerbRow<Name, Target> => ({ name, does }),

    /** A request that is not a method. */
    request: <
      Body extends Schema = undefined,
      Query extends QuerySchema = undefined,
      Answer extends Schema = undefined,
    >(
      verb: Verb,
      description: Route<Target, Body, Query, Answer> & { readonly id: string },
    ): VerbRow<undefined, Target> => ({ name: undefined, route: routeOf(verb, description) }),
  }
}

type Call = (target: object, input: ControlInput) => unknown

function asAnswered({ answers }: Verb, item: z.ZodType, call: Call): { schema: z.ZodType; run: Call } {
  if (answers === 'value' || answers === 'text') return { schema: item, run: call }
  if (answers === 'list') {
    return {
      schema: listOf(item),
      run: async (target, input) => list((await call(target, input)) as unknown[]),
    }
  }
  return {
    schema: pageOf(item),
    run(target, input) {
      const { limit, cursor, ...filter } = input.query as PageWindow
      const read = (window: object) =>
        call(target, { ...input, query: { ...filter, ...window } }) as { id: string }[]
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
