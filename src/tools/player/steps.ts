/**
 * Plays the steps of one scenario at one address, by a table of steps: the label of each, whether it needs the tester's API, and
 * what it does. At a paysim it can use the tester's API. At any other service, steps that need that API are skipped, and after a
 * step that would move the clock the next request is retried instead.
 */
import { differences } from '../../sandbox/scenario-file/matcher.ts'
import { fill } from '../../sandbox/scenario-file/placeholder.ts'
import type { ReceiverAnswer } from '../../sandbox/scenario-file/receiver.ts'
import { simCommandOf } from '../../sandbox/scenario-file/sim-command.ts'
import {
  itemsOf,
  type ScenarioStep,
  STEP_WORDS,
  type StepOf,
  type StepWord,
} from '../../sandbox/scenario-file/step.ts'
import { counted } from '../../spec/contract/counted.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import { checkPage, openBuyer } from './buyer.ts'
import { runCall } from './calls.ts'
import { countStatuses, countsText, endingText } from './checks.ts'
import type { StepDifference, StepFindings, StepResult } from './result.ts'
import { type Stage, type StepPosition, testersApi } from './stage.ts'
import { runLedger, runOutbox, runRequests, runSim, runWebhooks, type TesterStage } from './tester-steps.ts'
import { NotPossible } from './variables.ts'
import { Unreachable } from './wire.ts'

type Findings = StepFindings | Promise<StepFindings>

interface StepKind<Step> {
  /** A one-line description. */
  label(step: Step): string
  play(stage: Stage, step: Step, position: StepPosition): Findings
}

/** A step that needs the tester's API. At a service without one it is skipped, for the reason `why`. */
const tester = <Step>(
  why: string,
  label: StepKind<Step>['label'],
  play: (step: Step, stage: TesterStage) => Findings,
): StepKind<Step> => ({
  label,
  play(stage, step) {
    const control = testersApi(stage, why)
    return play(fill(step, stage.variables.resolve), { ...stage, control })
  },
})

const WEBHOOKS_WHY = 'only a tester can set the webhook endpoint'

const sim = tester<StepOf<'sim'>>('only a tester can do that', (step) => `sim ${simLabel(step.sim)}`, runSim)

const STEPS: { [Word in StepWord]: StepKind<StepOf<Word>> } = {
  call: { label: ({ call, parallel }) => call + times(parallel), play: runCall },
  repeat: { label: ({ repeat, parallel }) => `repeat ${repeat}${times(parallel)}`, play: runCall },
  parallel: { label: ({ parallel }) => `${parallel.steps.length} steps in parallel`, play: runParallel },
  sim: {
    ...sim,
    play(stage, step, position) {
      if (!stage.control) stage.timeMoved ||= simCommandOf(step.sim).movesTime
      return sim.play(stage, step, position)
    },
  },
  receiver: tester(
    WEBHOOKS_WHY,
    ({ receiver }) => `receiver ${receiver.map(answerLabel).join(', ')}`,
    (step, { receiver }) => {
      receiver?.answer(step.receiver)
      return { saw: '' }
    },
  ),
  webhook: tester(
    WEBHOOKS_WHY,
    ({ webhook }) => `webhook ${webhook.order?.join(', ') ?? webhook.type}`,
    runWebhooks,
  ),
  requests: tester(
    "only a tester can see the service's requests",
    ({ requests: { call, op = '' } }) => `requests ${call ?? op}`.trimEnd(),
    runRequests,
  ),
  ledger: tester('only a tester can see the ledger', () => 'ledger', runLedger),
  outbox: tester('only a tester can see the outbox', () => 'outbox', runOutbox),
  captured: { label: ({ captured }) => `captured ${Object.keys(captured).join(', ')}`, play: runCaptured },
  buyer: tester(
    'only a tester can play the buyer',
    ({ actions = [{ open: true }] }) => `buyer ${actions.map(actionLabel).join(', ')}`,
    runBuyer,
  ),
  each: {
    label: ({ each }) => `each of ${Array.isArray(each) ? each.length : each}`,
    play: runInner,
  },
  use: { label: ({ use }) => `use ${use}`, play: runInner },
}

const kindOf = (step: ScenarioStep) =>
  STEPS[STEP_WORDS.find((word) => word in step)!] as StepKind<ScenarioStep>

export async function playSteps(
  steps: readonly ScenarioStep[],
  given: Omit<Stage, 'buyers' | 'timeMoved' | 'run'>,
): Promise<StepResult[]> {
  const stage: Stage = {
    ...given,
    buyers: new Map(),
    timeMoved: false,
    run: (step, position) => run(stage, step, position),
  }
  const results: StepResult[] = []
  for (const [index, step] of steps.entries()) {
    const result = await run(stage, step, { place: String(index + 1), results })
    if (result.outcome === 'failed' && !stage.keepGoing) break
  }
  return results
}

/** Results are added when steps end, so inner steps precede their outer step. */
async function run(stage: Stage, step: ScenarioStep, position: StepPosition): Promise<StepResult> {
  const { place, results, together = false, repeated = false } = position
  const [startedAt, began] = [formatInstant(wallClock()), stopwatch()]
  const findings: Partial<StepResult> = await play(stage, step, position).catch(failureOf)
  const { differences = [] } = findings
  const result: StepResult = {
    place,
    id: step.id,
    together,
    repeated,
    label: kindOf(step).label(step),
    outcome: differences.length === 0 ? 'passed' : 'failed',
    saw: '',
    reason: undefined,
    startedAt,
    tookMs: Math.round(stopwatch() - began),
    request: undefined,
    expected: undefined,
    received: [],
    differences,
    ...findings,
  }
  results.push(result)
  stage.onStep(result)
  return result
}

const play = async (stage: Stage, step: ScenarioStep, position: StepPosition): Promise<StepFindings> =>
  kindOf(step).play(stage, step, position)

/** Why a step or a whole file was skipped or failed; throws what ends the run. */
export function failureOf(error: unknown): Pick<StepResult, 'outcome' | 'reason'> {
  if (error instanceof Unreachable || !(error instanceof Error)) throw error
  return { outcome: error instanceof NotPossible ? 'skipped' : 'failed', reason: error.message }
}

// Labels

const answerLabel = ({ close, status = 204 }: ReceiverAnswer) => (close ? 'close' : String(status))

const actionLabel = (action: object): string =>
  Object.entries(action)
    .map(([word, value]) => {
      if (word === 'open') return word
      return `${word} ${typeof value === 'string' ? value : Object.keys(value).join(' ')}`
    })
    .join()

const times = (parallel: { count: number } | undefined) =>
  parallel === undefined ? '' : ` × ${parallel.count}`

function simLabel(sim: StepOf<'sim'>['sim']): string {
  const [word = '', value] = Object.entries(sim)[0] ?? []
  return typeof value === 'string' ? `${word} ${value}` : word
}

// Steps of steps

async function runParallel(
  stage: Stage,
  step: StepOf<'parallel'>,
  position: StepPosition,
): Promise<StepFindings> {
  const expect = step.expect ?? {}
  const steps = step.parallel.steps.map((part) => ('sim' in part ? part : { expect, ...part }))
  const inner = await runSteps(stage, steps, position, { together: true })
  const received = inner.flatMap((result) => result.received)
  return {
    saw: countsText(received),
    expected: expect,
    received,
    differences: [...countStatuses(expect, received), ...failuresOf(inner)],
  }
}

/** Runs the steps of an `each` or a `use` in sequence. */
async function runInner(
  stage: Stage,
  step: StepOf<'each'> | StepOf<'use'>,
  position: StepPosition,
): Promise<StepFindings> {
  const inner = await runSteps(stage, step.steps, position, { repeated: true })
  const items = 'each' in step ? (itemsOf(step.each) ?? []) : []
  const failures = failuresOf(inner, (failed) => {
    const index = Number(failed.place.slice(position.place.length + 1).split('.', 1)[0]) - 1
    const item = items[Math.floor((index * items.length) / step.steps.length)]
    return item === undefined ? '' : `, with the item ${quoted(item)}`
  })
  const renamed = 'use' in step && failures.length === 0 ? stage.variables.rename(step.capture) : []
  return { saw: counted(step.steps.length, 'step'), differences: [...failures, ...renamed] }
}

/** Runs inner steps: together, or one after another until one fails. If all of them were skipped, so is the outer step. */
async function runSteps(
  stage: Stage,
  steps: readonly ScenarioStep[],
  { place, results, signal }: StepPosition,
  how: Pick<StepPosition, 'together' | 'repeated'>,
): Promise<StepResult[]> {
  const inner: StepResult[] = []
  const runStep = (step: ScenarioStep, index: number) =>
    run(stage, step, { ...how, place: `${place}.${index + 1}`, results: inner, signal })
  if (how.together) await Promise.all(steps.map(runStep))
  else
    for (const [index, step] of steps.entries()) {
      const { outcome } = await runStep(step, index)
      if (outcome === 'failed' && !stage.keepGoing) break
    }
  results.push(...inner)
  const [first] = inner
  if (first && inner.every(({ outcome }) => outcome === 'skipped')) throw new NotPossible(first.reason)
  return inner
}

/** `itemOf` names the item of an `each` for which a step failed. */
const failuresOf = (
  inner: readonly StepResult[],
  itemOf: (result: StepResult) => string = () => '',
): StepDifference[] =>
  inner
    .filter(({ outcome }) => outcome === 'failed')
    .map((result) => {
      const [{ place, reason, saw }, item] = [result, itemOf(result)]
      return { path: place + item, inner: { place, item }, expected: 'to pass', received: reason ?? saw }
    })

// Returns the buyer and the captured values.

async function runBuyer(
  { buyer: id, actions = [{ open: true }], expect = {}, capture }: StepOf<'buyer'>,
  { buyers, base, control, variables }: TesterStage,
): Promise<StepFindings> {
  const buyer = buyers.get(id) ?? (await openBuyer(base, control, id))
  buyers.set(id, buyer)
  for (const action of actions) await buyer.act(action)
  const page = await buyer.see()
  const { heading, text, url } = page
  const differences = [
    ...checkPage(expect, page),
    ...variables.captureFrom({ json: { heading, text, url } }, capture),
  ]
  const saw = url ?? `${endingText(page.exchange)} ${heading}`
  // Shows the page's text instead of its HTML.
  const { answered } = page.exchange
  const received = { ...page.exchange, answered: answered && { ...answered, body: text } }
  return { saw, request: page.exchange.asked, expected: expect, received: [received], differences }
}

function runCaptured({ variables }: Stage, { captured }: StepOf<'captured'>): StepFindings {
  const expected = fill(captured, variables.resolve)
  const values = Object.keys(captured).map((name) => [name, variables.capturedValue(name)])
  return { saw: '', expected, differences: differences(expected, Object.fromEntries(values)) }
}
