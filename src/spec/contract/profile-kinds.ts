/** The sections of a profile that follow from the definitions of the resources. */
import type { z } from 'zod'
import { parseDuration } from './duration.ts'
import { EventQuery } from './event.ts'
import { pageQuery } from './pages.ts'
import { IN_TOUR, type KeyDefinition, key, keysOf, type SectionDefinition, section } from './profile-key.ts'
import { FieldName, someOf, Time, Word } from './profile-values.ts'
import type { ResourceField } from './resources/field.ts'
import {
  byResource,
  DEFINITIONS,
  type Definitions,
  oneOfKind,
  RESOURCE_NAMES,
  type ResourceName,
} from './resources/index.ts'
import { BankAccount, Card } from './resources/payment-method.ts'
import type { MoveRow } from './resources/resource.ts'
import { TIMED_MOVES, type TimedCollection } from './resources/timed.ts'

type FieldsOf<Name extends ResourceName> = readonly (keyof Definitions[Name]['Shown']['shape'] & string)[]

/** The fields of every object in responses. */
export const FIELDS = {
  ...(byResource<readonly string[]>(({ Shown }) => Object.keys(Shown.shape)) as {
    readonly [Name in ResourceName]: FieldsOf<Name>
  }),
  card: Card.keyof().options,
  bank_account: BankAccount.keyof().options,
  event: ['id', 'type', 'timestamp', 'data'],
} as const

type Fields = typeof FIELDS
export type ObjectKind = keyof Fields
export const OBJECT_KINDS = Object.keys(FIELDS) as ObjectKind[]

/** The nested objects of a resource: their kinds, by the fields that hold them. */
export const PARTS: Readonly<Record<string, ObjectKind>> = { card: 'card', bankAccount: 'bank_account' }

/** Fields of requests named by the specification (§2), which a profile cannot rename. */
export const NAMED_BY_THE_SPEC = {
  checkout: ['orderId', 'externalId', 'amount', 'successUrl', 'cancelUrl'],
  refund: ['amount'],
} as const

/** For each field that a profile may rename, the key that names it. */
export function nameKeys(kind: ObjectKind): Record<string, string> {
  const fixed: readonly string[] = NAMED_BY_THE_SPEC[kind as keyof typeof NAMED_BY_THE_SPEC] ?? []
  const free = FIELDS[kind].filter((name) => !fixed.includes(name))
  return Object.fromEntries(free.map((name) => [name, `fields.${kind}.${name}`]))
}

/** For each parameter of a page, the key that names it. */
export const PAGE_PARAMETERS = { limit: 'lists.limit', cursor: 'lists.cursor' }

/** The parameters that filter a list of this kind, and the page parameters. */
export const queryOf = (kind: ObjectKind): z.ZodObject => {
  if (kind === 'event') return EventQuery
  return kind in DEFINITIONS ? DEFINITIONS[kind as ResourceName].Query : pageQuery
}

/** The names of these parameters, and of filters by fields that are in rows. */
export function parametersOf(kind: ObjectKind): string[] {
  const fields = kind in DEFINITIONS ? DEFINITIONS[kind as ResourceName].fields : {}
  const inRows = Object.entries<ResourceField>(fields).filter(([, field]) => field.inRows)
  return [...Object.keys(queryOf(kind).shape), ...inRows.map(([name]) => name)]
}

/** Fields that a profile cannot omit, because resources and events are recognized by them. */
const NEVER_LEFT_OUT = ['id', 'type', 'data']

/** A value for each kind that is returned by itself. */
export const forAnswered = <Value>(of: (kind: ResourceName | 'event') => Value) => ({
  ...byResource(({ name }) => of(name)),
  event: of('event'),
})

type Named<Kind> = Kind extends keyof typeof NAMED_BY_THE_SPEC
  ? (typeof NAMED_BY_THE_SPEC)[Kind][number]
  : never
type NamesOfFields = {
  readonly [Kind in keyof Fields]: SectionDefinition<
    Record<Exclude<Fields[Kind][number], Named<Kind>>, KeyDefinition<string>>
  >
}

export function namesOfFields(): NamesOfFields {
  const sections = OBJECT_KINDS.map((kind) => {
    const what = oneOfKind(kind)
    const names = keysOf(
      `what the fields of ${what} are called`,
      asWritten(Object.keys(nameKeys(kind))),
      'D39',
      FieldName,
      (name) => `the field ${name} of ${what}`,
      { learned: 'tour', conflict: 'names of fields' },
    )
    return [kind, names]
  })
  return Object.fromEntries(sections) as NamesOfFields
}

type KindWithStates = {
  [Name in ResourceName]: 'none' extends Definitions[Name]['decision'] ? never : Name
}[ResourceName]

/** The kinds whose states are a decision. */
const KINDS_WITH_STATES = RESOURCE_NAMES.filter(
  (kind) => DEFINITIONS[kind].decision !== 'none',
) as KindWithStates[]

/** The key, or the section of keys, that decides how a value is written. */
export type ShownKey =
  | 'timestamps.milliseconds'
  | 'answers.currency'
  | 'events'
  | `states.${(typeof KINDS_WITH_STATES)[number]}`

/** For each kind, the fields whose values a profile may reword. */
export const SHOWN_IN: Readonly<Record<ObjectKind, Readonly<Partial<Record<string, ShownKey>>>>> = {
  ...byResource(({ name, fields, moves, decision }) => ({
    ...Object.fromEntries(
      Object.entries<ResourceField>(fields)
        .filter(([, { shows }]) => shows === 'currency')
        .map(([field]) => [field, 'answers.currency' as const]),
    ),
    ...(decision !== 'none' && { status: `states.${name}` as ShownKey }),
    ...Object.fromEntries(
      ['createdAt', 'updatedAt', ...Object.values(moves).map(({ to }) => `${to}At`)].map((time) => [
        time,
        'timestamps.milliseconds' as const,
      ]),
    ),
  })),
  card: {},
  bank_account: {},
  event: { type: 'events', timestamp: 'timestamps.milliseconds' },
}

type WordsOfStates = {
  readonly [Kind in KindWithStates]: SectionDefinition<
    Record<Definitions[Kind]['states'][number], KeyDefinition<string>>
  >
}

/** How long the tour waits for a timed move. */
export const TOUR_WAITS_MS = 10_000

/** The tour acts as a platform, never as a buyer or tester. */
const isInTour = (row: MoveRow) =>
  row.by === 'platform' || (row.by === 'time' && parseDuration(row.after) <= TOUR_WAITS_MS)

export function wordsOfStates(): WordsOfStates {
  const sections = KINDS_WITH_STATES.map((kind) => {
    const { decision, states } = DEFINITIONS[kind]
    const what = oneOfKind(kind)
    const help = `the words of the states of ${what}`
    const moves = Object.values<MoveRow>(DEFINITIONS[kind].moves)
    const unseen = states.slice(1).filter((state) => !moves.some((row) => row.to === state && isInTour(row)))
    return [
      kind,
      keysOf(
        help,
        asWritten(states),
        decision,
        Word,
        (state) => `${what} that is ${state}`,
        { learned: 'tour', conflict: 'states' },
        unseen,
      ),
    ]
  })
  return Object.fromEntries(sections) as WordsOfStates
}

export function leftOut(kind: ResourceName | 'event') {
  const fields = FIELDS[kind].filter((name: string) => !NEVER_LEFT_OUT.includes(name))
  return key('D39', `fields that ${oneOfKind(kind)} does not have`, someOf(fields), [], IN_TOUR)
}

type Delays = { readonly [Name in TimedCollection]: SectionDefinition<{ delay: KeyDefinition<string> }> }

/** For each kind with timed moves, their delays. */
export function delaysOfMoves(): Delays {
  const sections = TIMED_MOVES.map((row) => {
    const { kind, move, from, after, decision, option } = row
    const { collection, words } = DEFINITIONS[kind]
    const help = `how long ${oneOfKind(kind)} stays ${from.join(' or ')}, unless ${option} says otherwise`
    const delay = key(decision, help, Time, after, {
      learned: isInTour(row) ? 'tour' : 'sometimes',
      conflict: 'none',
    })
    return [collection, section(`when ${words.many.toLowerCase()} ${move}`, { delay })] as const
  })
  return Object.fromEntries(sections) as Delays
}

/** A table that maps each name to itself. */
export function asWritten<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const table: Record<string, string> = Object.fromEntries(names.map((name) => [name, name]))
  return table as Record<Name, string>
}
