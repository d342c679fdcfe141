/** What time does: the moves that nobody asks for. */
import { DEFINITIONS, type Definitions, RESOURCE_NAMES, type ResourceName } from './index.ts'
import type { TimedMoveRow } from './resource.ts'

type MovesByTime<Name extends ResourceName> = {
  [Move in keyof Definitions[Name]['moves'] & string]: Definitions[Name]['moves'][Move] extends { by: 'time' }
    ? Move
    : never
}[keyof Definitions[Name]['moves'] & string]

/** Kind and move, such as `refund.complete`. */
export type TimedWork = { [Name in ResourceName]: `${Name}.${MovesByTime<Name>}` }[ResourceName]
type TimedName = { [Name in ResourceName]: MovesByTime<Name> extends never ? never : Name }[ResourceName]
export type TimedCollection = Definitions[TimedName]['collection']

export interface TimedMove extends TimedMoveRow {
  readonly work: TimedWork
  readonly kind: ResourceName
  readonly move: string
  /** The event when it happened, such as `refund.completed`. */
  readonly event: TimedEvent
}

type ToOf<Row> = Row extends { by: 'time'; to: infer To extends string } ? To : never
export type TimedEvent = {
  [Name in ResourceName]: `${Name}.${ToOf<Definitions[Name]['moves'][keyof Definitions[Name]['moves']]>}`
}[ResourceName]

export const TIMED_MOVES: readonly TimedMove[] = RESOURCE_NAMES.flatMap((kind) =>
  Object.entries(DEFINITIONS[kind].moves as Readonly<Record<string, TimedMoveRow>>).flatMap(([move, row]) =>
    row.by === 'time'
      ? [
          {
            ...row,
            work: `${kind}.${move}` as TimedWork,
            kind,
            move,
            event: `${kind}.${row.to}` as TimedEvent,
          },
        ]
      : [],
  ),
)

export const TIMED_WORK = TIMED_MOVES.map(({ work }) => work) as [TimedWork, ...TimedWork[]]
export const TIMED_EVENTS = TIMED_MOVES.map(({ event }) => event) as [TimedEvent, ...TimedEvent[]]

export const timedMove = (work: TimedWork): TimedMove => TIMED_MOVES.find((row) => row.work === work)!

/** Whether an event is one that time brings about. */
export const isByTime = (eventType: string): boolean => TIMED_EVENTS.some((event) => event === eventType)
