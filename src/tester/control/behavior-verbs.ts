/** Verbs that arm faults and report what they did. */
import type { BehaviorEngine } from '../../sandbox/behaviors/engine.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { BehaviorInput } from '../../sandbox/scenario-file/armable.ts'
import type { Behavior } from '../../sandbox/scenario-file/behavior.ts'
import { behaviorsOrProblems } from '../../sandbox/scenario-file/read-behaviors.ts'
import { malformedScenario, notFound } from '../../spec/contract/errors.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { backgroundResults, describeBehaviors, heldNow, releaseGate, waitForHeld } from './behaviors.ts'
import type { WaitOptions } from './inputs.ts'
import { list, listOf } from './route.ts'
import { BehaviorDescription, BehaviorTrace, HeldRequest, UnfiredBehavior } from './shapes.ts'
import { adapted, verb, WaitingText } from './steered.ts'
import { unfired } from './unfired.ts'

const SCENARIO = 'application/yaml'

/**
 * Reads behaviors sent as JSON or YAML. The YAML reader is loaded only if needed: for YAML, for mistakes (it knows line and
 * column), and for JSON with spaces, which may contain duplicate keys.
 */
async function behaviorsOf(bytes: Uint8Array): Promise<Behavior[]> {
  const text = Buffer.from(bytes).toString('utf8')
  const { behaviors } = behaviorsOrProblems(plainJson(text))
  if (behaviors) return behaviors
  const { parseBehaviors, ScenarioError } = await import('../../sandbox/scenario-file/read.ts')
  try {
    return parseBehaviors(text)
  } catch (cause) {
    throw cause instanceof ScenarioError ? malformedScenario(cause.message) : cause
  }
}

/** The parsed value if the text is exactly what JSON.stringify writes; otherwise undefined. */
function plainJson(text: string): unknown {
  const value = parsedJson(text)
  return JSON.stringify(value) === text ? value : undefined
}

/** Commits first, so that the counters include only committed requests. */
function committedBehaviors({ services, behaviors }: Sandbox): BehaviorEngine {
  services.store.flush()
  return behaviors
}

function arm({ behaviors }: Sandbox, scenario: BehaviorInput): BehaviorDescription[] {
  behaviors.armed.arm(scenario)
  return describeBehaviors(behaviors)
}

function replaceBehaviors({ behaviors }: Sandbox, scenario: BehaviorInput): BehaviorDescription[] {
  behaviors.armed.replace(scenario)
  return describeBehaviors(behaviors)
}

export const BEHAVIOR_VERBS = {
  behaviors: verb<() => BehaviorDescription[]>()('GET /behaviors', {
    id: 'behaviors.list',
    answers: 'list',
    summary: 'List the armed behaviors, with their counters',
    answer: BehaviorDescription,
    does: ({ internals }) => describeBehaviors(committedBehaviors(internals)),
  }),
  backgroundResults: verb<() => BehaviorTrace[]>()('GET /behaviors/background', {
    id: 'behaviors.background',
    answers: 'list',
    summary: 'What behaviors did to refunds, deliveries and buyers, outside of any request',
    answer: BehaviorTrace,
    does: ({ internals }) => backgroundResults(committedBehaviors(internals)),
  }),
  unfired: verb<() => UnfiredBehavior[]>()('GET /behaviors/unfired', {
    id: 'behaviors.unfired',
    answers: 'list',
    summary: 'List the armed behaviors that never acted, with what came nearest',
    more: 'Those that are `optional` are left out',
    answer: UnfiredBehavior,
    does: ({ internals }) => unfired(internals),
  }),
  replaceBehaviors: adapted<(scenario: BehaviorInput) => BehaviorDescription[]>()('PUT /behaviors', {
    id: 'behaviors.replace',
    answers: 'list',
    summary: 'Arm one behavior, a list, or those of a scenario, and no others',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals }, scenario) => replaceBehaviors(internals, scenario),
    run: async ({ internals }, { body }) => list(replaceBehaviors(internals, await behaviorsOf(body))),
  }),
  arm: adapted<(scenario: BehaviorInput) => BehaviorDescription[]>()('POST /behaviors', {
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
    does: ({ internals }) => heldNow(internals.behaviors),
  }),
  untilHeld: verb<(gate: string, options?: WaitOptions) => Promise<HeldRequest[]>>()('GET /gates/{name}', {
    id: 'gates.held',
    answers: 'list',
    summary: 'Wait until a gate holds a request',
    more: 'Resolves with all requests waiting there',
    query: WaitingText,
    answer: HeldRequest,
    refusals: [408],
    does: ({ internals }, gate, options = {}) => waitForHeld(internals.behaviors, gate, options),
  }),
  release: verb<(gate: string) => HeldRequest[]>()('POST /gates/{name}/release', {
    id: 'gates.release',
    answers: 'list',
    summary: 'Release the requests held at a gate',
    more: 'Returns the released requests',
    refusals: [404],
    answer: HeldRequest,
    does: ({ internals }, gate) => releaseGate(internals.behaviors, gate),
  }),
}
