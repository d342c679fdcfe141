/**
 * §3: every change of a resource's state is a row of its table of moves, and `move` is the only function that makes it.
 */
import { alreadyInState } from '../../spec/contract/errors.ts'

/**
 * The states from which the move is allowed, the state after it, and the field that gets the time of the
 * move.
 */
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

/** The resource after the move; 409 when its state is none of `from`. */
export function move<Resource extends Movable>(
  name: string,
  resource: Resource,
  { from, to, stamps }: Move<Resource['status'], keyof Resource & string>,
  now: number,
): Resource {
  if (!from.includes(resource.status)) throw alreadyInState(name, resource.status)
  return { ...resource, status: to, updatedAt: now, ...(stamps && { [stamps]: now }) }
}
