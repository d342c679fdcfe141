/** A route below `/_sim`, as data: its verb, what a request and an answer must look like, and what it runs. */
import { z } from 'zod'
import type { ErrorStatus } from '../../spec/contract/errors.ts'
import { Limit, latestPage, type PageWindow } from '../../spec/contract/pages.ts'
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

/** `Target` is what it acts on: the simulator, or one of its sandboxes. */
export interface ControlRoute<Target> {
  /** The operationId of its OpenAPI operation. */
  readonly id: string
  readonly method: HttpMethod
  /** Below `/_sim`, or below a sandbox. */
  readonly path: string
  readonly summary: string
  /** A body of JSON. */
  readonly body?: z.ZodType
  /** A body of any other kind, by its media type; its bytes are handed on. */
  readonly takes?: string
  /** Its bytes are handed on as they arrive: there may be more than memory holds. */
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
  readonly id: string
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

/** A body is checked and handed on as it was sent, which is how the method's argument is written. */
type Wire<Body> = Body extends z.ZodType ? z.input<Body> : Uint8Array
/** A query is text, so what was read from it is handed on. */
type Read<Query> = Query extends z.ZodType ? z.output<Query> : unknown
type Given<Answer> = Answer extends z.ZodType ? z.input<Answer> | RawAnswer : unknown

type Schema = z.ZodType | undefined
type QuerySchema = z.ZodObject | undefined

/** Makes routes whose `run` does more or less than one method of the target. */
export const routesOf =
  <Target>() =>
  <Body extends Schema = undefined, Query extends QuerySchema = undefined, Answer extends Schema = undefined>(
    { method, path }: Verb,
    {
      refusals = [],
      status,
      ...description
    }: Description<Body, Query, Answer> & {
      run(
        target: Target,
        input: Pick<ControlInput, 'params' | 'header' | 'parts'> & { body: Wire<Body>; query: Read<Query> },
      ): Given<Answer> | Promise<Given<Answer>>
    },
  ): ControlRoute<Target> =>
    ({
      ...description,
      method,
      path: path.replaceAll('?}', '}'),
      status: status ?? (description.answer || description.gives ? 200 : 204),
      refusals,
    }) as unknown as ControlRoute<Target>

type ItemOf<Answer> = Answer extends readonly (infer Item)[] ? Item : Answer
/** `unknown` changes nothing, `never` refuses: the method's type and the schema must be the same. */
type AnswerFits<Method extends (...args: never[]) => unknown, Answer> = Answer extends z.ZodType
  ? [ItemOf<Awaited<ReturnType<Method>>>] extends [z.input<Answer>]
    ? unknown
    : never
  : unknown
type ObjectOf<Args> = Extract<Args, object>
/** The argument that is an object; a method of plain values has them as fields of the body. */
type BodyOf<Args> = [ObjectOf<Args>] extends [never] ? Record<string, Args> : ObjectOf<Args>
type BodyFits<Method extends (...args: never[]) => unknown, Body> = Body extends z.ZodType
  ? [z.input<Body>] extends [BodyOf<Parameters<Method>[number]>]
    ? unknown
    : never
  : unknown

/** Makes routes that run one method; `answer` is the schema of an item where the verb answers with a list or a page. */
export const methodRoutesOf =
  <Verbs extends object>(verbs: Verbs) =>
  <
    Name extends VerbName<Verbs>,
    Body extends Schema = undefined,
    Query extends QuerySchema = undefined,
    Answer extends Schema = undefined,
  >(
    name: Name,
    {
      query,
      answer,
      ...description
    }: Description<Body, Query, Answer> & {
      readonly body?: BodyFits<MethodNamed<MethodsOf<Verbs>, Name>, Body>
      readonly answer?: AnswerFits<MethodNamed<MethodsOf<Verbs>, Name>, Answer>
    },
  ): ControlRoute<MethodsOf<Verbs>> => {
    const verb = named(verbs, name) as Verb
    const call = (target: object, input: ControlInput) =>
      (named(target, name) as (...args: unknown[]) => unknown)(...argumentsOf(verb, input))
    const { schema, run } = asAnswered(verb, answer as z.ZodType, call)
    return routesOf<MethodsOf<Verbs>>()<Schema, QuerySchema, Schema>(verb, {
      ...description,
      query: verb.answers === 'page' ? z.strictObject({ ...query?.shape, ...historyParameters }) : query,
      answer: schema,
      run,
    } as never)
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
    schema: historyPageOf(item),
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

/** What a page has beside its rows. */
export const historyPage = { hasMore: z.boolean(), nextCursor: z.string().nullable() }

export const historyPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), ...historyPage })

export const idOf = ({ id }: { id: string }) => id
