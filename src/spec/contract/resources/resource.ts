/**
 * A resource as data, from which its schemas, table, endpoints, events and pages are derived. Rules that are not data are code in
 * `service`.
 */
import { z } from 'zod'
import type { ErrorStatus } from '../api-error.ts'
import type { DecisionId } from '../decisions.ts'
import { exampleIdOf } from '../example-id.ts'
import { pageOf, pageParameters } from '../pages.ts'
import { Instant, oneOf } from '../wire.ts'
import type { ResourceField } from './field.ts'
import type { LedgerEffect } from './ledger.ts'

/** A change of state. The resource gets a time such as `capturedAt`, and an event such as `authorization.captured` is sent. */
export type MoveRow = AskedMoveRow | TimedMoveRow

export interface AskedMoveRow {
  readonly from: readonly string[]
  readonly to: string
  /** Who makes it. For a tester's move the tester's API and scenarios have a verb. */
  readonly by: 'platform' | 'buyer' | 'tester'
  readonly ledger: LedgerEffect | 'none'
}

/** A move that falls due some time after the resource has entered one of the states `from`, or earlier when a tester makes it. */
export interface TimedMoveRow {
  readonly from: readonly string[]
  readonly to: string
  readonly by: 'time'
  readonly ledger: LedgerEffect | 'none'
  /** The delay, such as `7d`. A profile may change it by the key `delay` of the collection. */
  readonly after: string
  /** The decision about the delay. */
  readonly decision: DecisionId
  /** The name of the sandbox option that changes the delay, such as `refundDelay`. */
  readonly option: string
}

/** How a tester creates a resource that the platform cannot create. */
export interface TesterCreation {
  /** The verb of the tester's API and of scenarios, such as `attach`. */
  readonly verb: string
  /** The existing resource that the verb names, and the new one refers to. */
  readonly for: { readonly name: string; readonly path: string }
  /** Its states in which that is possible. */
  readonly from: readonly string[] | 'any'
  readonly summary: string
  readonly options: z.ZodObject
}

interface OperationWords {
  readonly summary: string
  /** For an operation on another kind of resource below this one: the kind, and the last part of the path. */
  readonly on?: { readonly what: string; readonly path: string }
  /** Statuses of the refusals that only this operation has, if its kind of operation has others. */
  readonly refusals?: readonly ErrorStatus[]
  /** The request body, if it creates nothing by itself. */
  readonly body?: z.ZodObject
}

/**
 * An operation of the platform, by name: `create`, `list`, `get`, a move, or one on another resource below this one. `create`
 * returns a new resource (D40), `change` and `read` the one in the path, `list` a page.
 */
export type OperationRow = OperationWords &
  (
    | {
        readonly does: 'create'
        /** Whether it charges, refunds or holds money. For a move, that follows from its effect on the ledger. */
        readonly movesMoney: boolean
      }
    | { readonly does: 'change' | 'list' | 'read'; readonly movesMoney?: never }
  )

export type FieldTable = Readonly<Record<string, ResourceField>>
export type MoveTable = Readonly<Record<string, MoveRow>>
/** Only what types are derived from, so that a mistake in the rest is one error, in the definition. */
type MoveTypes = Readonly<Record<string, Pick<MoveRow, 'from' | 'to'>>>
type OperationTypes = Readonly<Record<string, Pick<OperationRow, 'does' | 'on'>>>

export interface BodyRule {
  readonly holds: (body: Readonly<Record<string, unknown>>) => boolean
  /** The field that the refusal names. Default `error`: it is missing. */
  readonly field: string
  readonly error?: string
}

export interface ResourceWords {
  /** Its name in refusals. */
  readonly one: string
  readonly many: string
  /** A short description. */
  readonly what: string
  /** How it is created, in a sentence. */
  readonly about: string
}

interface Definition<
  Name extends string,
  Collection extends string,
  Path extends string,
  Param extends string,
  Created extends string,
  Decided extends string,
  F extends FieldTable,
  M extends MoveTypes,
  O extends OperationTypes,
  T extends TesterCreation,
> {
  /** `payment_method`: in events, profiles and the tester's API. */
  readonly name: Name
  /** `paymentMethods`: in the names of operations. */
  readonly collection: Collection
  /** What follows `/v1/`. */
  readonly path: Path
  /** The name of its id in a path. */
  readonly param: Param
  /** The parent resource in its path. */
  readonly parent: { readonly name: string } | undefined
  /** D13: the prefix of its ids. */
  readonly prefix: string
  /** The decision about the names of its states. */
  readonly decision: Decided extends DecisionId | 'none' ? Decided : DecisionId
  readonly words: ResourceWords
  /** The event of its creation, such as `created`. */
  readonly created: Created
  /** The money that its creation moves. */
  readonly ledger: LedgerEffect | 'none'
  /**
   * The order it belongs to: itself, the checkout or authorization that it names, or (for a customer, who may have several) the
   * order of its earlier events.
   */
  readonly order: 'itself' | 'payment' | 'events'
  /** In the order of responses, between the id and the times. */
  readonly fields: F
  /** A rule between the fields of the creating body. */
  readonly rules?: readonly BodyRule[]
  readonly moves: M & Record<keyof M, MoveRow>
  readonly operations: O & Record<keyof O, OperationRow>
  readonly tester?: T
}

type StateOf<M extends MoveTypes> = M[keyof M]['from'][number] | M[keyof M]['to']
type StatusOf<M extends MoveTypes> = z.ZodEnum<{ [State in StateOf<M>]: State }>
type ShownOf<Key, FieldType extends ResourceField, M extends MoveTypes> = Key extends 'status'
  ? StatusOf<M>
  : FieldType['shown']

/** The fields of a resource in responses. */
type ShownShape<F extends FieldTable, M extends MoveTypes> = {
  id: z.ZodString
} & { [Key in keyof F]: ShownOf<Key, F[Key], M> } & {
  createdAt: typeof Instant
  updatedAt: typeof Instant
} & { [State in M[keyof M]['to'] as `${State}At`]: z.ZodNullable<typeof Instant> }

type StoredIn<F extends FieldTable> = {
  [Key in keyof F as F[Key]['options'] extends { stored: false } ? never : Key]: F[Key]
}

type BodyShape<F extends FieldTable> = {
  [Key in keyof F as F[Key]['body'] extends z.ZodType ? Key : never]: Extract<F[Key]['body'], z.ZodType>
}

type QueryShape<F extends FieldTable, M extends MoveTypes> = {
  [Key in keyof StoredIn<F> as F[Key]['options'] extends { filter: 'few' | 'many' }
    ? Key
    : never]: z.ZodOptional<
    Key extends 'status' ? StatusOf<M> : F[Key]['shown'] extends z.ZodEnum ? F[Key]['shown'] : z.ZodString
  >
} & typeof pageParameters

export function resource<
  const Name extends string,
  const Collection extends string,
  const Path extends string,
  const Param extends string,
  const Created extends string,
  const Decided extends string,
  const F extends FieldTable,
  const M extends MoveTypes,
  const O extends OperationTypes,
  const T extends TesterCreation = never,
>(definition: Definition<Name, Collection, Path, Param, Created, Decided, F, M, O, T>) {
  const { prefix, words, fields, rules = [], moves } = definition
  const named = words.one.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
  const states = statesOf(moves)
  const Status = oneOf(states) as StatusOf<M>
  const shown = Object.entries(fields).map(([key, field]) => [key, key === 'status' ? Status : field.shown])
  const times = Object.values(moves).map(({ to }) => [`${to}At`, Instant.nullable()])
  const Shown = objectOf<ShownShape<F, M>>({
    id: z.string().meta({ example: exampleIdOf(prefix) }),
    ...Object.fromEntries(shown),
    createdAt: Instant,
    updatedAt: Instant,
    ...Object.fromEntries(times),
  }).meta({ id: named })
  return {
    ...definition,
    /** `payment_methods`: in the database. */
    table: definition.collection.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    states: states as readonly StateOf<M>[],
    Status,
    /** As in responses and events. */
    Shown,
    /** As in the database. */
    Stored: objectOf<ShownShape<StoredIn<F>, M>>(
      Object.fromEntries(
        Object.entries(Shown.shape).filter(([key]) => fields[key]?.options.stored !== false),
      ),
    ),
    /** The body that creates one. */
    Create: rules
      .reduce(
        (body, { holds, field, error }) =>
          body.refine(holds, {
            path: [field],
            params: { fields: namesIn(`${field} ${error}`, fields) },
            ...(error && { error }),
          }),
        objectOf<BodyShape<F>>(bodyOf(fields)),
      )
      .meta({ id: `${named}Create` }),
    Query: objectOf<QueryShape<F, M>>({ ...filtersOf(fields, Shown.shape), ...pageParameters }),
    Page: pageOf(Shown).meta({ id: `${named}Page` }),
  }
}

/** TypeScript does not compute the type of a shape from a table of fields. */
const objectOf = <Shape extends z.ZodRawShape>(shape: z.ZodRawShape): z.ZodObject<Shape> =>
  z.object(shape as Shape)

/** The fields mentioned in a rule's text, which a profile may rename. */
const namesIn = (words: string, fields: FieldTable): string[] =>
  words.split(' ').filter((word) => Object.hasOwn(fields, word))

const statesOf = (moves: MoveTypes): string[] => {
  const rows = Object.values(moves)
  return [...new Set([...(rows[0]?.from.slice(0, 1) ?? ['none']), ...rows.map(({ to }) => to)])]
}

/** Required fields first, then those by which the service finds others, because a refusal names the first missing one. */
function bodyOf(fields: FieldTable): Record<string, z.ZodType> {
  const order = ['required', 'completed', 'optional']
  const sent = Object.entries(fields).filter(([, { body }]) => body)
  const place = ({ options }: ResourceField) => order.indexOf(options.sent!)
  return Object.fromEntries(
    sent.sort(([, a], [, b]) => place(a) - place(b)).map(([key, field]) => [key, field.body!]),
  )
}

/** The state first, then the most selective fields. */
function filtersOf(
  fields: FieldTable,
  shape: Readonly<Record<string, z.ZodType>>,
): Record<string, z.ZodType> {
  const order = ['status', 'few', 'many']
  const filters = Object.entries(fields).filter(([, { options, inRows }]) => options.filter && !inRows)
  const place = ([key, { options }]: [string, ResourceField]) =>
    order.indexOf(key === 'status' ? key : options.filter!)
  return Object.fromEntries(
    filters
      .sort((a, b) => place(a) - place(b))
      .map(([key]) => [key, (shape[key] instanceof z.ZodEnum ? shape[key] : z.string()).optional()]),
  )
}
