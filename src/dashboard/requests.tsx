/** The journal: requests with filters, and a selection of them to record as a scenario. */
import type { RequestSummary } from '../control/shapes.ts'
import { OPERATIONS } from '../operations/table.ts'
import { Action, CurlDetails, Empty, Labeled } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { FirstRequest } from './overview-page.tsx'
import { RequestRows } from './request-rows.tsx'
import type { View } from './view.ts'

export type RequestQuery = Partial<Record<'op' | 'status' | 'key' | 'resource' | 'cursor', string>>

const STATUSES = ['2xx', '4xx', '5xx', '400', '401', '403', '404', '409', '422', '429', 'none']

export interface RequestsProps {
  view: View
  /** Newest first. */
  requests: readonly RequestSummary[]
  query: RequestQuery
  /** The oldest one shown, if there are earlier ones. */
  next: string | undefined
}

export function RequestsPage({ view, requests, query, next }: RequestsProps) {
  const { cursor, ...filter } = query
  const filtered = Object.keys(filter).length > 0
  return (
    <DashboardFrame view={view} title="Requests">
      <header class="title">
        <h1>Requests</h1>
        {filter.key && (
          <a class="knob" href={view.links.page('timeline', { key: filter.key })}>
            Timeline of this key
          </a>
        )}
        {filter.resource && (
          <a class="knob" href={view.links.page('timeline', { of: filter.resource })}>
            Timeline of this resource
          </a>
        )}
      </header>
      <FilterForm view={view} query={query} filtered={filtered} />
      {requests.length === 0 && !filtered && !cursor && <FirstRequest view={view} />}
      {requests.length === 0 && (filtered || cursor) && (
        <Empty title="No request matches the filter">
          <p>The journal keeps the latest 10,000 requests.</p>
        </Empty>
      )}
      {requests.length > 0 && (
        <form class="chosen" action={view.links.page('record')}>
          <div class="bar">
            <label data-all hidden>
              <input type="checkbox" /> All on this page
            </label>
            <span class="soft">Select requests to record them as a scenario:</span>
            <button class="knob main" type="submit">
              Record scenario
            </button>
          </div>
          <ol class="rows" reversed>
            <RequestRows requests={requests} links={view.links} pick />
          </ol>
        </form>
      )}
      {next && (
        <p>
          <a class="knob" href={view.links.page('requests', { ...filter, cursor: next })}>
            Earlier requests
          </a>
        </p>
      )}
      <footer class="tools">
        <Action view={view} action="clearRequests" label="Clear the journal" look="risky" />
        <CurlDetails
          view={view}
          request={{ method: 'GET', path: `/requests${queryText(filter)}` }}
          what="this list"
          isAlone
        />
      </footer>
    </DashboardFrame>
  )
}

const queryText = (filter: RequestQuery) => {
  const text = new URLSearchParams(filter).toString()
  return text && `?${text}`
}

function FilterForm({ view, query, filtered }: { view: View; query: RequestQuery; filtered: boolean }) {
  return (
    <form class="filter" action={view.links.page('requests')}>
      <Labeled label="Operation">
        <select name="op">
          <option value="">any</option>
          {OPERATIONS.map(({ id }) => (
            <option value={id} selected={id === query.op}>
              {id}
            </option>
          ))}
        </select>
      </Labeled>
      <Labeled label="Status">
        <select name="status">
          <option value="">any</option>
          {STATUSES.map((status) => (
            <option value={status} selected={status === query.status}>
              {status === 'none' ? 'not answered yet' : status}
            </option>
          ))}
        </select>
      </Labeled>
      <Labeled label="Idempotency-Key">
        <input class="text" name="key" value={query.key} />
      </Labeled>
      <Labeled label="Resource">
        <input class="text" name="resource" value={query.resource} placeholder="chk_…" />
      </Labeled>
      <button class="knob" type="submit">
        Filter
      </button>
      {filtered && (
        <a class="knob bare" href={view.links.page('requests')}>
          Clear
        </a>
      )}
    </form>
  )
}
