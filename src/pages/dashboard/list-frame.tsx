/** The frame of every list: title, filter, rows that update themselves, and links to its other pages. */
import type { Child } from 'hono/jsx'
import type { Count } from '../../tester/control/browse.ts'
import { Empty, Knob } from './blocks.tsx'
import { type FilterField, FilterForm, type FilterMistake, type FilterQuery, filtersIn } from './filter.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'

interface ListFrameProps {
  view: View
  title: string
  /** The end of the page's address, if it is more than its navigation entry. */
  page?: string
  fields: readonly FilterField[]
  /** The filters in the address, and the cursor. */
  query: FilterQuery
  /** How many rows match the filters. */
  count: Count
  /** The noun for a row: `request`. */
  thing: string
  mistakes?: readonly FilterMistake[]
  /** The cursor of the earlier rows. */
  nextCursor: string | null | undefined
  /** A sentence about how far back a filter looks. */
  reach?: string
  /** Shown while there is nothing to list. */
  empty: Child
  /** The id of the rows, if the list has other parts before them. */
  list?: string
  /** Parts next to the title, below it, and above the filter. */
  links?: Child
  tabs?: Child
  intro?: Child
  /** Parts next to the rows, and below them. */
  aside?: Child
  tools?: Child
  /** The rows, if there are any. */
  children?: Child
}

const LOOKED_AT = 'Only the latest 5,000 were searched. Earlier ones may match.'

export function ListFrame(props: ListFrameProps) {
  const { view, title, page = view.here, fields, query, count, thing, nextCursor } = props
  const { tabs, links, intro, aside, tools, mistakes = [] } = props
  const filter = filtersIn(fields, query)
  const isNarrowed = Object.keys(filter).length > 0 || query.cursor !== undefined
  const why = props.reach ?? (nextCursor ? LOOKED_AT : undefined)
  const rows = (
    <>
      <div id="list" tabindex={-1}>
        {props.children ||
          (isNarrowed ? (
            <Empty title={`No ${thing} fits the filter`}>{why && <p>{why}</p>}</Empty>
          ) : (
            props.empty
          ))}
      </div>
      <Pager
        view={view}
        page={page}
        filter={filter}
        cursor={query.cursor}
        next={nextCursor}
        things={`${thing}s`}
      />
    </>
  )
  return (
    <DashboardFrame
      view={view}
      title={title}
      isLive={!query.cursor}
      links={links}
      list={props.list ?? 'list'}
    >
      {tabs}
      {intro}
      <FilterForm
        view={view}
        page={page}
        fields={fields}
        query={query}
        found={count}
        thing={thing}
        mistakes={mistakes}
      />
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

interface PagerProps {
  view: View
  page: string
  filter?: Record<string, string>
  cursor: string | undefined
  next: string | null | undefined
  things: string
}

/** The links to the other parts of a list. */
export function Pager({ view, page, filter = {}, cursor, next, things }: PagerProps) {
  return (
    <>
      {(next || cursor) && (
        <nav class="wrap" aria-label={`Pages of ${things}`}>
          {cursor && <Knob to={view.links.page(page, filter)}>Latest {things}</Knob>}
          {next && <Knob to={view.links.page(page, { ...filter, cursor: next })}>Earlier {things}</Knob>}
        </nav>
      )}
    </>
  )
}
