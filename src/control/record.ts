/** Makes a scenario of requests in a sandbox's journal, embedded or remote. */
import { requestId, requestNumber } from '../contract/ids.ts'
import { recordScenario } from '../recorder/record-scenario.ts'
import type { Recording } from '../recorder/session.ts'
import type { RequestExplained, RequestSummary, SandboxDescription } from './shapes.ts'
import type { EventFilter, RequestFilter } from './verbs.ts'

type Awaitable<Value> = Value | Promise<Value>

/** The part of a sandbox that a recording reads; a remote sandbox returns promises. */
export interface RecordedSession {
  describe(): Awaitable<SandboxDescription>
  requests(filter?: RequestFilter): Awaitable<RequestSummary[]>
  request(id: string): Awaitable<RequestExplained>
  events(filter?: EventFilter): Awaitable<readonly object[]>
}

/** How many requests before the chosen ones are searched for what they depend on. */
const LOOK_BACK = 500

/** Without `chosen`, the latest {@link LOOK_BACK} requests of the journal. */
export async function recordSession(
  sandbox: RecordedSession,
  chosen: readonly string[] = [],
  name = `A session of ${chosen.length === 1 ? 'one request' : 'several requests'}`,
): Promise<Recording> {
  const { refundDelay, requireApproval } = await sandbox.describe()
  const last = Math.max(...chosen.map(requestNumber))
  const window = chosen.length === 0 ? {} : { cursor: requestId(last + 1) }
  const known = await sandbox.requests({ ...window, limit: LOOK_BACK })
  const requests: RequestExplained[] = []
  for (const { id } of known) requests.push(await sandbox.request(id))
  return recordScenario({
    name,
    requests,
    chosen: chosen.length === 0 ? known.map(({ id }) => id) : chosen,
    events: (await sandbox.events({ limit: LOOK_BACK })) as RecordedEvents,
    refundDelay,
    requireApproval,
  })
}

type RecordedEvents = Parameters<typeof recordScenario>[0]['events']
