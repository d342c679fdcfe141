/** The journal: requests with filters, and the command that records them as a scenario. */
import { Duration } from '../../spec/contract/duration.ts'
import { cutPage, idOf } from '../../spec/contract/pages.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { readParameters } from '../../tester/control/read-input.ts'
import { REQUEST_FILTERS, RequestFilter } from '../../tester/control/request-filter.ts'
import { Action, CurlDetails, curlLine, Empty, recordCommand, Snippet } from './blocks.tsx'
import { type FilterField, type FilterQuery, readList } from './filter.tsx'
import { ListFrame } from './list-frame.tsx'
import { doubledIn } from './order-sentences.tsx'
import { type PageRequest, pageRoute, ROWS_SHOWN } from './page-request.ts'
import { RequestList } from './request-rows.tsx'
import type { View } from './view.ts'

/** Each is a parameter of `GET /_sim/requests`, which the curl line shows. */
const REQUEST_FIELDS: readonly FilterField[] = Object.entries(REQUEST_FILTERS).map(([name, { form }]) => ({
  name,
  ...form,
}))

async function load({ c, control }: PageRequest) {
  const list = await readList(c, REQUEST_FIELDS, (where, cursor) => {
    const { since, until } = where
    /** The query of the tester's API for the curl line: an instant if the address has a duration. */
    const asked = asDefined({
      ...where,
      since: since && timeOf(since, control),
      until: until && timeOf(until, control),
    })
    // Typed by hand in the address or chosen in the form.
    const filter = readParameters(RequestFilter, asked)
    const count = { count: control.browse.countRequests(filter), isAll: true }
    const found = control.requests({ ...filter, cursor, limit: ROWS_SHOWN + 1 }).reverse()
    return { ...cutPage(found, ROWS_SHOWN, idOf), count, asked }
  })
  return { ...list, doubled: doubledIn(control) }
}

const asDefined = (query: FilterQuery) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value)) as Record<string, string>

/** The instant that a duration such as `5m` ago means. */
function timeOf(text: string, control: SandboxControl): string {
  const duration = Duration.safeParse(text)
  return duration.success ? formatInstant(Math.max(0, control.clock.now() - duration.data)) : text
}

function view(view: View, data: Awaited<ReturnType<typeof load>>) {
  const { data: requests, asked, doubled, ...list } = data
  const isFiltered = Object.keys(asked).length > 0
  const recorded = isFiltered ? requests.map(({ id }) => id).reverse() : []
  return (
    <ListFrame
      view={view}
      title="Requests"
      thing="request"
      {...list}
      reach="The journal keeps the latest 10,000 requests."
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
      {requests.length > 0 && <RequestList requests={requests} links={view.links} doubled={doubled} isPage />}
    </ListFrame>
  )
}

export const requestsPage = pageRoute({ path: '/requests', load, view })

const queryText = (filter: Readonly<Record<string, string>>) => {
  const text = new URLSearchParams(filter).toString()
  return text && `?${text}`
}

/** What an empty list shows: a request to try. */
export function FirstRequest({ view, title = 'No requests yet' }: { view: View; title?: string }) {
  const { base, apiKey } = view
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
