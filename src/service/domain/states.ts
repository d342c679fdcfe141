/** The states of every kind of resource, from its definition. */
import { byResource, DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import type { MoveTable } from '../../spec/contract/resources/resource.ts'

export const MOVES = byResource(({ moves }): MoveTable => moves)

/** Whether any move starts from this state. */
export const isOpen = (kind: ResourceName, status: string): boolean =>
  Object.values(MOVES[kind]).some(({ from }) => from.includes(status))

type DatedState = readonly [state: string, time: string]

/**
 * Each state of a kind with the field that holds its time, in the order of its life. A customer has no moves, so
 * it is only created.
 */
export function statesOf(kind: ResourceName): readonly [DatedState, ...DatedState[]] {
  const [first = 'created', ...later] = DEFINITIONS[kind].states
  return [[first, 'createdAt'], ...later.map((state): DatedState => [state, `${state}At`])]
}
