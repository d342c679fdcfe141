/**
 * §4: the operations of /v1 as data. Routes, request and response checks, the OpenAPI document and the tables in the docs are
 * derived from these rows.
 */
import type { z } from 'zod'
import { answerOf, type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import {
  ENDPOINTS,
  isCreation,
  isWriting,
  locationOf,
  type MethodOf,
  methodOf,
  type OperationId,
  type PathOf,
  usualPathOf,
} from '../../spec/contract/endpoints.ts'
import type { ErrorStatus } from '../../spec/contract/errors.ts'
import { wordsOf } from '../../spec/contract/texts.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import type { Unit } from './unit.ts'

/** The names in a path's braces: `id` for `/v1/checkouts/{id}`. */
type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParams<Rest>
  : unknown

interface OperationDefinition<Id extends OperationId, Body extends z.ZodType, Query extends z.ZodType> {
  /** The operation's name in the table of endpoints, which has its description and response. */
  readonly id: Id
  readonly body?: Body
  readonly query?: Query
  readonly run: (
    unit: Unit,
    input: { params: PathParams<PathOf<Id>>; body: z.output<Body>; query: z.output<Query> },
  ) => unknown
}

/** The door runs an operation, or a stub for a path that the service lacks; a stub has no `id`. */
export interface Answering {
  readonly id: OperationId | null
  readonly method: string
  readonly path: string
  /** The name in the path that holds the id of the operation's resource. */
  readonly subject: string | undefined
  readonly writes: boolean
  /** §4: every operation that writes honors an Idempotency-Key; of stubs, those of a POST. */
  readonly honorsKey: boolean
  readonly body: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  /** The query parameters that are maps of texts, such as `metadata` in `?metadata[color]=red`. */
  readonly maps: readonly string[]
  /** Reads a request in the profile's words; undefined if the profile renames nothing. */
  readonly reads?: {
    body(theirs: JsonObject): JsonObject
    parameter(theirs: readonly [name: string, value: string]): [name: string, value: string]
  }
  /** Runs the operation and writes its response as JSON. Throws if the response does not match the schema. */
  readonly perform: (unit: Unit, input: Input) => Performed
}

/** An operation without its input and response types. */
export interface Operation<Id extends OperationId = OperationId> extends Answering {
  readonly id: Id
  readonly summary: string
  readonly method: MethodOf<OperationId>
  readonly status: 200 | 201
  readonly answer: z.ZodType
  readonly refusals: readonly ErrorStatus[]
  readonly run: (unit: Unit, input: Input) => unknown
}

/** Every status that the operation can return: its own, and those of any request of its kind (D20). */
export function statusesOf({ writes, honorsKey, query, status, refusals }: Operation): number[] {
  const forInput = writes ? [400, 413, 415] : query ? [400] : []
  const forKey = honorsKey ? [409, 422] : []
  const forDisk = writes ? [503] : []
  return [...new Set([status, ...refusals, 401, 429, 500, ...forInput, ...forKey, ...forDisk])].sort(
    (a, b) => a - b,
  )
}

export interface Input {
  params: Readonly<Record<string, string>>
  body: unknown
  query: unknown
}

export interface Performed {
  status: number
  body: string
  location: string | null
}

export function operation<
  Id extends OperationId,
  Body extends z.ZodType = z.ZodUnknown,
  Query extends z.ZodType = z.ZodUnknown,
>({ run, ...definition }: OperationDefinition<Id, Body, Query>): Operation<Id> {
  const { id, body, query } = definition
  const { summary, refusals } = ENDPOINTS[id]
  const writes = isWriting(id)
  return underContract(
    {
      id,
      summary,
      refusals,
      method: methodOf(id),
      subject: wordsOf(usualPathOf(id)).at(-1),
      writes,
      honorsKey: writes,
      body,
      query,
      answer: answerOf(id),
      run: run as Operation['run'],
    },
    DEFAULT_CONTRACT,
  )
}

/** An operation with the values of a contract. */
export function underContract<Id extends OperationId>(
  operation: Omit<Operation<Id>, 'path' | 'status' | 'perform' | 'reads' | 'maps'>,
  contract: Contract,
): Operation<Id> {
  const { id, run } = operation
  const { codec } = contract
  const { what } = ENDPOINTS[id]
  const location = contract.profile.answers.location ? locationOf(id) : undefined
  const locate = location ? locator(contract.pathOf(location)) : () => null
  const status = isCreation(id) ? contract.createdStatus : 200
  const write = contract.answerWriter(id)
  return {
    ...operation,
    path: contract.pathOf(id),
    status,
    body: isWriting(id) ? contract.bodyOf(id, operation.body) : undefined,
    query: contract.queryOf(id, operation.query),
    maps: contract.addedFilters(what).flatMap(({ name, type }) => (type === 'map' ? [name] : [])),
    ...(codec && {
      reads: {
        body: (theirs) => codec.readBody(what, theirs),
        parameter: (theirs) => codec.readParameter(what, theirs),
      },
    }),
    perform(unit, input) {
      if (isCreation(id) && what !== 'event') unit.add(what, contract.added[what], input.body)
      const answer = run(unit, input)
      return { status, body: unit.written(answer) ?? write(answer), location: locate(answer) }
    },
  }
}

function locator(path: string): (answer: unknown) => string {
  const [before = '', after = ''] = path.split('{id}')
  return (answer) => `${before}${(answer as { id: string }).id}${after}`
}
