/** The frame of every list: title, filter, rows that update themselves, and links to its other pages. */
import type { Child } from 'hono/jsx'
import { Field } from '../form.tsx'
import { Empty, Knob } from './blocks.tsx'
import type { FilteredList, FilterField, FilterQuery } from './filter.ts'
import { DashboardFrame } from './frame.tsx'
import { countText } from './text.ts'
import type { View } from './view.ts'

interface ListFrameProps {
  view: View
  title: string
  /** The end of the page's address, if it is more than its navigation entry. */
  page?: string
  /** The noun for a row: `request`. */
  thing: string
  list: FilteredList<unknown>
  /** What an empty list shows: what will be listed, and how to get there. */
  empty: Child
  /** Parts next to the title, and above the filter. */
  links?: Child
  intro?: Child
  /** Parts next to the rows, and below them. */
  aside?: Child
  tools?: Child
  /** The rows. */
  children?: Child
}

export function ListFrame(props: ListFrameProps) {
  const { view, title, page = view.here, thing, list, empty, links, intro, aside, tools, children } = props
  const { data, nextCursor, filter, cursor } = list
  const isNarrowed = Object.keys(filter).length > 0 || cursor !== undefined
  const rows = (
    <>
      <div id="list" tabindex={-1}>
        {data.length > 0 ? (
          children
        ) : isNarrowed ? (
          <Empty title={`No ${thing} fits the filter`}>
            {nextCursor && <p>Only the latest 5,000 were searched. Earlier ones may match.</p>}
          </Empty>
        ) : (
          <Empty title={`No ${thing}s yet`}>{empty}</Empty>
        )}
      </div>
      <Pager view={view} page={page} filter={filter} cursor={cursor} next={nextCursor} things={`${thing}s`} />
    </>
  )
  return (
    <DashboardFrame view={view} title={title} isLive={!cursor} links={links} content="list">
      {intro}
      <Filter view={view} page={page} list={list} thing={thing} />
      {aside ? (
        <div class="columns">
          <div class="stack">{rows}</div>
          <div class="aside">{aside}</div>
        </div>
      ) : (
        rows
      )}
      {tools && <footer class="tools">{tools}</footer>}
    </DashboardFrame>
  )
}

type FilterProps = Pick<ListFrameProps, 'view' | 'list' | 'thing'> & { page: string }

function Filter({ view, page, list: { fields, filter, problems, count }, thing }: FilterProps) {
  const isFiltered = Object.keys(filter).length > 0
  const rare = fields.filter(({ isRare }) => isRare)
  const show = ({ name, label, options, placeholder }: FilterField) => (
    <Field
      name={name}
      label={label}
      options={options && [['', 'any'], ...options]}
      value={filter[name]}
      placeholder={placeholder}
      problem={problems[name]}
    />
  )
  return (
    <form class="filter" action={view.links.page(page)}>
      {fields.filter(({ isRare }) => !isRare).map(show)}
      {rare.length > 0 && (
        <details open={rare.some(({ name }) => name in filter)}>
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
      <p class="found soft">
        {countText(count)} {thing}
        {!(count.count === 1 && count.isAll) && 's'}
        {isFiltered && ' found'}
      </p>
    </form>
  )
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
