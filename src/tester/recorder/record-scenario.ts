/**
 * Writes recorded requests as a scenario that can be played in any sandbox: a step for each, in their order. Ids become captures, idempotency keys become
 * fresh ones, and of each answer the status and the shape are expected. Earlier requests on which the chosen ones depend
 * are added. A fault that acted on a request becomes its `X-Sim` header, unless the file arms the behavior.
 */
import { Document, isMap, visit } from 'yaml'
import { formatInstant } from '../../spec/contract/time.ts'
import { idsIn, idsSent } from './resource-ids.ts'
import type { RecordedRequest, Recording, Session } from './session.ts'
import { StepWriter } from './step-writer.ts'
import { actsAmong, delaysOf } from './tester-acts.ts'

export function recordScenario(session: Session): Recording {
  const { chosen = session.requests.map(({ id }) => id) } = session
  const requests: RecordedRequest[] = []
  const leftOut: Recording['leftOut'] = []
  for (const request of withCauses(session.requests, chosen)) {
    const why = whyNotAStep(request)
    if (why === undefined) requests.push(request)
    else if (chosen.includes(request.id)) leftOut.push({ id: request.id, why })
  }
  const delays = delaysOf(session, requests)
  const acts = actsAmong(session, requests, delays)
  const sent = requests.map(idsSent)
  const subjects = acts.map(({ subject }) => subject)
  const writer = new StepWriter(session)
  const from = (next: number) => new Set([...sent.slice(next).flat(), ...subjects])
  const writeActs = (next: number) => {
    for (const act of acts) if (act.after === next - 1) writer.act(act, from(next))
  }
  for (const [index, request] of requests.entries()) {
    writeActs(index)
    writer.request(request, from(index + 1))
  }
  // After the last of a few chosen requests, the session may have gone on.
  if (!session.chosen) writeActs(requests.length)
  const added = requests.map(({ id }) => id).filter((id) => !chosen.includes(id))
  const included = session.requests.filter(({ id }) => added.includes(id) || chosen.includes(id))
  const acted = new Set(included.flatMap(({ fired }) => fired))
  const behaviors = session.armed?.map((behavior) => {
    // Without a receiver no webhook is sent.
    const mayRest = !acted.has(behavior.id) || 'webhook' in behavior.do
    return mayRest ? { ...behavior, optional: true } : behavior
  })
  const scenario = {
    name: session.name,
    ...(session.why && { why: session.why }),
    sandbox: {
      ...session.options,
      clock: { at: formatInstant(included[0]?.at ?? 0) },
      rateLimit: 'off',
      ...delays,
    },
    ...(behaviors && { behaviors }),
    steps: [...writer.steps, ...(session.closing ?? [])],
  }
  const yaml = scenarioYaml(scenario, leftOut)
  return { yaml, recorded: writer.steps.length > 0, steps: scenario.steps.length, added, leftOut }
}

function whyNotAStep({ step, asked, answered, stub, verdict, ending }: RecordedRequest): string | undefined {
  if (answered === null && ending === null) return 'has no answer yet'
  if (stub !== null) return 'is not an endpoint: a stub answered it, which a recording does not have'
  if (step === 'rate limit') return 'was refused by the rate limit, which is off in a recorded scenario'
  if (verdict === 'in flight')
    return 'was refused because its key was in flight; recorded steps run one after another'
  if (answered?.status === 415 && /^application\/json\b/i.test(asked.headers['content-type'] ?? ''))
    return 'was refused because of its Content-Encoding, which the journal does not keep'
  if (answered?.status === 500 && step !== 'behaviors') return 'met a bug of the simulator'
  return undefined
}

/**
 * The chosen requests, and the earlier ones that created or changed a resource whose id they contain, or that used their
 * Idempotency-Key before. A cause precedes its effect, so one pass from the last request to the first finds them all.
 */
function withCauses(requests: Session['requests'], chosen: readonly string[]): readonly RecordedRequest[] {
  const included = new Set(requests.filter(({ id }) => chosen.includes(id)))
  const ids = new Set([...included].flatMap(idsIn))
  const keys = new Set([...included].flatMap(rememberedKey))
  let isBeforeAChosenOne = false
  for (const request of requests.toReversed()) {
    if (included.has(request)) isBeforeAChosenOne = true
    else if (
      isBeforeAChosenOne &&
      (request.events.some(({ resourceId }) => ids.has(resourceId)) || keys.has(keyText(request)))
    ) {
      included.add(request)
      for (const id of idsIn(request)) ids.add(id)
      for (const key of rememberedKey(request)) keys.add(key)
    }
  }
  return requests.filter((request) => included.has(request))
}

const keyText = ({ asked, key }: RecordedRequest) =>
  key === null ? '' : `${asked.method} ${asked.target} ${key}`

/** The key of a response that depends on the key's first request: the same response again, or a 422. */
const rememberedKey = (request: RecordedRequest): string[] =>
  request.verdict === 'replayed' || request.verdict === 'reused with another body' ? [keyText(request)] : []

/** A mapping at most this long as JSON is written on one line. */
const ONE_LINE_MAX = 84

function scenarioYaml(scenario: object, leftOut: Recording['leftOut']): string {
  const document = new Document(scenario)
  visit(document, {
    Pair(_, { value: inner }) {
      if (isMap(inner) && JSON.stringify(inner.toJS(document)).length <= ONE_LINE_MAX) inner.flow = true
    },
  })
  if (leftOut.length > 0) {
    document.commentBefore = [' Left out:', ...leftOut.map(({ id, why }) => ` ${id} ${why}`)].join('\n')
  }
  return document.toString({ lineWidth: 110 })
}
