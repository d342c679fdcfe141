/** Timed moves: state changes that happen after a delay, without a request. */
import { byResource, DEFINITIONS, type Definitions, RESOURCE_NAMES, type ResourceName } from './index.ts'
import type { MoveRow, TimedMoveRow } from './resource.ts'

type MovesByTime<Name extends ResourceName> = {
  [Move in keyof Definitions[Name]['moves'] & string]: Definitions[Name]['moves'][Move] extends { by: 'time' }
    ? Move
    : never
}[keyof Definitions[Name]['moves'] & string]

/** Kind and move, such as `refund.complete`. */
export type TimedWork = { [Name in ResourceName]: `${Name}.${MovesByTime<Name>}` }[ResourceName]
type TimedName = { [Name in ResourceName]: MovesByTime<Name> extends never ? never : Name }[ResourceName]
export type TimedCollection = Definitions[TimedName]['collection']

type RowByTime<Name extends ResourceName> = Extract<
  Definitions[Name]['moves'][keyof Definitions[Name]['moves']],
  { by: 'time' }
>
type AnyRow = { [Name in ResourceName]: RowByTime<Name> }[ResourceName]

/** The sandbox options that change a delay. */
export type DelayOption = AnyRow['option']

export interface TimedMove extends TimedMoveRow {
  readonly work: TimedWork
  readonly kind: TimedName
  readonly from: readonly AnyRow['from'][number][]
  readonly to: AnyRow['to']
  readonly move: string
  readonly option: DelayOption
  /** The event that follows, such as `refund.completed`. */
  readonly event: TimedEvent
}

/** The events after which a timed move is waited for, such as `refund.created`. */
export const eventsBefore = ({ kind, from }: TimedMove): string[] => {
  const { created, states } = DEFINITIONS[kind]
  return from.map((state) => `${kind}.${state === states[0] ? created : state}`)
}

type ToOf<Row> = Row extends { to: infer To extends string } ? To : never
export type TimedEvent = { [Name in ResourceName]: `${Name}.${ToOf<RowByTime<Name>>}` }[ResourceName]

export const TIMED_MOVES: readonly TimedMove[] = RESOURCE_NAMES.flatMap((kind) =>
  Object.entries(DEFINITIONS[kind].moves as Readonly<Record<string, MoveRow>>).flatMap(([move, row]) => {
    if (row.by !== 'time') return []
    return [{ ...row, work: `${kind}.${move}`, kind, move, event: `${kind}.${row.to}` } as TimedMove]
  }),
)

/** The events after which any timed move is waited for. */
export const WAITED_AFTER: ReadonlySet<string> = new Set(TIMED_MOVES.flatMap(eventsBefore))

/** The timed moves of each kind. */
export const TIMED_MOVES_OF = byResource(({ name }) => TIMED_MOVES.filter(({ kind }) => kind === name))

export const TIMED_WORK = TIMED_MOVES.map(({ work }) => work) as [TimedWork, ...TimedWork[]]
export const TIMED_EVENTS = TIMED_MOVES.map(({ event }) => event) as [TimedEvent, ...TimedEvent[]]

export const timedMove = (work: TimedWork): TimedMove => TIMED_MOVES.find((row) => row.work === work)!

/** A table by sandbox option. */
export const byDelayOption = <Value>(of: (option: DelayOption, move: TimedMove) => Value) =>
  Object.fromEntries(TIMED_MOVES.map((move) => [move.option, of(move.option, move)])) as Record<
    DelayOption,
    Value
  >
