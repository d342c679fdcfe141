/** Plays a recorded scenario before it is given out: if it failed later, the service would be blamed. */
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { parseScenario, ScenarioError } from '../../sandbox/scenario-file/read.ts'
import { EVENT_TYPES } from '../../spec/contract/event.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { KINDS_WITH_STATES } from '../../spec/contract/profile-kinds.ts'
import { byResource, DEFINITIONS } from '../../spec/contract/resources/index.ts'
import { Secrets } from '../../spec/secrets.ts'
import type { StartedSimulator } from './run-setup.ts'
import { playFile } from './session.ts'

/**
 * A profile with other names for everything: a recording that passes under it and under the defaults does not
 * depend on the words of either.
 */
const OTHER_WORDS = {
  ids: {
    prefixes: { ...byResource(({ prefix }) => `other-${prefix}`), event: 'other-evt_' },
    length: 32,
  },
  lists: { items: 'items', hasMore: 'more' },
  states: Object.fromEntries(KINDS_WITH_STATES.map((kind) => [kind, inCapitals(DEFINITIONS[kind].states)])),
  events: inCapitals(EVENT_TYPES),
  errors: { texts: { notFound: 'No such {resource}', missingField: 'The field {field} is required' } },
  idempotency: { replayHeader: 'X-Replayed' },
} satisfies ProfileChanges

function inCapitals(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, word.toUpperCase()]))
}

/**
 * What fails first, under the defaults or under a profile with other words; undefined if all of it passes
 * under both.
 */
export async function whyNotPassed(
  yaml: string,
  start: () => Promise<StartedSimulator>,
): Promise<string | undefined> {
  const scenario = scenarioOf(yaml)
  if (scenario instanceof ScenarioError) return scenario.message
  const { url, close } = await start()
  try {
    const here = await whyFailed(scenario, url, undefined)
    if (here !== undefined) return here
    const elsewhere = await whyFailed(scenario, url, OTHER_WORDS)
    return elsewhere && `under a profile with other words, ${elsewhere}`
  } finally {
    await close()
  }
}

async function whyFailed(scenario: Scenario, url: string, profile: ProfileChanges | undefined) {
  const { outcome, reason, steps } = await playFile(
    'recorded.yaml',
    scenario,
    { base: new URL(url), apiKey: undefined, adminToken: undefined, profile, takesProfile: true },
    {
      env: {},
      secrets: new Secrets(),
      keepGoing: false,
      patience: { within: 0, every: 0 },
      onStep() {},
    },
  )
  if (outcome !== 'failed') return undefined
  const [first] = steps.find((step) => step.outcome === 'failed')?.differences ?? []
  return first
    ? `${reason}: ${first.path} is expected to be ${first.expected}, and is ${first.received}`
    : reason
}

/** The recorded requests may be too large for a scenario file. */
function scenarioOf(yaml: string) {
  try {
    return parseScenario(yaml)
  } catch (cause) {
    if (cause instanceof ScenarioError) return cause
    throw cause
  }
}
