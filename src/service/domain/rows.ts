/** Creates the row of a resource and changes its state. Rules of a single kind are in that kind's file. */
import type { z } from 'zod'
import {
  byResource,
  DEFINITIONS,
  type Definitions,
  type ResourceName,
} from '../../spec/contract/resources/index.ts'
import { move } from './moves.ts'
import { MOVES } from './states.ts'

export type RowOf<Name extends ResourceName> = z.output<Definitions[Name]['Stored']>
export type MoveOf<Name extends ResourceName> = keyof Definitions[Name]['moves'] & string

/** The initial fields, except the state and the times. A field without a column is ignored. Default: a new `id`. */
export type NewOf<Name extends ResourceName> = { readonly id?: string } & {
  readonly [Field in keyof Definitions[Name]['fields']]?: Field extends keyof RowOf<Name>
    ? RowOf<Name>[Field] | undefined
    : unknown
}

/** A new row with the first value of each field, in the order of the definition. */
const BEGINNINGS = byResource(({ Stored, fields, states }) => {
  const initials = Object.keys(Stored.shape).map((name) => {
    const initial = (fields as Readonly<Record<string, { initial: unknown }>>)[name]?.initial ?? null
    return [name, name === 'status' ? states[0] : initial]
  })
  return Object.fromEntries(initials) as Readonly<Record<string, unknown>>
})

export function newRow<Name extends ResourceName>(kind: Name, given: NewOf<Name>, now: number): RowOf<Name> {
  const values: Readonly<Record<string, unknown>> = given
  // A copy, whose fields V8 need not add one by one.
  const row: Record<string, unknown> = { ...BEGINNINGS[kind] }
  for (const name in row) row[name] = values[name] ?? row[name]
  row.createdAt = now
  row.updatedAt = now
  return row as RowOf<Name>
}

/** The row after one of its moves; 409 if its state does not allow it. */
export const moved = <Name extends ResourceName>(
  kind: Name,
  row: RowOf<Name>,
  by: MoveOf<Name>,
  now: number,
): RowOf<Name> => move(DEFINITIONS[kind].words.one, row, MOVES[kind][by]!, now)
