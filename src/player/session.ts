/** Plays one file at one address, from making its sandbox to removing it. */
import { verbRequest } from '../control/verb.ts'
import { SANDBOX_VERBS, SIMULATOR_VERBS } from '../control/verbs.ts'
import { behaviorsAsWritten, type Scenario, sandboxAsWritten } from '../scenario-file/format.ts'
import { fill } from '../scenario-file/placeholder.ts'
import type { Eventually, ScenarioStep, SimStep } from '../scenario-file/step.ts'
import { Control } from './control.ts'
import { openReceiver } from './receiver.ts'
import type { FileResult, StepResult } from './result.ts'
import { type PlayContext, ScenarioRun } from './run.ts'
import type { Secrets } from './secrets.ts'
import { startStopwatch } from './timing.ts'
import { type Environment, Variables } from './variables.ts'
import { Unreachable } from './wire.ts'

/** An address to play against. With a platform's key we are that platform; without, a tester who makes sandboxes. */
export interface Target {
  base: URL
  apiKey: string | undefined
  adminToken: string | undefined
}

export interface SessionOptions {
  env: Environment
  secrets: Secrets
  keepGoing: boolean
  /** How long a service that nobody steers is given to complete a refund, say. */
  patience: Eventually
  onStep(result: StepResult): void
}

/** A file that is played, and what of it is another value in every run. */
export interface PlayedFile extends FileResult {
  variable: readonly string[]
}

export async function playFile(
  file: string,
  scenario: Scenario,
  target: Target,
  options: SessionOptions,
): Promise<PlayedFile> {
  const began = startStopwatch()
  const steered = target.apiKey === undefined
  const memory = new Variables({ ...options, seed: steered ? scenario.sandbox?.seed : undefined })
  const played = await playOn(target, scenario, memory, options).catch((error): Taken => {
    if (error instanceof Unreachable || !(error instanceof Error)) throw error
    return { failure: error.message }
  })
  const { steps = [], unfired = [], skipped, failure } = played
  const failed = steps.find((one) => one.outcome === 'failed')
  return {
    file,
    name: scenario.name,
    outcome: skipped ? 'skipped' : failure || failed ? 'failed' : 'passed',
    reason: skipped ?? failure ?? (failed && `step ${failed.place}, ${failed.label}`),
    steps,
    stepCount: scenario.steps?.length ?? 0,
    unfired,
    tookMs: Math.round(startStopwatch() - began),
    variable: memory.variable,
  }
}

/** The steps that were taken, or why none was. */
interface Taken {
  steps?: readonly StepResult[]
  unfired?: readonly string[]
  skipped?: string
  failure?: string
}

async function playOn(
  { base, apiKey, adminToken }: Target,
  scenario: Scenario,
  memory: Variables,
  options: SessionOptions,
): Promise<Taken> {
  const { steps = [], behaviors = [] } = scenario
  if (steps.length === 0) return { skipped: 'it has no steps to play' }
  const play = (stage: PlayContext) => new ScenarioRun(stage, { ...options, memory }).play(steps)

  if (apiKey !== undefined) {
    const needs = needsTester(scenario)
    if (needs !== undefined) return { skipped: `it needs ${needs}, which only a tester's side can give` }
    return { steps: await play({ base, apiKey, control: undefined, receiver: undefined }) }
  }

  const simulator = new Control(base, '/_sim', adminToken)
  const sandbox = await openSandbox(simulator, scenario, options.secrets)
  const { control } = sandbox
  const receiver = hearsWebhooks(steps) ? await openReceiver(sandbox.signingSecret) : undefined
  try {
    if (receiver) await control.must(verbRequest(SANDBOX_VERBS.webhook.put, { url: receiver.url }))
    if (behaviors.length > 0) {
      const armed = behaviorsAsWritten(fill(behaviors, memory.resolve))
      await control.must(verbRequest(SANDBOX_VERBS.replaceBehaviors, armed))
    }
    const taken = await play({ base, apiKey: sandbox.apiKey, control, receiver })
    return { steps: taken, unfired: await unfired(control) }
  } finally {
    await simulator.send(verbRequest(SIMULATOR_VERBS.remove, sandbox.name)).catch(() => {})
    await receiver?.close()
  }
}

async function openSandbox(simulator: Control, scenario: Scenario, secrets: Secrets) {
  const made = await simulator.must(verbRequest(SIMULATOR_VERBS.create, sandboxAsWritten(scenario)))
  const [name, apiKey, signingSecret] = [String(made.name), String(made.apiKey), String(made.signingSecret)]
  secrets.add(apiKey)
  secrets.add(signingSecret)
  return { name, apiKey, signingSecret, control: simulator.at(`/_sim/sandboxes/${name}`) }
}

/** What a file cannot do without and only a tester can give it. */
function needsTester({ behaviors = [], sandbox = {}, steps = [] }: Scenario): string | undefined {
  if (behaviors.length > 0) return 'behaviors'
  if (steps.some((step) => 'sim' in step && scripts(step))) return 'behaviors'
  if (sandbox.requireApproval) return 'requireApproval'
  return typeof sandbox.rateLimit === 'number' ? 'a rate limit of its own' : undefined
}

const scripts = ({ sim }: SimStep): boolean => 'arm' in sim || 'held' in sim || 'release' in sim

const hearsWebhooks = (steps: readonly ScenarioStep[]): boolean =>
  steps.some((step) => 'webhook' in step || ('meanwhile' in step && hearsWebhooks(step.meanwhile ?? [])))

async function unfired(control: Control): Promise<string[]> {
  const behaviors = await control.list(verbRequest(SANDBOX_VERBS.behaviors))
  return behaviors.filter(({ fired }) => fired === 0).map(({ id }) => String(id))
}
