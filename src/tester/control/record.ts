/** Records requests in a sandbox's journal as a scenario, embedded or remote. */

import { contractOf } from '../../spec/contract/contract.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { requestId, requestNumber } from '../../spec/contract/ids.ts'
import { byDelayOption } from '../../spec/contract/resources/timed.ts'
import { operationOf, type Translation, translationOf } from '../../spec/contract/translation.ts'
import { SANDBOX_OPTIONS } from '../../spec/options/sandbox.ts'
import { Secrets, secretsIn } from '../../spec/secrets.ts'
import { recordScenario } from '../recorder/record-scenario.ts'
import type { RecordedEvent, RecordedRequest, Recording, Session } from '../recorder/session.ts'
import type { Remote } from './remote-call.ts'
import type { SandboxMethods } from './sandbox-verbs.ts'
import type { RequestExplained, SandboxDescription } from './shapes.ts'

type Methods = Pick<SandboxMethods, 'describe' | 'requests' | 'request' | 'events'>

/** The parts of a sandbox that recording uses, embedded or remote. */
type RecordedSession = Methods | Remote<Methods>

interface RecordChoice {
  /** Default: the latest {@link LOOK_BACK} requests of the journal. */
  chosen?: readonly string[] | undefined
  name?: string | undefined
}

/** How many requests before the chosen ones are searched for their dependencies. */
const LOOK_BACK = 500

export async function recordSession(sandbox: RecordedSession, choice: RecordChoice = {}): Promise<Recording> {
  const { chosen = [] } = choice
  const last = Math.max(...chosen.map((id) => requestNumber(id) || 0))
  const window = chosen.length === 0 ? {} : { cursor: requestId(last + 1) }
  const known = await sandbox.requests({ ...window, limit: LOOK_BACK })
  for (const id of chosen) if (!known.some((request) => request.id === id)) throw notFound(`Request ${id}`)
  const explained: RequestExplained[] = []
  for (const { id } of known) explained.push(await sandbox.request(id))
  const events = await sandbox.events({ limit: LOOK_BACK })
  return recordScenario(sessionOf(await sandbox.describe(), explained, events, choice))
}

/** The whole session of an embedded sandbox, synchronously: a process that exits cannot wait. */
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
  }: RecordChoice,
): Session {
  const words = translationOf(contractOf(profile ?? undefined))
  const inWords = words ? words.ids(events.map((event) => words.event(event))) : events
  const requests = explained.map((request) => inOwnWords(recordedRequest(request), words))
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
    ...(chosen.length > 0 && { chosen }),
    events: hidden(inWords as RecordedEvent[]),
    delays: byDelayOption((option) => settings[option]),
    options: {
      ...(environment !== SANDBOX_OPTIONS.environment.def.defaultValue && { environment }),
      ...(profile?.add && { profile: { add: profile.add } }),
      ...(requireApproval && { requireApproval }),
    },
    frozen: clock.frozen,
  }
}

function recordedRequest(explained: RequestExplained): RecordedRequest {
  const { method, target, arrivedAt, durationMs, status, fault, request, response } = explained
  const { id, key, stub, step, verdict, fired, before, events } = explained
  return {
    asked: { method, target, headers: request.headers, body: request.body },
    answered: response && status !== null ? { status, headers: response.headers, body: response.body } : null,
    ending: fault,
    at: Date.parse(arrivedAt),
    took: durationMs ?? 0,
    ...{ id, key, stub, step, verdict, fired, before, events },
  }
}

/** The request in the default words, which scenarios use even if the session's sandbox has a profile. */
function inOwnWords(request: RecordedRequest, words: Translation | undefined): RecordedRequest {
  const { asked, answered } = request
  if (!words) return request
  const { target } = words.ownCall(asked)
  const operation = operationOf({ ...asked, target })
  return words.ids({
    ...request,
    asked: { ...asked, target, body: words.ownBody(operation, asked.body) },
    answered: answered && words.answer(operation, answered),
  })
}
