/** Plays a recorded scenario before it is handed out: if it failed later, the service would be blamed. */
import { parseScenario, ScenarioError } from '../../sandbox/scenario-file/read.ts'
import { Secrets } from '../../spec/secrets.ts'
import { playFile } from './session.ts'
import { differenceLine } from './show-result.ts'

/** The first failure at this address; undefined if all steps pass. */
export async function whyFailed(yaml: string, url: string): Promise<string | undefined> {
  const target = { base: new URL(url), apiKey: undefined, adminToken: undefined }
  try {
    const { outcome, reason, steps } = await playFile('recorded.yaml', parseScenario(yaml), target, {
      env: {},
      secrets: new Secrets(),
      keepGoing: false,
      patience: { within: 0, every: 0 },
      onStep() {},
    })
    if (outcome !== 'failed') return undefined
    const [first] = steps.find((step) => step.outcome === 'failed')?.differences ?? []
    return first ? `${reason}: ${differenceLine(first)}` : reason
  } catch (cause) {
    // The recorded requests may be too large for a scenario file.
    if (cause instanceof ScenarioError) return cause.message
    throw cause
  }
}
