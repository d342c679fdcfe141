/** What a tester does: moves that are `by: 'tester'`, timed ones before they are due, and creations. */
import { z } from 'zod'
import type { ErrorStatus } from '../api-error.ts'
import { capitalized } from '../counted.ts'
import { DEFINITIONS, type Definitions, oneOfKind, RESOURCE_NAMES, type ResourceName } from './index.ts'
import type { MoveRow } from './resource.ts'

type ByTester = 'time' | 'tester'
type TesterMoveOf<Name extends ResourceName> = {
  [Move in keyof Definitions[Name]['moves'] & string]: Definitions[Name]['moves'][Move] extends {
    by: ByTester
  }
    ? Move
    : never
}[keyof Definitions[Name]['moves'] & string]

/** Never for a kind that only the platform or the buyer creates. */
export type CreationOf<Name extends ResourceName> = NonNullable<Definitions[Name]['tester']>
export type MadeByTester = {
  [Name in ResourceName]: [CreationOf<Name>] extends [never] ? never : Name
}[ResourceName]

/** The verbs for one kind, such as `complete` and `attach`. */
export type TesterWordOf<Name extends ResourceName> = TesterMoveOf<Name> | CreationOf<Name>['verb']
export type TesterWord = { [Name in ResourceName]: TesterWordOf<Name> }[ResourceName]

/** The options of a verb; a move has none. */
export type OptionsOf<Word> = Extract<
  { [Name in ResourceName]: CreationOf<Name> }[ResourceName],
  { verb: Word }
>['options']

/** The name of the verb, such as `refunds.complete`. */
export type TesterVerb = {
  [Name in ResourceName]: `${Definitions[Name]['collection']}.${TesterWordOf<Name>}`
}[ResourceName]

export interface TesterRow {
  /** The resource that is moved or created. */
  readonly kind: ResourceName
  readonly word: TesterWord
  /** The label of its button, such as `Complete now`. */
  readonly title: string
  readonly verb: TesterVerb
  /** The resource that it names: the moved one, or the one for which another is created. */
  readonly of: ResourceName
  readonly address: `POST /${string}`
  readonly summary: string
  readonly options: z.ZodObject
  readonly refusals: readonly ErrorStatus[]
  /** The state after it, and the end of the event's type. */
  readonly state: string
  /** The states of `of` in which it is possible. */
  readonly from: readonly string[] | 'any'
  readonly move?: MoveRow
}

export const TESTER_ACTS: readonly TesterRow[] = RESOURCE_NAMES.flatMap((kind) => {
  const { collection, moves, tester, path, created } = DEFINITIONS[kind]
  const plural = path.split('/').at(-1)
  const named = (word: string) => {
    const verb = `${collection}.${word}` as TesterVerb
    return { kind, word: word as TesterWord, verb }
  }
  const made = Object.entries<MoveRow>(moves)
    .filter(([, { by }]) => by === 'time' || by === 'tester')
    .map(
      ([word, move]): TesterRow => ({
        ...named(word),
        title: `${capitalized(word)} now`,
        of: kind,
        address: `POST /${plural}/{id}/${word}`,
        summary: `${capitalized(word)} ${oneOfKind(kind)} now`,
        options: z.strictObject({}),
        refusals: [404, 409],
        state: move.to,
        from: move.from,
        move,
      }),
    )
  if (!tester) return made
  const creation: TesterRow = {
    ...named(tester.verb),
    title: `${capitalized(tester.verb)} ${oneOfKind(kind)}`,
    of: tester.for.name as ResourceName,
    address: `POST /${tester.for.path}/{id}/${plural}`,
    summary: tester.summary,
    options: tester.options,
    refusals: tester.from === 'any' ? [404] : [404, 409],
    state: created,
    from: tester.from,
  }
  return [...made, creation]
})
