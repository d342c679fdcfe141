/**
 * §3: what a resource may do is a table of moves, and this is the one function that makes them.
 */
import { wrongState } from '../contract/errors.ts'

/** From which states a move may start, where it leads, and which field remembers when. */
export interface Move<Status extends string, Field extends string> {
  readonly from: readonly Status[]
  readonly to: Status
  readonly stamps: Field | null
}

export type Moves<Status extends string, Field extends string> = Readonly<Record<string, Move<Status, Field>>>

interface Movable {
  readonly status: string
  readonly updatedAt: number
}

/** The resource after the move; a refusal that says what is in the way when the move cannot start here. */
export function move<Resource extends Movable>(
  name: string,
  resource: Resource,
  { from, to, stamps }: Move<Resource['status'], keyof Resource & string>,
  now: number,
): Resource {
  if (!from.includes(resource.status)) throw wrongState(name, `already ${resource.status}`)
  return { ...resource, status: to, updatedAt: now, ...(stamps && { [stamps]: now }) }
}
