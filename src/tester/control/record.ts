/** Records requests in a sandbox's journal as a scenario, embedded or remote. */

import { contractOf } from '../../spec/contract/contract.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { requestId, requestNumber } from '../../spec/contract/ids.ts'
import { byDelayOption } from '../../spec/contract/resources/timed.ts'
import { operationOf, type Translation, translationOf } from '../../spec/contract/translation.ts'
import { SANDBOX_OPTIONS } from '../../spec/options/sandbox.ts'
import { Secrets, secretsIn } from '../../spec/secrets.ts'
import { recordScenario } from '../recorder/record-scenario.ts'
import type { RecordedEvent, RecordedRequest, Recording, Session, WrittenStep } from '../recorder/session.ts'
import { exchangeOf } from './exchange-of.ts'
import type { Remote } from './remote-call.ts'
import type { SandboxMethods } from './sandbox-verbs.ts'
import type { RequestExplained, RequestSummary, SandboxDescription } from './shapes.ts'

type Methods = Pick<SandboxMethods, 'describe' | 'requests' | 'request' | 'events' | 'ledger' | 'deliveries'>

/** The parts of a sandbox that recording uses, embedded or remote. */
type RecordedSession = Methods | Remote<Methods>

export interface RecordChoice {
  /** Default: the latest {@link LOOK_BACK} requests of the journal. */
  chosen?: readonly string[] | undefined
  name?: string | undefined
  /** Expect only the essentials: statuses, states, money and captured ids; with the ledger and the webhooks. */
  minimal?: boolean | undefined
  wholeSeconds?: boolean | undefined
}

/** How many requests before the chosen ones are searched for their dependencies. */
const LOOK_BACK = 500

export async function recordSession(sandbox: RecordedSession, choice: RecordChoice = {}): Promise<Recording> {
  const { session, known } = await readSession(sandbox, choice)
  const recording = recordScenario(session)
  const [latest] = await sandbox.requests({ limit: 1 })
  const isWhole =
    known[0]?.id === requestId(1) &&
    [...known, ...(latest ? [latest] : [])].every(({ id }) => session.chosen.includes(id)) &&
    recording.leftOut.length === 0
  if (!session.minimal || !isWhole) return recording
  return recordScenario({ ...session, closing: await closingSteps(sandbox) })
}

/** The input of a recording, and every request that was read for it. */
async function readSession(
  sandbox: RecordedSession,
  choice: RecordChoice,
): Promise<{ session: Session; known: readonly RequestSummary[] }> {
  const { chosen = [] } = choice
  const last = Math.max(...chosen.map((id) => requestNumber(id) || 0))
  const window = chosen.length === 0 ? {} : { cursor: requestId(last + 1) }
  const known = await sandbox.requests({ ...window, limit: LOOK_BACK })
  for (const id of chosen) if (!known.some((one) => one.id === id)) throw notFound(`Request ${id}`)
  const explained: RequestExplained[] = []
  for (const { id } of known) explained.push(await sandbox.request(id))
  const events = await sandbox.events({ limit: LOOK_BACK })
  return { session: sessionOf(await sandbox.describe(), explained, events, choice), known }
}

/** The whole session of an embedded sandbox, at once: a process that exits cannot wait. */
export function sessionNow(sandbox: Methods): Session {
  const explained = sandbox.requests({ limit: LOOK_BACK }).map(({ id }) => sandbox.request(id))
  return sessionOf(sandbox.describe(), explained, sandbox.events({ limit: LOOK_BACK }), {})
}

function sessionOf(
  { apiKey, environment, requireApproval, clock, profile, ...settings }: SandboxDescription,
  explained: readonly RequestExplained[],
  events: readonly object[],
  {
    chosen = [],
    name = `A session of ${chosen.length === 1 ? 'one request' : 'several requests'}`,
    minimal = false,
    wholeSeconds = false,
  }: RecordChoice,
): Session {
  const words = translationOf(contractOf(profile ?? undefined))
  const inWords = words ? words.ids(events.map((event) => words.event(event))) : events
  const requests = explained.map((one) => inOwnWords(recordedRequest(one), words))
  const secrets = new Secrets({ inPlace: 'hidden' })
  secrets.add(apiKey)
  for (const { asked } of requests) {
    const { target, headers } = asked
    secrets.addAll(secretsIn({ target, headers: Object.entries(headers) }))
  }
  const hidden = <Value>(value: Value): Value => JSON.parse(secrets.hide(JSON.stringify(value)))
  return {
    name,
    requests: hidden(requests),
    chosen: chosen.length === 0 ? requests.map(({ id }) => id) : chosen,
    events: hidden(inWords as RecordedEvent[]),
    delays: byDelayOption((option) => settings[option]),
    ...(environment !== SANDBOX_OPTIONS.environment.def.defaultValue && { environment }),
    requireApproval,
    frozen: clock.frozen,
    minimal,
    wholeSeconds,
  }
}

function recordedRequest(explained: RequestExplained): RecordedRequest {
  const { id, key, stub, step, verdict, fired, before, events } = explained
  return { ...exchangeOf(explained), id, key, stub, step, verdict, fired, before, events }
}

/** The request in the default words, which scenarios use even if the session's sandbox has a profile. */
function inOwnWords(one: RecordedRequest, words: Translation | undefined): RecordedRequest {
  const { asked, answered } = one
  if (!words) return one
  const { target } = words.ownCall(asked)
  const operation = operationOf({ ...asked, target })
  return words.ids({
    ...one,
    asked: { ...asked, target, body: words.ownBody(operation, asked.body) },
    answered: answered && words.answer(operation, answered),
  })
}

export interface PlayedRecording extends Recording {
  /** Why the recording fails when played; undefined if it passes. */
  why: string | undefined
}

/**
 * Records, and plays the result. A minimal recording has whole seconds, unless it passes only with exact times, such as a key's
 * or a refund's.
 */
export async function recordPlayed(
  sandbox: RecordedSession,
  choice: RecordChoice,
  whyNotPassed: (yaml: string) => Promise<string | undefined>,
): Promise<PlayedRecording> {
  const exact = await recordSession(sandbox, choice)
  if (!exact.recorded) return { ...exact, why: undefined }
  if (choice.minimal) {
    const whole = await recordSession(sandbox, { ...choice, wholeSeconds: true })
    if ((await whyNotPassed(whole.yaml)) === undefined) return { ...whole, why: undefined }
  }
  return { ...exact, why: await whyNotPassed(exact.yaml) }
}

/** Steps that check money and webhooks at the end, for a recording of all requests. */
async function closingSteps(sandbox: RecordedSession): Promise<WrittenStep[]> {
  const { sums } = await sandbox.ledger()
  const delivered = new Map<string, Set<string>>()
  for (const { eventType, eventId } of await sandbox.deliveries({ status: 'delivered' }))
    delivered.set(eventType, (delivered.get(eventType) ?? new Set()).add(eventId))
  return [
    ...[...delivered].map(([type, events]) => ({ webhook: { type, events: events.size } })),
    { ledger: { ...sums } },
  ]
}
