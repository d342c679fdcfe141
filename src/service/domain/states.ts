/** The states of every kind of resource, read from its moves. */
import type { ResourceName } from '../../spec/contract/event.ts'
import { authorizationMoves } from './authorization.ts'
import { checkoutMoves } from './checkout.ts'
import type { Move } from './moves.ts'
import { paymentMethodMoves } from './payment-method.ts'
import { refundMoves } from './refund.ts'

type DatedMove = Move<string, string> & { stamps: string }

export const MOVES = {
  checkout: checkoutMoves,
  authorization: authorizationMoves,
  refund: refundMoves,
  customer: {},
  payment_method: paymentMethodMoves,
} as const satisfies Record<ResourceName, Readonly<Record<string, DatedMove>>>

type MoveIn<Table> = Table extends unknown ? Table[keyof Table] : never
type AnyMove = MoveIn<(typeof MOVES)[ResourceName]>
export type StateName = AnyMove['from'][number] | AnyMove['to']

type DatedState = readonly [state: string, time: string]

/**
 * Each state of a kind with the field that has its time, a later one behind those that lead to it. A customer
 * has no moves, so it is only created.
 */
export function statesOf(kind: ResourceName): readonly [DatedState, ...DatedState[]] {
  const moves: readonly DatedMove[] = Object.values(MOVES[kind])
  const first = moves[0]?.from[0] ?? 'created'
  return [[first, 'createdAt'], ...moves.map(({ to, stamps }) => [to, stamps] as const)]
}
