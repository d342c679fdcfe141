/** The moves that a tester makes: those `by: 'tester'`, and timed ones before they are due. */
import { DEFINITIONS, type Definitions, RESOURCE_NAMES, type ResourceName } from './index.ts'
import type { MoveRow } from './resource.ts'

type ByTester = 'time' | 'tester'
type TesterMoveOf<Name extends ResourceName> = {
  [Move in keyof Definitions[Name]['moves'] & string]: Definitions[Name]['moves'][Move] extends {
    by: ByTester
  }
    ? Move
    : never
}[keyof Definitions[Name]['moves'] & string]

export type TesterMoveName = { [Name in ResourceName]: TesterMoveOf<Name> }[ResourceName]

type Collected<Name extends ResourceName> =
  TesterMoveOf<Name> extends never ? never : Definitions[Name]['collection']

/** For each collection, a value for each of the tester's moves of its resources. */
export type ByCollection<Values extends { [Name in ResourceName]: unknown }> = {
  readonly [Name in ResourceName as Collected<Name>]: {
    [Move in TesterMoveOf<Name>]: Values[Name]
  }
}

/** The name of the verb, such as `refunds.complete`. */
export type TesterMoveVerb = {
  [Name in ResourceName]: `${Definitions[Name]['collection']}.${TesterMoveOf<Name>}`
}[ResourceName]

interface TesterMove {
  readonly kind: ResourceName
  readonly move: TesterMoveName
  /** Such as `Complete`. */
  readonly title: string
  readonly row: MoveRow
  /** The event that follows. */
  readonly event: string
  readonly verb: TesterMoveVerb
}

export const TESTER_MOVES: readonly TesterMove[] = RESOURCE_NAMES.flatMap((kind) => {
  const { collection, moves } = DEFINITIONS[kind]
  return Object.entries<MoveRow>(moves).flatMap(([move, row]) => {
    if (row.by !== 'time' && row.by !== 'tester') return []
    const title = `${move[0]!.toUpperCase()}${move.slice(1)}`
    const verb = `${collection}.${move}`
    return { kind, move, title, row, event: `${kind}.${row.to}`, verb } as TesterMove
  })
})
