/** Plays one file at one address: creates its sandbox, runs its steps and removes the sandbox. */
import { type Scenario, sandboxAsWritten } from '../../sandbox/scenario-file/format.ts'
import { fill } from '../../sandbox/scenario-file/placeholder.ts'
import type { ScenarioStep } from '../../sandbox/scenario-file/step.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { ENDPOINTS, OPERATION_IDS } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { bothProfiles, type ProfileChanges } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import type { Secrets } from '../../spec/secrets.ts'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import { uniqueName } from '../../spec/world/unique-name.ts'
import { SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES } from '../../tester/control/addresses.ts'
import { accepted, Control } from './control.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type FileResult, isInner, type StepResult } from './result.ts'
import type { ServiceWords, Stage } from './stage.ts'
import { failureOf, playSteps } from './steps.ts'
import { NotPossible, type VariableOptions, Variables } from './variables.ts'

/** An address to play against: as a platform if there is an API key, otherwise as a tester, who creates sandboxes. */
export interface Target {
  base: URL
  apiKey: string | undefined
  adminToken: string | undefined
  /** The profile of the service at the target, for reading its responses. */
  profile?: ProfileChanges | undefined
  /** Whether it is a simulator started for this run, whose sandboxes get the profile. Any other paysim has its own. */
  takesProfile?: boolean
}

export interface SessionOptions
  extends Pick<Stage, 'onStep' | 'keepGoing' | 'patience' | 'say'>,
    Omit<VariableOptions, 'seed'> {
  /** For files without a seed. Default: the sandbox generates one. */
  seed?: number
  /**
   * Registers the removal of an open sandbox, so that an interrupted command leaves none behind; the returned function removes
   * it.
   */
  endWith?: ((remove: () => Promise<void>) => () => Promise<void>) | undefined
  /** Whether a report shows the sandbox's journal. */
  keepJournal?: boolean
  /** The names of the service. Default: those of its profile. */
  service?: ServiceWords | undefined
}

/** A played file, with the values that vary between runs. */
export interface PlayedFile extends FileResult {
  variables: ReadonlyMap<string, string>
  origin: string
}

export async function playFile(
  file: string,
  scenario: Scenario,
  target: Target,
  options: SessionOptions,
): Promise<PlayedFile> {
  const [startedAt, began] = [formatInstant(wallClock()), stopwatch()]
  // No random seed at a shared service: a reused seed would generate the idempotency keys of an earlier run.
  const hasTesterApi = target.apiKey === undefined
  const drawn = hasTesterApi && scenario.sandbox?.seed === undefined ? options.seed : undefined
  const seed = hasTesterApi ? (drawn ?? scenario.sandbox?.seed) : undefined
  const variables = new Variables({ ...options, seed })
  const seeded = { ...scenario, sandbox: { ...scenario.sandbox, seed } }
  const played: Played = await playAt(target, seeded, variables, options).catch(failureOf)
  const { steps = [], unfired = [], journal } = played
  const failed = steps.find((step) => step.outcome === 'failed')
  const nothingPlayed = steps.length > 0 && steps.every((step) => step.outcome === 'skipped')
  return {
    file,
    name: scenario.name,
    case: scenario.case,
    outcome:
      played.outcome ?? (failed || unfired.length > 0 ? 'failed' : nothingPlayed ? 'skipped' : 'passed'),
    reason:
      played.reason ??
      (failed && `step ${failed.place}, ${failed.label}`) ??
      (unfired[0] && `the behavior ${unfired[0].id} never acted`) ??
      (nothingPlayed ? `no step was played: ${steps[0]!.reason}` : undefined),
    steps,
    stepCount: scenario.steps?.length ?? 0,
    unfired,
    startedAt,
    tookMs: Math.round(stopwatch() - began),
    seed: drawn,
    profile: bothProfiles(target.profile, scenario.sandbox?.profile),
    journal,
    variables: variables.texts,
    origin: played.origin ?? target.base.origin,
  }
}

/**
 * The results of the steps, or an outcome with its reason if none ran. `origin` is unset if the file was played at the target
 * itself.
 */
type Played = Partial<Pick<PlayedFile, 'steps' | 'unfired' | 'journal' | 'origin' | 'outcome' | 'reason'>>

async function playAt(
  { base, apiKey, adminToken, takesProfile, ...target }: Target,
  asWritten: Scenario,
  variables: Variables,
  options: SessionOptions,
): Promise<Played> {
  // A scenario about one setting, such as how long an idempotency key is kept, sets that profile key itself.
  const profile = bothProfiles(target.profile, asWritten.sandbox?.profile)
  const scenario = takesProfile ? { ...asWritten, sandbox: { ...asWritten.sandbox, profile } } : asWritten
  const contract = contractOf(profile)
  const words = translationOf(contract)
  const service = options.service ?? { words }
  // An unknown API key belongs to no sandbox, so paysim refuses the request under the default sandbox's profile.
  const unknownKey = apiKey === undefined ? contractOf(takesProfile ? undefined : target.profile) : contract
  const { steps = [], behaviors = [] } = scenario
  if (steps.length === 0) throw new NotPossible('it has no steps to play')
  const play = (at: Pick<Stage, 'base' | 'apiKey' | 'control' | 'receiver' | 'refusal'>) =>
    playSteps(steps, { ...options, variables, service, unknownKey, ...at })

  if (apiKey !== undefined) {
    const { tester: needs } = usesOf(scenario)
    if (needs !== undefined) throw new NotPossible(`it needs ${needs}, which requires the tester's API`)
    const mayEnd = scenario.target === 'any'
    const skipped = mayEnd ? undefined : whyNotPlayed(scenario)
    if (skipped !== undefined) throw new NotPossible(skipped)
    const refusal = mayEnd ? undefined : whyNotSent
    return { steps: await play({ base, apiKey, control: undefined, receiver: undefined, refusal }) }
  }

  const asked = new Control(base, '/_sim', adminToken)
  const address = await addressFor(scenario, asked, base)
  if (!address)
    throw new NotPossible(`it needs ${scenario.sandbox?.environment}, which the target does not serve`)
  // Behind a proxy, another process may serve this environment, so the sandbox is created at that process's own address.
  const simulator = asked.at({ base: address })
  const uses = usesOf(scenario)
  const receiver = uses.receiver ? await openReceiver(contract) : undefined
  let remove: (() => Promise<void>) | undefined
  try {
    const sandbox = await openSandbox(simulator, scenario, options.secrets, receiver)
    const control = simulator.at({ prefix: `/_sim/sandboxes/${sandbox.name}` })
    const removal = async () => {
      await simulator.send(SIMULATOR_ADDRESSES.remove, sandbox.name).catch(() => {})
    }
    remove = options.endWith?.(removal) ?? removal
    if (behaviors.length > 0) {
      const armed = fill(behaviors, variables.resolve)
      // The API keys of the real staging in the file's stubs.
      for (const { do: words } of armed) if ('forward' in words) options.secrets.add(words.apiKey)
      await control.must(SANDBOX_ADDRESSES.replaceBehaviors, armed)
    }
    const results = await play({ base: address, apiKey: sandbox.apiKey, control, receiver })
    const journal = options.keepJournal
      ? await control.must(SANDBOX_ADDRESSES.journal).catch(() => undefined)
      : undefined
    return {
      steps: results,
      unfired: uses.arms ? await unfired(control, stepStoppedAt(results, steps.length)) : [],
      journal: journal?.body,
      origin: address.origin,
    }
  } finally {
    await remove?.()
    await receiver?.close()
  }
}

async function openSandbox(
  simulator: Control,
  scenario: Scenario,
  secrets: Secrets,
  receiver: Receiver | undefined,
) {
  const settings = {
    ...sandboxAsWritten(scenario),
    ...(usesOf(scenario).clientIp && { trustProxy: true }),
    webhook: receiver && { url: receiver.url },
  }
  // `open` rather than `create`: a request retried after a lost connection finds the sandbox that it created the first time.
  const answer = await simulator.send(SIMULATOR_ADDRESSES.open, uniqueName('scenario-'), settings)
  const isSandbox = typeof answer.json.signingSecret === 'string'
  if (answer.status === 404 || (answer.status < 300 && !isSandbox))
    throw new Error(
      "The target has no tester's API, so it is not a paysim. Pass --api-key to play it as a platform",
    )
  const { name, apiKey, signingSecret } = accepted(answer).json as Record<
    'name' | 'apiKey' | 'signingSecret',
    string
  >
  secrets.addAll([apiKey, signingSecret])
  receiver?.checkWith(signingSecret)
  receiver?.answer(scenario.sandbox?.receiver ?? [])
  return { name, apiKey }
}

/** Where the file's environment is served: the target itself, unless the file asks for the other environment. */
async function addressFor({ sandbox }: Scenario, simulator: Control, base: URL): Promise<URL | undefined> {
  if (sandbox?.environment === undefined) return base
  const { environment, addresses } = (await simulator.must(SIMULATOR_ADDRESSES.about)).json
  if (environment === sandbox.environment) return base
  const address = isObject(addresses) ? addresses[sandbox.environment] : undefined
  return typeof address === 'string' ? new URL(address) : undefined
}

/** What a file uses. `tester`: what needs the tester's API; undefined if nothing does. */
function usesOf({ behaviors = [], sandbox = {}, steps = [] }: Scenario) {
  const all = everyStep(steps)
  const has = (word: string) => all.some((step) => word in step)
  const hasSim = (word: string) => all.some((step) => 'sim' in step && word in step.sim)
  const needs = {
    behaviors: behaviors.length > 0 || ['arm', 'held', 'release'].some(hasSim),
    'a webhook endpoint with a script': sandbox.receiver !== undefined,
    requireApproval: sandbox.requireApproval,
    'its own environment': sandbox.environment !== undefined,
    'its own rate limit': typeof sandbox.rateLimit === 'number',
  }
  return {
    tester: Object.entries(needs).find(([, isNeeded]) => isNeeded)?.[0],
    receiver: sandbox.receiver !== undefined || has('webhook') || has('receiver'),
    clientIp: has('clientIp'),
    arms:
      behaviors.length > 0 ||
      hasSim('arm') ||
      all.some((step) => 'call' in step && step.call.includes('_sim')),
  }
}

/** All steps, including inner ones. */
const everyStep = (steps: readonly ScenarioStep[]): ScenarioStep[] =>
  steps.flatMap((step) => [
    step,
    ...('meanwhile' in step ? everyStep(step.meanwhile ?? []) : []),
    ...('steps' in step ? everyStep(step.steps) : []),
    ...('parallel' in step && step.parallel && 'steps' in step.parallel
      ? everyStep(step.parallel.steps)
      : []),
  ])

/** The place of the failed step that stopped the file. */
function stepStoppedAt(results: readonly StepResult[], stepCount: number): string | undefined {
  const played = results.filter((step) => !isInner(step))
  const last = played.at(-1)
  return last?.outcome === 'failed' && played.length < stepCount ? last.place : undefined
}

async function unfired(control: Control, stoppedAt: string | undefined): Promise<FileResult['unfired']> {
  const behaviors = await control.list(SANDBOX_ADDRESSES.unfired)
  return behaviors.map(({ id, why }) => ({ id: String(id), why: String(why), stoppedAt }))
}

/** The last path segments of operations that end something, such as `cancel`. */
const ENDINGS = OPERATION_IDS.flatMap((id) => (ENDPOINTS[id].ends ? id.split('.').slice(1) : []))

/**
 * What must not be sent to a shared service, since the target may be the real staging: methods and paths that remove, replace or
 * end something. Creating a resource, a refund or a capture only adds.
 */
const DESTRUCTIVE = new RegExp(`^(DELETE|PUT|PATCH) |/(${ENDINGS.join('|')})/?([?#]|$)`, 'i')

/** Why a call such as `POST /v1/checkouts/x/cancel` must not be sent to a shared service; undefined if it may be. */
const whyNotSent = (call: string): string | undefined =>
  DESTRUCTIVE.test(call)
    ? `${call} ends or replaces something, and the file does not set target: any`
    : undefined

/** Checks the calls before anything is sent. Calls that use captured values are checked once the values are known. */
const whyNotPlayed = ({ steps = [] }: Scenario): string | undefined =>
  everyStep(steps)
    .map((step) => ('call' in step ? whyNotSent(step.call) : undefined))
    .find((why) => why !== undefined)
