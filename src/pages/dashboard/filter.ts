/** Reads a list with the filters in its address, so that a view can be shared and works without a script. */

import type { Context } from 'hono'
import { ApiError, invalidParameter } from '../../spec/contract/errors.ts'
import { WrongOption } from '../../spec/options/read.ts'
import type { Part } from '../../tester/control/browse.ts'
import type { FormField } from '../../tester/control/request-filter.ts'
import { chosenOf } from './page-request.ts'

export interface FilterField extends FormField {
  name: string
}

export type FilterQuery = Readonly<Record<string, string>>

/** A page of a list, with the filters and the cursor in its address, and the problem of each refused filter. */
export type FilteredList<Row> = Part<Row> & {
  fields: readonly FilterField[]
  filter: FilterQuery
  cursor: string | undefined
  problems: Readonly<Record<string, string>>
  status: 200 | 400
}

/** Refused filters are omitted and reported, and the others still apply. */
export async function readList<Row>(
  c: Context,
  fields: readonly FilterField[],
  read: (where: FilterQuery, cursor: string | undefined) => Part<Row> | Promise<Part<Row>>,
): Promise<FilteredList<Row>> {
  const { cursor } = chosenOf(c, ['cursor'])
  const names = fields.map(({ name }) => name)
  const filter: FilterQuery = chosenOf(c, names)
  const problems: Record<string, string> = {}
  for (let where: FilterQuery = filter; ; ) {
    try {
      const found = await read(where, cursor)
      const status = where === filter ? 200 : 400
      return { ...found, fields, filter, cursor, problems, status }
    } catch (cause) {
      const mistake = mistakeOf(cause)
      if (!mistake || !where[mistake.name]) throw cause
      problems[mistake.name] = `${mistake.text}.`
      const { [mistake.name]: _, ...others } = where
      where = others
    }
  }
}

function mistakeOf(cause: unknown): { name: string; text: string } | undefined {
  if (cause instanceof WrongOption) return { name: cause.option, text: cause.message.replace(/\.$/, '') }
  if (!(cause instanceof ApiError) || cause.text?.name !== 'invalidParameter') return undefined
  const { name = '', rule } = cause.text.values
  return { name, text: `${name} ${rule}` }
}

/** For filters with fixed choices only. */
export function requireChoices(fields: readonly FilterField[], query: FilterQuery): void {
  for (const { name, options = [] } of fields) {
    const values = options.map((option) => (typeof option === 'string' ? option : option[0]))
    if (query[name] && !values.includes(query[name]))
      throw invalidParameter(name, `must be one of ${values.join(', ')}`)
  }
}
