/** The requests, events and moves by time of the baseline run, to compute how often a trouble can act; one that cannot act is not started. */
import { conditionsOf } from '../../sandbox/behaviors/conditions.ts'
import type { Trigger } from '../../sandbox/behaviors/trigger.ts'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { Behavior } from '../../sandbox/scenario-file/behavior.ts'
import { writtenBehaviors } from '../../sandbox/scenario-file/read-behaviors.ts'
import { DOOR_STEPS } from '../../service/door/journal-entry.ts'
import { pathOfTarget } from '../../spec/contract/endpoints.ts'
import { ID_PREFIXES } from '../../spec/contract/ids.ts'
import { PROFILE_KEYS, type ProfileKey } from '../../spec/contract/profile.ts'
import { WAITED_AFTER } from '../../spec/contract/resources/timed.ts'
import { tally } from '../../spec/grouping.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'

type SeenRequest = Pick<RequestSummary, 'id' | 'method' | 'target' | 'operation' | 'subject' | 'key'>

export interface Seen {
  /** The requests that reached the point at which behaviors act. */
  requests: readonly SeenRequest[]
  /** The types of the events that were delivered; none if no webhook got a response. */
  events: readonly string[]
  /** For each resource that waited for a move by time, its kind, such as `refund`. */
  waited: readonly string[]
  /** The keys of a profile whose values it has shown. */
  touched: readonly string[]
  /** The address that its webhooks reached; null if none got a response. */
  receiver: string | null
}

const BEHAVIORS = DOOR_STEPS.indexOf('behaviors')

export const isSeen = ({ step }: { step: (typeof DOOR_STEPS)[number] }): boolean =>
  DOOR_STEPS.indexOf(step) >= BEHAVIORS

/** What came of the requests. */
export function seenOf(shop: SandboxControl): Omit<Seen, 'requests'> {
  const deliveries = shop.deliveries()
  const isReceived = deliveries.some(({ attempts }) => attempts.some(({ status }) => status !== null))
  return {
    events: isReceived ? deliveries.map(({ eventType }) => eventType) : [],
    receiver: isReceived ? (shop.webhook.get()?.url ?? null) : null,
    waited: shop.events().flatMap(({ type }) => (WAITED_AFTER.has(type) ? [type.split('.')[0]!] : [])),
    touched: touchedIn(shop),
  }
}

/** The behavior with every default filled in and durations in milliseconds. */
export const behaviorOf = (armable: Armable): Behavior => Behavior.parse(writtenBehaviors(armable)[0])

/** Whether it kills the client, which only the gauntlet can that has started it. */
export function isCrash(armable: Armable): boolean {
  const { do: what } = behaviorOf(armable)
  return ('fault' in what && what.fault === 'crash') || ('webhook' in what && what.webhook.crash === true)
}

/** How many requests, events or moves by time of a baseline run the behavior would act on. */
export function hitsIn(seen: Seen, armable: Armable): number {
  const { times = Number.POSITIVE_INFINITY, skip, ...behavior } = behaviorOf(armable)
  return matchedIn(seen, behavior).reduce((sum, count) => sum + Math.min(Math.max(count - skip, 0), times), 0)
}

/** How often it acts at most on a client that does the same and tries again what fails. */
export function mostHitsIn(seen: Seen, armable: Armable): number {
  const { times, ...behavior } = behaviorOf(armable)
  return matchedIn(seen, behavior).reduce((sum, count) => sum + (times ?? count), 0)
}

/** How many requests, events or moves by time of a baseline run match the behavior, for each of its counters (`scope`). */
function matchedIn(seen: Seen, { do: what, when, scope }: Pick<Behavior, 'do' | 'when' | 'scope'>): number[] {
  const atLeastOne = (count: number) => (count === 0 ? [] : [count])
  if ('transition' in what)
    return atLeastOne(seen.waited.filter((kind) => kind === (when.resource ?? kind)).length)
  // A buyer's decision is not visible in requests, so it is assumed.
  if ('decision' in what) return atLeastOne(seen.requests.length)
  const { isAbout } = conditionsOf(when)
  if ('webhook' in what) {
    return atLeastOne(seen.events.filter((event) => isAbout({ ...NOTHING, kind: 'delivery', event })).length)
  }
  const asked = seen.requests.filter(({ method, target, operation }) => {
    const call = `${method} ${pathOfTarget(target)}`
    return isAbout({ ...NOTHING, call, ...(operation && { op: operation }) })
  })
  return [...tally(asked.map((request) => counterOf(scope, request))).values()]
}

const NOTHING: Trigger = { kind: 'request', json: () => undefined, countedBy: {} }

function counterOf(scope: Behavior['scope'], { id, operation, subject, key }: SeenRequest): string {
  if (scope === 'op') return operation ?? ''
  // A request without a key counts on its own: bodies are not compared here.
  if (scope === 'key') return key ?? id
  return scope === 'resource' ? (subject ?? '') : ''
}

// The keys of a profile that a run has touched: no other value of the others could change it

/** The keys whose value is in what a baseline run has sent and received. */
function touchedIn(shop: SandboxControl): string[] {
  const requests = shop.requests().map(({ id }) => JSON.stringify(shop.request(id)))
  const events = shop.deliveries().length === 0 ? [] : [JSON.stringify(shop.events()), 'webhook-']
  const traffic = [...requests, ...events].join('\n').replaceAll('\\', '').toLowerCase()
  return PROFILE_KEYS.filter((row) => isTouched(row, traffic)).map(({ key }) => key)
}

/** Sections without words of their own whose effect each run shows. */
const ALWAYS = ['ids', 'timestamps', 'requests', 'answers']

function isTouched({ path: [section = '', kind = ''], fallback }: ProfileKey, traffic: string): boolean {
  const prefix = ID_PREFIXES[kind as keyof typeof ID_PREFIXES]
  if (prefix !== undefined && !traffic.includes(`"${prefix}`)) return false
  if (typeof fallback !== 'string')
    return ALWAYS.includes(section) || (section === 'add' && prefix !== undefined)
  const pieces = fallback
    .toLowerCase()
    .split(/\{\w+\}/)
    .filter(Boolean)
  return pieces.length > 0 && pieces.every((piece) => traffic.includes(piece))
}
