/** The states of every kind of resource, from its definition. */
import { byResource, DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import type { MoveTable } from '../../spec/contract/resources/resource.ts'

export const MOVES = byResource(({ moves }): MoveTable => moves)

const movesFrom = (kind: ResourceName, status: string) =>
  Object.values(MOVES[kind]).filter(({ from }) => from.includes(status))

/** Whether any move starts from this state. */
export const isOpen = (kind: ResourceName, status: string): boolean => movesFrom(kind, status).length > 0

/**
 * The states that the platform can still lead to from this one, or could until time alone led here: `captured` and `voided` for an
 * authorization that expired. A payment for which there are any is left open.
 */
export function missedStates(kind: ResourceName, status: string): string[] {
  const into = Object.values(MOVES[kind]).filter(({ to }) => to === status)
  const before = into.every(({ by }) => by === 'time') ? into.flatMap(({ from }) => from) : []
  const moves = [status, ...before].flatMap((state) => movesFrom(kind, state))
  return [...new Set(moves.flatMap(({ by, to }) => (by === 'platform' ? to : [])))]
}

export const isLeftOpen = (kind: ResourceName, status: string): boolean =>
  missedStates(kind, status).length > 0

export const waitsForBuyer = (kind: ResourceName, status: string): boolean =>
  movesFrom(kind, status).some(({ by }) => by === 'buyer')

type DatedState = readonly [state: string, time: string]

/**
 * Each state of a kind with the field that holds its time, in the order of its life. A customer has no moves, so
 * it is only created.
 */
export function statesOf(kind: ResourceName): readonly [DatedState, ...DatedState[]] {
  const [first = 'created', ...later] = DEFINITIONS[kind].states
  return [[first, 'createdAt'], ...later.map((state): DatedState => [state, `${state}At`])]
}
