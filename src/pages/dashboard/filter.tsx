/** The filter of a list: a form that leads to the list's own address, so that a view can be shared and works without a script. */

import { ApiError } from '../../spec/contract/errors.ts'
import { WrongOption } from '../../spec/options/read.ts'
import type { Count } from '../../tester/control/browse.ts'
import { Problem } from '../form.tsx'
import { Labeled } from './blocks.tsx'
import { countText } from './text.ts'
import type { View } from './view.ts'

export interface FilterField {
  name: string
  label: string
  /** The choices; left out if any text is allowed. A pair has a value and its words. */
  options?: readonly (string | readonly [value: string, words: string])[] | undefined
  placeholder?: string
  /** Behind "More filters", unless it is used. */
  isRare?: boolean
  /** True for the subject of the page, which the link that clears the filters keeps. */
  isSubject?: boolean
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
    fields.filter(({ isSubject = false }) => isSubject === is),
  )
  const isFiltered = Object.keys(filtersIn(narrowing!, query)).length > 0
  const rare = fields.filter(({ isRare }) => isRare)
  return (
    <form class="filter" action={view.links.page(page)}>
      {fields
        .filter(({ isRare }) => !isRare)
        .map((field) => (
          <Field field={field} value={chosen[field.name]} mistake={mistake} />
        ))}
      {rare.length > 0 && (
        <details open={rare.some(({ name }) => name in chosen)}>
          <summary>More filters</summary>
          <div class="filter">
            {rare.map((field) => (
              <Field field={field} value={chosen[field.name]} mistake={mistake} />
            ))}
          </div>
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

function Field({
  field: { name, label, options, placeholder },
  value,
  mistake,
}: {
  field: FilterField
  value: string | undefined
  mistake: FilterMistake | undefined
}) {
  const isWrong = mistake?.name === name
  return (
    <Labeled label={label}>
      {options ? (
        <select name={name}>
          <option value="">any</option>
          {options.map((option) => {
            const [each, words] = typeof option === 'string' ? [option, option] : option
            return (
              <option value={each} selected={value === each}>
                {words}
              </option>
            )
          })}
        </select>
      ) : (
        <input
          class="text"
          name={name}
          value={value}
          placeholder={placeholder}
          {...(isWrong && { 'aria-invalid': 'true', 'aria-describedby': `${name}-problem`, autofocus: true })}
        />
      )}
      {isWrong && <Problem of={name}>{mistake.text}.</Problem>}
    </Labeled>
  )
}
