/** The journal: requests with filters, and the command that records them as a scenario. */
import { Duration, tookText } from '../../spec/contract/duration.ts'
import { fromMajor, moneyText } from '../../spec/contract/money.ts'
import { cutPage, idOf } from '../../spec/contract/pages.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { readParameters } from '../../tester/control/read-input.ts'
import { REQUEST_FILTERS, RequestFilter } from '../../tester/control/request-filter.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'
import {
  Action,
  CurlDetails,
  curlLine,
  lossText,
  recordCommand,
  Snippet,
  StatusBadge,
  TargetPath,
  TimeCell,
} from './blocks.tsx'
import type { Links } from './links.ts'
import { List } from './list.tsx'
import { type FilterField, type FilterQuery, listPage } from './list-page.tsx'
import { doubledIn } from './order-sentences.tsx'
import { ROWS_SHOWN, routeTo } from './page-request.ts'
import { tailOf } from './text.ts'
import type { View } from './view.ts'

/** Each is a parameter of `GET /_sim/requests`, which the curl line shows. */
const REQUEST_FIELDS: readonly FilterField[] = Object.entries(REQUEST_FILTERS).map(([name, { form }]) => ({
  name,
  ...form,
  isOpen: true,
}))

export const requestsPage = routeTo('/requests', (request) => {
  const { control, browse, view } = request
  /** The query of the tester's API for the curl line: an instant if the address has a duration. */
  let asked: FilterQuery = {}
  const instantOf = (text: string) => {
    const duration = Duration.safeParse(text)
    return duration.success ? formatInstant(Math.max(0, control.clock.now() - duration.data)) : text
  }
  return listPage(request, {
    title: 'Requests',
    thing: 'request',
    fields: REQUEST_FIELDS,
    read(where, cursor) {
      const { since, until } = where
      asked = {
        ...where,
        ...(since && { since: instantOf(since) }),
        ...(until && { until: instantOf(until) }),
      }
      const filter = readParameters(RequestFilter, asked)
      const count = { count: browse.countRequests(filter), isAll: true }
      const found = control.requests({ ...filter, cursor, limit: ROWS_SHOWN + 1 }).reverse()
      return { ...cutPage(found, ROWS_SHOWN, idOf), count }
    },
    empty: <FirstRequest view={view} />,
    show: (requests) => <RequestList requests={requests} links={view.links} doubled={doubledIn(browse)} />,
    tools(requests) {
      const query = new URLSearchParams(asked).toString()
      const recorded = query === '' ? [] : requests.map(({ id }) => id).reverse()
      return (
        <>
          <details class="curl">
            <summary>Record {query === '' ? 'all requests' : 'these requests'} as a scenario</summary>
            <Snippet text={recordCommand(view, ...recorded)} label="Command that records a scenario" />
          </details>
          <Action view={view} action="clearRequests" label="Clear the journal" />
          <CurlDetails
            what="this list"
            curl={curlLine(view, { method: 'GET', path: `/requests${query && `?${query}`}` })}
          />
        </>
      )
    },
  })
})

interface RequestListProps {
  requests: readonly RequestSummary[]
  links: Links
  /** For each request that moved money again, by its id: how, in a few words. */
  doubled: ReadonlyMap<string, string>
}

export function RequestList({ requests, links, doubled }: RequestListProps) {
  return (
    <List
      name="Requests"
      rows={requests}
      idOf={({ id }) => id}
      atOf={({ arrivedAt }) => arrivedAt}
      columns={[
        {
          label: 'status',
          class: 'whole',
          cell: ({ id, status, fault }) => (
            <StatusBadge status={status} fault={fault} isBad={doubled.has(id)} />
          ),
        },
        { label: 'order', class: 'wide', cell: (request) => <OrderOf request={request} links={links} /> },
        {
          label: 'request',
          class: 'long',
          cell: ({ id, method, target }) => (
            <a class="plain" href={links.any(id)}>
              <b>{method}</b> <TargetPath target={target} links={links} />
            </a>
          ),
        },
        {
          label: 'remarks',
          class: 'long',
          cell: (request) => <Remarks request={request} again={doubled.get(request.id)} />,
        },
        { label: 'time', cell: ({ arrivedAt }) => <TimeCell at={arrivedAt} /> },
        {
          label: 'took',
          class: 'number soft none',
          cell: ({ durationMs, fault }) =>
            durationMs === null ? (fault === null ? 'in flight' : '') : tookText(durationMs),
        },
      ]}
    />
  )
}

function Remarks({ request, again }: { request: RequestSummary; again: string | undefined }) {
  const { message, key } = request
  const marks = marksOf(request, message !== null)
  if (message === null && key === null && again === undefined && marks.length === 0) return null
  return (
    <div class="wrap">
      {message !== null && <span>{message}</span>}
      {key !== null && (
        <span class="soft" title={`Idempotency-Key ${key}`}>
          key {tailOf(key)}
        </span>
      )}
      {again !== undefined && <span class="chip bad">{again}</span>}
      {marks.map(({ text, tone }) => (
        <span class={`chip ${tone}`}>{text}</span>
      ))}
    </div>
  )
}

/** `order-7 · $49.95` */
function OrderOf({ request, links }: { request: RequestSummary; links: Links }) {
  const { orderId, amount, subject } = request
  const order = orderId ?? (subject === null ? undefined : links.orderName(subject))
  return (
    <>
      {order !== undefined && <b>{order}</b>}
      {order !== undefined && amount !== null && ' · '}
      {amount !== null && amountText(amount, links.currency)}
    </>
  )
}

/** As the platform wrote it, if it is not an amount. */
const amountText = (amount: number, currency: string): string =>
  Number.isInteger(Math.round(amount * 1e6) / 1e4) ? moneyText(fromMajor(amount), currency) : String(amount)

/** The marks of a request that did not simply run and succeed. `isTold`: the message of its error is shown next to them. */
export function marksOf(
  { status, verdict, fired, fault, step, stub }: RequestSummary,
  isTold = false,
): { text: string; tone: string }[] {
  const marks: { text: string; tone: string }[] = []
  if (stub !== null) marks.push({ text: stub === 'forwarded' ? 'asked real staging' : 'stub', tone: 'way' })
  if (verdict === 'replayed') marks.push({ text: 'replayed', tone: 'way' })
  // A behavior that answered instead of the operation is named below.
  if (!isTold && status !== null && status >= 400 && (step !== 'behaviors' || fired.length === 0))
    marks.push({ text: `refused: ${step}`, tone: 'wait' })
  if (fault !== null) marks.push({ text: lossText(fault), tone: 'wait' })
  for (const behavior of fired) marks.push({ text: behavior, tone: 'event' })
  return marks
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
