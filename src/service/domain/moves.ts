/**
 * §3: every change of a resource's state is a row of its table of moves, and `move` is the only function that makes it.
 */
import { alreadyInState } from '../../spec/contract/errors.ts'

/** The states from which each move is allowed, and the state after it. */
export type Moves<Status extends string> = Readonly<
  Record<string, { readonly from: readonly Status[]; readonly to: Status }>
>

/** The resource after the move, whose time it gets if it has a field such as `capturedAt`; 409 if its state is not in `from`. */
export function move<Resource extends object>(
  name: string,
  resource: Resource,
  { from, to }: Moves<string>[string],
  now: number,
): Resource {
  const status = 'status' in resource ? String(resource.status) : ''
  if (!from.includes(status)) throw alreadyInState(name, status)
  const time = `${to}At`
  return { ...resource, status: to, updatedAt: now, ...(time in resource && { [time]: now }) }
}
