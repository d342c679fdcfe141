/** One thing that a tester can ask over HTTP, as data. Routes, checks and the OpenAPI document are made from it. */
import type { z } from 'zod'
import type { ErrorStatus } from '../contract/errors.ts'
import type { PathParams } from '../operations/operation.ts'

export type ControlMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** An answer that is not JSON. */
export class RawAnswer {
  readonly type: string
  readonly body: string | Uint8Array

  constructor(type: string, body: string | Uint8Array) {
    this.type = type
    this.body = body
  }
}

/** `Target` is whom it is asked of: the simulator, or one of its sandboxes. */
export interface ControlRoute<Target> {
  readonly id: string
  readonly method: ControlMethod
  /** Below `/_sim`, or below a sandbox. */
  readonly path: string
  readonly summary: string
  /** A body of JSON. */
  readonly body?: z.ZodType
  /** A body of any other kind, by its media type; its bytes are handed on. */
  readonly takes?: string
  readonly query?: z.ZodObject
  /** 204 where there is nothing to say. */
  readonly status: 200 | 201 | 204
  readonly answer?: z.ZodType
  /** The media types of an answer that may not be JSON. */
  readonly gives?: readonly string[]
  readonly refusals: readonly ErrorStatus[]
  run(target: Target, input: ControlInput): unknown
}

export interface ControlInput {
  params: Readonly<Record<string, string>>
  query: unknown
  body: unknown
}

/** What the compiler alone knows of a row. Whoever asks it of a server somewhere else is held to it. */
export interface TypedRoute<Verb extends ControlMethod, Path extends string, Body, Query, Answer> {
  readonly known?: {
    address: `${Verb} ${Path}`
    params: PathParams<Path>
    body: Wire<Body>
    query: Query extends z.ZodType ? z.input<Query> : unknown
    answer: Answer extends z.ZodType ? z.input<Answer> : unknown
  }
}

type Definition<Target, Verb extends ControlMethod, Path extends string, Body, Query, Answer> = Omit<
  ControlRoute<Target>,
  'method' | 'path' | 'body' | 'query' | 'answer' | 'status' | 'refusals' | 'run'
> & {
  readonly method: Verb
  readonly path: Path
  readonly body?: Body
  readonly query?: Query
  readonly answer?: Answer
  readonly status?: 200 | 201
  readonly refusals?: readonly ErrorStatus[]
  run(
    target: Target,
    input: { params: PathParams<Path>; body: Wire<Body>; query: Read<Query> },
  ): Given<Answer> | Promise<Given<Answer>>
}

/** A body is checked and handed on as it was sent, as whoever embeds the simulator would write it. */
type Wire<Body> = Body extends z.ZodType ? z.input<Body> : Uint8Array
/** A query is text, so what was read from it is handed on. */
type Read<Query> = Query extends z.ZodType ? z.output<Query> : unknown
type Given<Answer> = Answer extends z.ZodType ? z.input<Answer> | RawAnswer : unknown

export const routesOf =
  <Target>() =>
  <
    Verb extends ControlMethod,
    Path extends string,
    Body extends z.ZodType | undefined = undefined,
    Query extends z.ZodObject | undefined = undefined,
    Answer extends z.ZodType | undefined = undefined,
  >({
    refusals = [],
    status,
    ...definition
  }: Definition<Target, Verb, Path, Body, Query, Answer>): ControlRoute<Target> &
    TypedRoute<Verb, Path, Body, Query, Answer> =>
    ({
      ...definition,
      status: status ?? (definition.answer || definition.gives ? 200 : 204),
      refusals,
    }) as unknown as ControlRoute<Target> & TypedRoute<Verb, Path, Body, Query, Answer>
