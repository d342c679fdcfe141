/** The journal: requests with filters, and the command that records them as a scenario. */
import { Duration } from '../../spec/contract/duration.ts'
import { cutPage, idOf } from '../../spec/contract/pages.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { readParameters } from '../../tester/control/read-input.ts'
import { REQUEST_FILTERS, RequestFilter } from '../../tester/control/request-filter.ts'
import { Action, CurlDetails, curlLine, recordCommand, Snippet } from './blocks.tsx'
import { type FilterField, type FilterQuery, readList } from './filter.ts'
import { ListFrame } from './list-frame.tsx'
import { doubledIn } from './order-sentences.tsx'
import { ROWS_SHOWN, routeTo } from './page-request.ts'
import { RequestList } from './request-rows.tsx'
import type { View } from './view.ts'

/** Each is a parameter of `GET /_sim/requests`, which the curl line shows. */
const REQUEST_FIELDS: readonly FilterField[] = Object.entries(REQUEST_FILTERS).map(([name, { form }]) => ({
  name,
  ...form,
}))

export const requestsPage = routeTo('/requests', async ({ c, control, view }) => {
  /** The query of the tester's API for the curl line: an instant if the address has a duration. */
  let asked: FilterQuery = {}
  const list = await readList(c, REQUEST_FIELDS, (where, cursor) => {
    const { since, until } = where
    asked = {
      ...where,
      ...(since && { since: timeOf(since, control) }),
      ...(until && { until: timeOf(until, control) }),
    }
    // Typed by hand in the address or chosen in the form.
    const filter = readParameters(RequestFilter, asked)
    const count = { count: control.browse.countRequests(filter), isAll: true }
    const found = control.requests({ ...filter, cursor, limit: ROWS_SHOWN + 1 }).reverse()
    return { ...cutPage(found, ROWS_SHOWN, idOf), count }
  })
  const isFiltered = Object.keys(asked).length > 0
  const recorded = isFiltered ? list.data.map(({ id }) => id).reverse() : []
  const page = (
    <ListFrame
      view={view}
      title="Requests"
      thing="request"
      list={list}
      empty={<FirstRequest view={view} />}
      tools={
        <>
          <details class="curl">
            <summary>Record {isFiltered ? 'these requests' : 'all requests'} as a scenario</summary>
            <Snippet text={recordCommand(view, ...recorded)} label="Command that records a scenario" />
          </details>
          <Action
            view={view}
            action="clearRequests"
            label="Clear the journal"
            warning="Its requests cannot be restored. Resources, events and messages stay."
          />
          <CurlDetails
            what="this list"
            curl={curlLine(view, { method: 'GET', path: `/requests${queryText(asked)}` })}
          />
        </>
      }
    >
      <RequestList requests={list.data} links={view.links} doubled={doubledIn(control)} isPage />
    </ListFrame>
  )
  return { page, status: list.status }
})

/** The instant that a duration such as `5m` ago means. */
function timeOf(text: string, control: SandboxControl): string {
  const duration = Duration.safeParse(text)
  return duration.success ? formatInstant(Math.max(0, control.clock.now() - duration.data)) : text
}

const queryText = (filter: Readonly<Record<string, string>>) => {
  const text = new URLSearchParams(filter).toString()
  return text && `?${text}`
}

/** What an empty list shows: a request to try. */
export function FirstRequest({ view: { base, apiKey } }: { view: View }) {
  const order = `{"orderId":"order-1","externalId":"biz-1","amount":100.00,"successUrl":"http://localhost:3000/ok","cancelUrl":"http://localhost:3000/no"}`
  return (
    <>
      <p>Requests to /v1 and the orders that they make appear here. Try one:</p>
      <Snippet
        label="curl for a first checkout"
        text={`curl ${base}/v1/checkouts \\\n  -H 'x-api-key: ${apiKey}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${order}'`}
      />
    </>
  )
}
