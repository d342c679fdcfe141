/** The journal: requests with filters, and a selection of them to record as a scenario. */

import { REQUEST_FILTERS } from '../../tester/control/request-filter.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'
import { Action, CurlDetails, Empty, Snippet } from './blocks.tsx'
import { ByDay } from './days.tsx'
import type { FilterField, FilterMistake, FilterQuery } from './filter.tsx'
import { foldPolls } from './fold-polls.ts'
import { ListFrame } from './list-frame.tsx'
import { RequestLine } from './request-rows.tsx'
import type { View } from './view.ts'

/** Each is a parameter of `GET /_sim/requests`, which the curl line shows. */
export const REQUEST_FIELDS: readonly FilterField[] = Object.entries(REQUEST_FILTERS).map(
  ([name, { form }]) => ({ name, ...form }),
)

export interface RequestsProps {
  view: View
  /** Newest first. */
  requests: readonly RequestSummary[]
  query: FilterQuery
  found: number
  /** The id of the oldest request shown, if there are earlier ones. */
  next: string | undefined
  /** The query of the tester's API: it has an instant where the page's address has a duration. */
  asked: Readonly<Record<string, string>>
  /** By request: in a word, how it moved money again. */
  doubled: ReadonlyMap<string, string>
  mistake: FilterMistake | undefined
}

export function RequestsPage({ view, requests, query, found, next, asked, doubled, mistake }: RequestsProps) {
  const { key, resource } = query
  return (
    <ListFrame
      view={view}
      title="Requests"
      page="requests"
      fields={REQUEST_FIELDS}
      query={query}
      found={{ count: found, isAll: true }}
      thing="request"
      mistake={mistake}
      next={next}
      reach="The journal keeps the latest 10,000 requests."
      empty={<FirstRequest view={view} />}
      links={
        <>
          {key && (
            <a class="knob" href={view.links.page('timeline', { key })}>
              Timeline of this key
            </a>
          )}
          {resource && (
            <a class="knob" href={view.links.page('timeline', { of: resource })}>
              Timeline of this resource
            </a>
          )}
        </>
      }
      tools={
        <>
          <Action view={view} action="clearRequests" label="Clear the journal" look="risky" />
          <CurlDetails
            view={view}
            request={{ method: 'GET', path: `/requests${queryText(asked)}` }}
            what="this list"
            isAlone
          />
        </>
      }
    >
      {requests.length > 0 && (
        <form class="chosen" action={view.links.page('record')}>
          <div class="bar">
            <label class="by-script" data-all>
              <input type="checkbox" /> All on this page
            </label>
            <span class="soft">Tick requests to compare two, or to record them:</span>
            <button class="knob" type="submit" formaction={view.links.page('requests/compare')}>
              Compare
            </button>
            <button class="knob main" type="submit">
              Record scenario
            </button>
          </div>
          <ol class="rows" data-rows reversed>
            <ByDay
              view={view}
              rows={foldPolls(requests)}
              atOf={({ request }) => Date.parse(request.arrivedAt)}
            >
              {(row) => <RequestLine row={row} links={view.links} again={doubled.get(row.request.id)} pick />}
            </ByDay>
          </ol>
        </form>
      )}
    </ListFrame>
  )
}

const queryText = (filter: Readonly<Record<string, string>>) => {
  const text = new URLSearchParams(filter).toString()
  return text && `?${text}`
}

/** What an empty list shows: a request to try. */
export function FirstRequest({
  view: { base, apiKey },
  title = 'No requests yet',
}: {
  view: View
  title?: string
}) {
  const order = `{"orderId":"order-1","externalId":"biz-1","amount":100.00,"successUrl":"http://localhost:3000/ok","cancelUrl":"http://localhost:3000/no"}`
  return (
    <Empty title={title}>
      <p>Requests to /v1 and the orders that they make appear here. Try one:</p>
      <Snippet
        label="curl for a first checkout"
        text={`curl ${base}/v1/checkouts \\\n  -H 'x-api-key: ${apiKey}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${order}'`}
      />
    </Empty>
  )
}
