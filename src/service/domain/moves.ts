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

/** The resource after the move; 409 if its state is not in `from`. */
export function move<Resource extends object, Field extends string>(
  name: string,
  resource: Resource,
  { from, to, stamps }: Move<string, Field>,
  now: number,
): Resource {
  const status = 'status' in resource ? String(resource.status) : ''
  if (!from.includes(status)) throw alreadyInState(name, status)
  return { ...resource, status: to, updatedAt: now, ...(stamps && { [stamps]: now }) }
}
