/** Plays a recorded scenario before it is handed out: if it failed later, the service would be blamed. */
import { parseScenario, ScenarioError } from '../../sandbox/scenario-file/read.ts'
import { Secrets } from '../../spec/secrets.ts'
import type { StartedSimulator } from './run-setup.ts'
import { playFile } from './session.ts'

/** The first failure in a simulator started for this scenario; undefined if all steps pass. */
export async function whyNotPassed(
  yaml: string,
  start: () => Promise<StartedSimulator>,
): Promise<string | undefined> {
  const { url, close } = await start()
  return whyFailed(yaml, url).finally(close)
}

/** The first failure at this address; undefined if all steps pass. */
export async function whyFailed(yaml: string, url: string): Promise<string | undefined> {
  const scenario = scenarioOf(yaml)
  if (scenario instanceof ScenarioError) return scenario.message
  const target = { base: new URL(url), apiKey: undefined, adminToken: undefined }
  const { outcome, reason, steps } = await playFile('recorded.yaml', scenario, target, {
    env: {},
    secrets: new Secrets(),
    keepGoing: false,
    patience: { within: 0, every: 0 },
    onStep() {},
  })
  if (outcome !== 'failed') return undefined
  const [first] = steps.find((step) => step.outcome === 'failed')?.differences ?? []
  return first
    ? `${reason}: expected ${first.path} to be ${first.expected}, received ${first.received}`
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
