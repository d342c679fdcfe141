/** Verbs that arm faults, report what they did, and release held requests. */
import { z } from 'zod'
import type { WaitingRequest } from '../../sandbox/behaviors/held-requests.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { BehaviorInput } from '../../sandbox/scenario-file/armable.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { gateNotFound, malformedBehavior, notFound, notSettled } from '../../spec/contract/errors.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { within } from '../../spec/world/clock.ts'
import { Waiting, type WaitOptions } from './inputs.ts'
import { readParameters } from './read-input.ts'
import { list, listOf } from './route.ts'
import { DEFAULT_WITHIN_MS } from './settle.ts'
import { BehaviorDescription, BehaviorTrace, HeldRequest, UnfiredBehavior } from './shapes.ts'
import { verb, WaitingText } from './steered.ts'
import { unfired } from './unfired.ts'

const SCENARIO = 'application/yaml'

/** Reads behaviors sent as JSON or YAML. The reader of YAML is loaded at its first use. */
async function behaviorsOf(bytes: Uint8Array): Promise<BehaviorInput> {
  const { parseBehaviors, ScenarioError } = await import('../../sandbox/scenario-file/read.ts')
  try {
    return parseBehaviors(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw cause instanceof ScenarioError ? malformedBehavior(cause.message, cause.problems) : cause
  }
}

/** The armed behaviors in order, with their counters. */
const described = ({ behaviors }: Sandbox): BehaviorDescription[] =>
  z.encode(z.array(BehaviorDescription), [...behaviors.armed.list()])

function arm(internals: Sandbox, scenario: BehaviorInput): BehaviorDescription[] {
  internals.behaviors.armed.arm(scenario)
  return described(internals)
}

function replaceBehaviors(internals: Sandbox, scenario: BehaviorInput): BehaviorDescription[] {
  internals.behaviors.armed.replace(scenario)
  return described(internals)
}

/** Refuses an unknown gate: with a misspelled name, the requests at the right one would wait forever. */
function release({ behaviors }: Sandbox, gate: string): HeldRequest[] {
  if (!behaviors.gates().has(gate)) throw gateNotFound(gate, didYouMean(gate, behaviors.gates()))
  return describeHeld(behaviors.release(gate))
}

/** Resolves once the gate holds a request. */
async function waitForHeld({ behaviors }: Sandbox, gate: string, given: WaitOptions): Promise<HeldRequest[]> {
  const { within: patienceMs = DEFAULT_WITHIN_MS } = readParameters(Waiting, given)
  const waiting = new AbortController()
  const held = behaviors.heldRequests.whenHeld(gate, waiting.signal).catch(() => undefined)
  const found = await within(patienceMs, held, undefined)
  waiting.abort()
  if (!found) {
    const gates = behaviors.gates()
    const unknown = gates.has(gate) ? '' : `, which no armed behavior names${didYouMean(gate, gates)}`
    throw notSettled(`No request came to ${gate} within ${formatDuration(patienceMs)}${unknown}`, {})
  }
  return describeHeld(found)
}

const describeHeld = (held: WaitingRequest[]): HeldRequest[] =>
  z.encode(
    z.array(HeldRequest),
    held.map(({ gate, ...rest }) => ({ ...rest, gate: gate ?? '' })),
  )

export const BEHAVIOR_VERBS = {
  behaviors: verb<() => BehaviorDescription[]>()('GET /behaviors', {
    id: 'behaviors.list',
    answers: 'list',
    summary: 'List the armed behaviors, with their counters',
    answer: BehaviorDescription,
    does({ internals }) {
      // Commits first, so that the counters include only committed requests.
      internals.services.store.flush()
      return described(internals)
    },
  }),
  backgroundResults: verb<() => BehaviorTrace[]>()('GET /behaviors/background', {
    id: 'behaviors.background',
    answers: 'list',
    summary: 'What behaviors did to refunds, deliveries and buyers, outside of any request',
    answer: BehaviorTrace,
    does({ internals }) {
      internals.services.store.flush()
      return z.encode(z.array(BehaviorTrace), [...internals.behaviors.backgroundResults.list()])
    },
  }),
  unfired: verb<() => UnfiredBehavior[]>()('GET /behaviors/unfired', {
    id: 'behaviors.unfired',
    answers: 'list',
    summary: 'List the armed behaviors that never acted, with what came nearest',
    more: 'Those that are `optional` are left out',
    answer: UnfiredBehavior,
    does: ({ internals }) => unfired(internals),
  }),
  replaceBehaviors: verb<(scenario: BehaviorInput) => BehaviorDescription[]>()('PUT /behaviors', {
    id: 'behaviors.replace',
    answers: 'list',
    summary: 'Arm one behavior, a list, or those of a scenario, and no others',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals }, scenario) => replaceBehaviors(internals, scenario),
    run: async ({ internals }, { body }) => list(replaceBehaviors(internals, await behaviorsOf(body))),
  }),
  arm: verb<(scenario: BehaviorInput) => BehaviorDescription[]>()('POST /behaviors', {
    id: 'arm',
    answers: 'list',
    summary: 'Arm one behavior, a list, or those of a scenario, after those that are armed already',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals }, scenario) => arm(internals, scenario),
    run: async ({ internals }, { body }) => list(arm(internals, await behaviorsOf(body))),
  }),
  disarm: verb<(behaviorId?: string) => void>()('DELETE /behaviors/{id?}', {
    id: 'disarm.one',
    summary: 'Disarm one behavior',
    more: 'Default: all',
    refusals: [404],
    does: ({ internals: { behaviors } }, id) => {
      if (!behaviors.armed.disarm(id)) throw notFound('Behavior')
    },
  }),
  held: verb<() => HeldRequest[]>()('GET /gates', {
    id: 'gates.list',
    answers: 'list',
    summary: 'List the requests waiting at a gate',
    answer: HeldRequest,
    does: ({ internals }) => describeHeld(internals.behaviors.heldRequests.heldAt()),
  }),
  untilHeld: verb<(gate: string, options?: WaitOptions) => Promise<HeldRequest[]>>()('GET /gates/{name}', {
    id: 'gates.held',
    answers: 'list',
    summary: 'Wait until a gate holds a request',
    more: 'Resolves with all requests waiting there',
    query: WaitingText,
    answer: HeldRequest,
    refusals: [408],
    does: ({ internals }, gate, options = {}) => waitForHeld(internals, gate, options),
  }),
  release: verb<(gate: string) => HeldRequest[]>()('POST /gates/{name}/release', {
    id: 'gates.release',
    answers: 'list',
    summary: 'Release the requests held at a gate',
    more: 'Returns the released requests',
    refusals: [404],
    answer: HeldRequest,
    does: ({ internals }, gate) => release(internals, gate),
  }),
}
