/** The pages about requests: what each shows of the journal. */

import type { Context } from 'hono'
import { Duration } from '../../spec/contract/duration.ts'
import { invalidParameter } from '../../spec/contract/errors.ts'
import { idKindOf, requestId, requestNumber } from '../../spec/contract/ids.ts'
import { instant } from '../../spec/options/values.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { readParameters } from '../../tester/control/read-input.ts'
import { recordedRequest, recordPlayed } from '../../tester/control/record.ts'
import { RequestFilter } from '../../tester/control/request-filter.ts'
import type { RequestExplained, RequestSummary } from '../../tester/control/shapes.ts'
import { recordStep } from '../../tester/recorder/record-scenario.ts'
import type { Fields } from './actions.ts'
import { BesidePage, ChangeRequestPage } from './again.tsx'
import { type FilterQuery, withoutMistake } from './filter.tsx'
import { foldPolls } from './fold-polls.ts'
import { subjects, timelineOf, timelineOfKey } from './page-data.ts'
import { chosenOf, inPath, type PageRequest, type Reply, ROWS_SHOWN } from './page-request.ts'
import { RecordPage } from './record-page.tsx'
import { RequestPage } from './request.tsx'
import { REQUEST_FIELDS, RequestsPage } from './requests.tsx'
import type { Mistake } from './send-again.ts'
import { HEADERS } from './send-page.ts'
import { pickMoments } from './timeline-filter.ts'
import { TIMELINE_FIELDS, TimelinePage } from './timeline-page.tsx'
import { toldOfRequests } from './told.tsx'
import type { View } from './view.ts'

/** The most requests read for one page: polls are folded, so more are read than there are rows. */
const POLLS_READ_MOST = 200

export async function requestsReply({ c, control, view }: PageRequest): Promise<Reply> {
  const { cursor, ...query } = chosenOf(c, [...REQUEST_FIELDS.map(({ name }) => name), 'cursor'])
  const { read, mistake } = await withoutMistake(query, (chosen) => {
    const { since, until } = chosen
    const asked = asDefined({
      ...chosen,
      since: since && timeOf(since, control),
      until: until && timeOf(until, control),
    })
    // Typed by hand in the address or chosen in the form.
    const filter = readParameters(RequestFilter, asked)
    return {
      ...readRequests(control, filter, cursor, ROWS_SHOWN),
      found: control.browse.countRequests(filter),
      asked,
    }
  })
  return {
    status: mistake ? 400 : 200,
    page: (
      <RequestsPage
        view={view}
        {...read}
        mistake={mistake}
        query={{ ...query, cursor }}
        doubled={await doubledBy(control)}
      />
    ),
  }
}

const asDefined = (query: FilterQuery) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value)) as Record<string, string>

/** Requests that moved money again, each with a word for its row. */
async function doubledBy({ browse }: SandboxControl): Promise<Map<string, string>> {
  const doubled = await browse.doubled()
  return new Map(
    doubled.flatMap(({ requests, worst }) => requests.slice(1).map((id) => [id, worst] as const)),
  )
}

/** So many rows, newest first; polls are one row, so more requests are read, but not the whole journal. */
export function readRequests(
  control: SandboxControl,
  filter: RequestFilter,
  cursor: string | undefined,
  rows: number,
): { requests: RequestSummary[]; next: string | undefined } {
  const requests: RequestSummary[] = []
  let next = cursor
  do {
    const found = control.requests({ ...filter, cursor: next, limit: rows + 1 }).reverse()
    requests.push(...found.slice(0, rows))
    next = found.length > rows ? requests.at(-1)?.id : undefined
  } while (next && requests.length < POLLS_READ_MOST && foldPolls(requests).length < rows)
  return { requests, next }
}

/** The time for a text such as `5m`, which means that long before now. */
function timeOf(text: string, control: SandboxControl): string {
  const duration = Duration.safeParse(text)
  return duration.success ? new Date(Math.max(0, control.clock.now() - duration.data)).toISOString() : text
}

/** The time of a request, by its id, or of an instant as text. */
const instantOf = (text: string, control: SandboxControl): number =>
  idKindOf(text) === 'request'
    ? Date.parse(control.request(text).arrivedAt)
    : instant(timeOf(text, control), 'since')

export const findRequest = (c: Context, control: SandboxControl) => control.request(inPath(c, 'id'))

/** The gate at which a request waits now. */
const gateOf = (control: SandboxControl, id: string) =>
  control.waiting().find(({ request }) => request === id)?.gate

export async function requestReply({ c, control, view }: PageRequest): Promise<Reply> {
  const explained = findRequest(c, control)
  const { id, key, method, target } = explained
  const uses =
    key === null
      ? []
      : control.requests({ key }).filter((use) => use.method === method && use.target === target)
  const number = requestNumber(id)
  const neighbor = (other: number) =>
    control.requests({ cursor: requestId(other + 1), since: requestId(other - 1), limit: 1 })[0]?.id
  return {
    page: (
      <RequestPage
        view={view}
        request={explained}
        uses={uses}
        step={recordStep(recordedRequest(explained))}
        gate={gateOf(control, id)}
        told={await toldOfRequests(control, [explained])}
        earlier={number > 1 ? neighbor(number - 1) : undefined}
        later={neighbor(number + 1)}
      />
    ),
  }
}

export const changeRequestReply = ({ c, control, view }: PageRequest): Reply =>
  changedRequest(view, findRequest(c, control))

/** The form to change a request; after a mistake, as it was typed. */
export const changedRequest = (
  view: View,
  explained: RequestExplained,
  typed: Fields = {},
  mistake?: Mistake,
): Reply => ({
  status: mistake === undefined ? 200 : 400,
  page: <ChangeRequestPage view={view} request={explained} typed={typed} mistake={mistake} />,
})

export async function besideReply({ c, control, view }: PageRequest): Promise<Reply> {
  const first = findRequest(c, control)
  const second = control.request(inPath(c, 'other'))
  return {
    page: (
      <BesidePage
        view={view}
        first={first}
        second={second}
        gate={gateOf(control, second.id)}
        told={await toldOfRequests(control, [first, second])}
      />
    ),
  }
}

/**
 * Compares two requests that were checked in the list; with another number, the list says how many to check.
 */
export function compareRequestsReply({ c, control, view }: PageRequest): Reply {
  const [first, second, ...more] = (c.req.queries('id') ?? []).map((id) => control.request(id).id).reverse()
  if (first === undefined || second === undefined || more.length > 0)
    throw invalidParameter('id', 'must be two requests to compare: tick two rows')
  return { to: view.links.beside(first, second) }
}

/** Which requests a recording has. */
const recordChoice = (c: Context) => ({
  chosen: (c.req.queries('id') ?? []).filter((id) => !Number.isNaN(requestNumber(id))),
  minimal: c.req.query('minimal') !== undefined,
})

export async function recordReply({ c, control, view, dashboard }: PageRequest): Promise<Reply> {
  const choice = recordChoice(c)
  const recording =
    choice.chosen.length > 0 ? await recordPlayed(control, choice, dashboard.whyRecordingFails) : undefined
  return { page: <RecordPage view={view} {...choice} recording={recording} /> }
}

export async function recordFileReply({ c, control, dashboard }: PageRequest): Promise<Reply> {
  const { yaml } = await recordPlayed(control, recordChoice(c), dashboard.whyRecordingFails)
  return c.body(yaml, 200, {
    ...HEADERS,
    'Content-Type': 'application/yaml; charset=utf-8',
    'Content-Disposition': 'attachment; filename="session.yaml"',
  })
}

export async function timelineReply({ c, control, view }: PageRequest): Promise<Reply> {
  const query = chosenOf(
    c,
    TIMELINE_FIELDS.map(({ name }) => name),
  )
  const { of, key } = query
  const found = of ? await timelineOf(control, of) : key ? await timelineOfKey(control, key) : undefined
  const { read: moments, mistake } = await withoutMistake(query, ({ of: _, key: __, since, ...filter }) =>
    found
      ? pickMoments(found.timeline.moments, {
          ...filter,
          since: since === undefined ? undefined : instantOf(since, control),
        })
      : undefined,
  )
  return {
    status: mistake ? 400 : 200,
    page: (
      <TimelinePage
        view={view}
        query={query}
        mistake={mistake}
        timeline={found && moments && { ...found.timeline, moments }}
        cut={found?.cut ?? false}
        subjects={found ? [] : subjects(control)}
        keys={found ? [] : control.browse.keysUsedAgain()}
      />
    ),
  }
}
