/** The filter of a list: a form that leads to the list's own address, so that a view can be shared and works without a script. */

import type { Context } from 'hono'
import { ApiError, invalidParameter } from '../../spec/contract/errors.ts'
import { WrongOption } from '../../spec/options/read.ts'
import type { Count } from '../../tester/control/browse.ts'
import type { FormField } from '../../tester/control/request-filter.ts'
import { LabeledField } from './fields.tsx'
import { chosenOf } from './page-request.ts'
import { countText } from './text.ts'
import type { View } from './view.ts'

export interface FilterField extends FormField {
  name: string
}

export type FilterQuery = Readonly<Record<string, string | undefined>>

interface FilterProps {
  view: View
  /** The end of the page's address, such as `requests`. */
  page: string
  fields: readonly FilterField[]
  query: FilterQuery
  /** How many rows match the filters. */
  found?: Count | undefined
  /** The noun for one row: `request`. */
  thing: string
  /** Each is shown at its field. */
  mistakes?: readonly FilterMistake[]
}

export interface FilterMistake {
  name: string
  text: string
}

/**
 * Reads a list with the filters in the address. Refused filters are omitted and reported, and the others still apply. Returns what
 * the list's frame shows.
 */
export async function readList<Read>(
  c: Context,
  fields: readonly FilterField[],
  read: (where: FilterQuery, cursor: string | undefined) => Read | Promise<Read>,
) {
  const { cursor, ...query } = chosenOf(c, [...fields.map(({ name }) => name), 'cursor'])
  const shown = { fields, query: { ...query, cursor } as FilterQuery }
  const mistakes: FilterMistake[] = []
  for (let where: FilterQuery = query; ; ) {
    try {
      return { ...(await read(where, cursor)), ...shown, mistakes, status: mistakes.length > 0 ? 400 : 200 }
    } catch (cause) {
      const mistake = mistakeOf(cause)
      if (!mistake || !where[mistake.name]) throw cause
      mistakes.push(mistake)
      where = { ...where, [mistake.name]: undefined }
    }
  }
}

function mistakeOf(cause: unknown): FilterMistake | undefined {
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

/** The address may have other parameters, such as the cursor. */
export const filtersIn = (fields: readonly FilterField[], query: FilterQuery): Record<string, string> =>
  Object.fromEntries(fields.flatMap(({ name }) => (query[name] ? [[name, query[name]]] : [])))

export function FilterForm({ view, page, fields, query, found, thing, mistakes = [] }: FilterProps) {
  const chosen = filtersIn(fields, query)
  const isFiltered = fields.some(({ name }) => name in chosen)
  const rare = fields.filter(({ isRare }) => isRare)
  const problemOf = (name: string) => {
    const mistake = mistakes.find((found) => found.name === name)
    return mistake && `${mistake.text}.`
  }
  const show = ({ name, label, options, placeholder }: FilterField) => (
    <LabeledField
      name={name}
      label={label}
      options={options && [['', 'any'], ...options]}
      value={chosen[name]}
      placeholder={placeholder}
      problem={problemOf(name)}
    />
  )
  return (
    <form class="filter" action={view.links.page(page)}>
      {fields.filter(({ isRare }) => !isRare).map(show)}
      {rare.length > 0 && (
        <details open={rare.some(({ name }) => name in chosen)}>
          <summary>More filters</summary>
          <div class="filter">{rare.map(show)}</div>
        </details>
      )}
      <button class="knob" type="submit">
        Filter
      </button>
      {isFiltered && (
        <a class="knob bare" href={view.links.page(page)}>
          Clear
        </a>
      )}
      {found && <p class="found soft">{foundText(found, thing, isFiltered)}</p>}
    </form>
  )
}

function foundText(found: Count, thing: string, isFiltered: boolean): string {
  const things = `${thing}${found.count === 1 && found.isAll ? '' : 's'}`
  return `${countText(found)} ${things}${isFiltered ? ' found' : ''}`
}
