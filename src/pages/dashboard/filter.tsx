/** The filter of a list: a form that leads to the list's own address, so that a view can be shared and works without a script. */

import { ApiError } from '../../spec/contract/errors.ts'
import { WrongOption } from '../../spec/options/read.ts'
import type { Count } from '../../tester/control/browse.ts'
import type { FormField } from '../../tester/control/request-filter.ts'
import { LabeledField } from './fields.tsx'
import { countText } from './text.ts'
import type { View } from './view.ts'

export interface FilterField extends FormField {
  name: string
  /** True for the subject of the page, which the link that clears the filters keeps. */
  isSubject?: boolean
  /** Chosen by tabs above the form, which keeps it. */
  isTab?: boolean
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
  /** The mistake in a field. */
  mistake?: FilterMistake | undefined
}

export interface FilterMistake {
  name: string
  text: string
}

/** Reads with the filters; a refused filter is left out and reported, and the others still apply. */
export async function withoutMistake<Read>(
  query: FilterQuery,
  read: (query: FilterQuery) => Read | Promise<Read>,
): Promise<{ read: Read; mistake: FilterMistake | undefined }> {
  try {
    return { read: await read(query), mistake: undefined }
  } catch (cause) {
    const isMistake = cause instanceof WrongOption || (cause instanceof ApiError && cause.status === 400)
    const text = isMistake ? cause.message.replace(/^Invalid query parameter: |\.$/g, '') : ''
    const name = /^\w+/.exec(text)?.[0] ?? ''
    if (!query[name]) throw cause
    return { read: await read({ ...query, [name]: undefined }), mistake: { name, text } }
  }
}

/** The address may have other parameters, such as the cursor. */
export const filtersIn = (fields: readonly FilterField[], query: FilterQuery): Record<string, string> =>
  Object.fromEntries(fields.flatMap(({ name }) => (query[name] ? [[name, query[name]]] : [])))

export function FilterForm({ view, page, fields, query, found, thing, mistake }: FilterProps) {
  const chosen = filtersIn(fields, query)
  const [subjects, narrowing] = [true, false].map((is) =>
    fields.filter(({ isSubject, isTab }) => (isSubject ?? isTab ?? false) === is),
  )
  const isFiltered = Object.keys(filtersIn(narrowing!, query)).length > 0
  const rare = fields.filter(({ isRare }) => isRare)
  const show = ({ name, label, options, placeholder, isTab }: FilterField) =>
    isTab ? (
      chosen[name] && <input type="hidden" name={name} value={chosen[name]} />
    ) : (
      <LabeledField
        name={name}
        label={label}
        options={options && [['', 'any'], ...options]}
        value={chosen[name]}
        placeholder={placeholder}
        problem={mistake?.name === name ? `${mistake.text}.` : undefined}
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
        <a class="knob bare" href={view.links.page(page, filtersIn(subjects!, query))}>
          Clear
        </a>
      )}
      {found && (
        <p class="found soft" data-panel="found">
          {foundText(found, thing, isFiltered)}
        </p>
      )}
    </form>
  )
}

function foundText(found: Count, thing: string, isFiltered: boolean): string {
  const things = `${thing}${found.count === 1 && found.isAll ? '' : 's'}`
  return `${countText(found)} ${things}${isFiltered ? ' found' : ''}`
}
