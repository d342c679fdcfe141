/** The facts about one sandbox at the end of its run, or before a part of it is removed. Written as JSON to the run's folder. */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { DOOR_STEPS } from '../../service/door/journal-entry.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { requestNumber } from '../../spec/contract/ids.ts'
import { type Audit, countsOf, type Ignored } from '../../tester/audit/judge.ts'
import { RULES } from '../../tester/audit/rules.ts'
import { type SandboxControl, steeredBy } from '../../tester/control/control.ts'
import { sessionNow } from '../../tester/control/record.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'
import type { Session } from '../../tester/recorder/session.ts'
import { moneyOf, type OrderMoney } from './money.ts'
import { isSeen, type Seen, seenOf } from './seen.ts'
import { type Details, detailsOf } from './trail.ts'

/** The test for which a sandbox was made, from the test runner. */
export interface TestLabel {
  /** Its file and its names, such as `refund.test.js > a lost answer does not refund twice`. */
  test: string
  failed: boolean
  /** The number of the attempt: a failed test may be tried again. */
  attempt: number
}

/** What came of a request, to tell what a failure has changed. */
export interface PathStep {
  op: string
  isRead: boolean
  /** Whether an earlier request of the operation had its key. */
  isRepeat: boolean
  verdict: string | null
  /** What became of the connection, or the status. */
  ending: string
  /** Whether the trouble acted on it. */
  isHit: boolean
}

export interface SandboxFacts {
  sandbox: string
  /** The test that it was made for; null if no test named itself. */
  label: TestLabel | null
  /** How many requests were sent with the sandbox's key. */
  requests: number
  seen: Seen
  /** Its requests to operations, in order. */
  path: readonly PathStep[]
  money: readonly OrderMoney[]
  /** How often each behavior of the trouble acted. */
  fired: readonly number[]
  /** How often behaviors acted that the test itself had armed. */
  ownFired: number
  audit: Audit
  details: Details
  /** What the trouble did to it, to play it again; undefined without a trouble, or if its journal was cleared. */
  recorded?: RecordedRun | undefined
}

/** A session with the order of each of its requests. */
interface RecordedRun {
  session: Session
  orders: Readonly<Record<string, string | undefined>>
}

/** The sandbox in which something went wrong, and the order, if it is known. */
export interface Suspect extends RecordedRun {
  money: readonly OrderMoney[]
  order: string | undefined
}

/** What was read of a sandbox before: later facts of it leave that out. */
export interface ReadBefore {
  /** The number of the last request. */
  request: number
  /** How often each behavior of the trouble had acted. */
  fired: readonly number[]
}

const API_KEY = DOOR_STEPS.indexOf('api key')

/** A simulator also has sandboxes without requests, and one for requests with an unknown key. */
const isKnown = ({ step }: RequestSummary) => DOOR_STEPS.indexOf(step) > API_KEY

/**
 * The facts since `before`. `requests`: only the journal is about to be cleared. The run goes on, so its money counts later,
 * and what the client may still do is not judged yet.
 */
export function factsOf(
  { behaviors: { fromOutside } }: Sandbox,
  control: SandboxControl,
  ignore: Ignored,
  before: ReadBefore,
  what: 'all' | 'requests',
): SandboxFacts {
  const requests = control.requests().filter((req) => isKnown(req) && requestNumber(req.id) > before.request)
  const ofTrouble = new Set(fromOutside.map(({ id }) => id))
  const inBackground = control.backgroundResults().filter(({ fired }) => fired)
  const acted = [...requests.flatMap(({ fired }) => fired), ...inBackground.map(({ behavior }) => behavior)]
  const isAll = what === 'all'
  const isBaseline = fromOutside.length === 0
  const money = moneyOf(control)
  const sent = new Set<string>()
  return {
    sandbox: control.name,
    label: null,
    requests: requests.length,
    seen: { requests: requests.filter(isSeen), ...(isAll && isBaseline ? seenOf(control) : NOTHING_SEEN) },
    path: requests.flatMap(({ operation: op, method, key, verdict, fault, status, fired }) => {
      if (!op) return []
      const isRepeat = sent.has(`${op} ${key}`)
      sent.add(`${op} ${key}`)
      const isHit = fired.some((id) => ofTrouble.has(id))
      return { op, isRead: !writes(method), isRepeat, verdict, ending: fault ?? String(status), isHit }
    }),
    money: isAll ? money : [],
    fired: fromOutside.map(({ fired }, index) => fired - (before.fired[index] ?? 0)),
    ownFired: acted.filter((id) => !ofTrouble.has(id)).length,
    audit: auditSince(control.audit({ ignore: isAll ? ignore : { ...ignore, ...STILL_OPEN } }), before),
    details: detailsOf(control, money),
    recorded: isAll && !isBaseline ? recordedRun(control, before) : undefined,
  }
}

function recordedRun(control: SandboxControl, before: ReadBefore): RecordedRun {
  const session = sessionNow(control)
  const requests = session.requests.filter(({ id }) => requestNumber(id) > before.request)
  const { orderName } = steeredBy(control).browse
  const orders = Object.fromEntries(requests.map(({ id }) => [id, orderName(id)]))
  return { session: { ...session, requests }, orders }
}

/** Only the baseline run needs what resulted from the requests. */
const NOTHING_SEEN = { events: [], waited: [], touched: [], receiver: null }

/** Rules about something that the client did not do: it may do it later. */
export const STILL_OPEN: Ignored = Object.fromEntries(
  RULES.flatMap(({ id, needsTheEnd }) => (needsTheEnd ? [[id, 'it was not the end']] : [])),
)

/** Without the findings that were reported before: they name earlier requests only. */
function auditSince(audit: Audit, { request }: ReadBefore): Audit {
  if (request === 0) return audit
  const isNew = ({ requests }: { requests: readonly string[] }) =>
    requests.length === 0 || requests.some((id) => requestNumber(id) > request)
  const found = { findings: audit.findings.filter(isNew), orders: audit.orders.filter(isNew) }
  const { forgotten } = audit
  return {
    ...audit,
    ...found,
    ...countsOf(found),
    requests: audit.requests - Math.max(0, request - forgotten),
    forgotten: Math.max(0, forgotten - request),
  }
}
