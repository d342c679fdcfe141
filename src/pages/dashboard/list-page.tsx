/**
 * Every list: title, filter, rows that update themselves, and links to its other pages. The filters are in the address, so that a
 * view can be shared and works without a script.
 */
import type { Child } from 'hono/jsx'
import { ApiError, invalidParameter } from '../../spec/contract/errors.ts'
import { WrongOption } from '../../spec/options/read.ts'
import type { Part } from '../../tester/control/browse.ts'
import type { FormField } from '../../tester/control/request-filter.ts'
import { Notice } from '../blocks.tsx'
import { Field } from '../form.tsx'
import { Knob } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { chosenOf, type PageRequest, type Reply } from './page-request.ts'
import { countText } from './text.ts'
import type { View } from './view.ts'

export interface FilterField extends FormField {
  name: string
  /** Whether values besides the options are allowed. */
  isOpen?: boolean
}

export type FilterQuery = Readonly<Record<string, string>>

interface ListPage<Row> {
  title: string
  /** The end of the page's address, if it is more than its navigation entry. */
  page?: string
  /** The noun for a row: `request`. */
  thing: string
  fields: readonly FilterField[]
  read(where: FilterQuery, cursor: string | undefined): Part<Row>
  show(rows: readonly Row[]): Child
  /** What an empty list shows: what will be listed, and how to get there. */
  empty: Child
  /** Parts next to the title, and above the filter. */
  links?: Child
  intro?: Child
  /** Parts next to the rows, and below them. */
  aside?: Child
  tools?(rows: readonly Row[]): Child
}

export function listPage<Row>({ c, view }: PageRequest, list: ListPage<Row>): Reply {
  const { title, page = view.here, thing, fields, read, show, empty, links, intro, aside, tools } = list
  const cursor = c.req.query('cursor') || undefined
  const filter = chosenOf(
    c,
    fields.map(({ name }) => name),
  ) as FilterQuery
  const { found, problems } = readValid(fields, filter, (where) => read(where, cursor))
  const { data, nextCursor, count } = found
  const isFiltered = Object.keys(filter).length > 0
  const things = `${thing}s`
  const rare = fields.filter(({ isRare }) => isRare)
  const fieldOf = ({ name, label, options, placeholder }: FilterField) => (
    <Field
      name={name}
      label={label}
      options={options && [['', 'any'], ...options]}
      value={filter[name]}
      placeholder={placeholder}
      problem={problems[name]}
      autofocus={name in problems}
    />
  )
  const shown = (
    <DashboardFrame view={view} title={title} isLive={!cursor} links={links} content="list">
      {intro}
      <form class="filter" action={view.links.page(page)}>
        {fields.filter(({ isRare }) => !isRare).map(fieldOf)}
        {rare.length > 0 && (
          <details open={rare.some(({ name }) => name in filter)}>
            <summary>More filters</summary>
            <div class="filter">{rare.map(fieldOf)}</div>
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
        <p class="found soft">
          {countText(count)} {count.count === 1 && count.isAll ? thing : things}
          {isFiltered && ' found'}
        </p>
      </form>
      <div class={aside ? 'columns' : undefined}>
        <div class="stack">
          <div id="list" tabindex={-1}>
            {data.length > 0 ? (
              show(data)
            ) : isFiltered || cursor ? (
              <Notice>
                <b>{`No ${thing} fits the filter`}</b>
                {nextCursor && <p>Only the latest 5,000 were searched. Earlier ones may match.</p>}
              </Notice>
            ) : (
              <Notice>
                <b>{`No ${things} yet`}</b>
                {empty}
              </Notice>
            )}
          </div>
          <Pager view={view} page={page} filter={filter} cursor={cursor} next={nextCursor} things={things} />
        </div>
        {aside && <div class="aside">{aside}</div>}
      </div>
      {tools && <footer class="tools">{tools(data)}</footer>}
    </DashboardFrame>
  )
  return { page: shown, status: Object.keys(problems).length > 0 ? 400 : 200 }
}

interface PagerProps {
  view: View
  page: string
  filter?: FilterQuery
  cursor: string | undefined
  next: string | null | undefined
  things: string
}

/** The links to the other parts of a list. */
export function Pager({ view, page, filter = {}, cursor, next, things }: PagerProps) {
  if (!next && !cursor) return null
  return (
    <nav class="wrap" aria-label={`Pages of ${things}`}>
      {cursor && <Knob to={view.links.page(page, filter)}>Latest {things}</Knob>}
      {next && <Knob to={view.links.page(page, { ...filter, cursor: next })}>Earlier {things}</Knob>}
    </nav>
  )
}

/** Refused filters are omitted and reported, and the others still apply. */
function readValid<Row>(
  fields: readonly FilterField[],
  filter: FilterQuery,
  read: (where: FilterQuery) => Part<Row>,
): { found: Part<Row>; problems: Readonly<Record<string, string>> } {
  const problems: Record<string, string> = {}
  for (let where = filter; ; ) {
    try {
      requireChoices(fields, where)
      return { found: read(where), problems }
    } catch (cause) {
      const mistake = mistakeOf(cause)
      if (!mistake || !where[mistake.name]) throw cause
      problems[mistake.name] = `${mistake.text}.`
      const { [mistake.name]: _, ...others } = where
      where = others
    }
  }
}

function requireChoices(fields: readonly FilterField[], filter: FilterQuery): void {
  for (const { name, options, isOpen } of fields) {
    const values = options?.map((option) => (typeof option === 'string' ? option : option[0]))
    if (values && !isOpen && filter[name] && !values.includes(filter[name]))
      throw invalidParameter(name, `must be one of ${values.join(', ')}`)
  }
}

function mistakeOf(cause: unknown): { name: string; text: string } | undefined {
  if (cause instanceof WrongOption) return { name: cause.option, text: cause.message.replace(/\.$/, '') }
  if (!(cause instanceof ApiError) || cause.text?.name !== 'invalidParameter') return undefined
  const { name = '', rule } = cause.text.values
  return { name, text: `${name} ${rule}` }
}
