/**
 * Plays the steps of one scenario at one address. At a paysim it can use the tester's API. At any other service, steps that need
 * that API are skipped, and after a step that would move the clock the next request is retried instead.
 */
import type { ScenarioStep } from '../../sandbox/scenario-file/step.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import type { StepFindings, StepResult } from './result.ts'
import type { PlayContext, RunOptions, Stage, StepPosition } from './stage.ts'
import { labelOf, playStep } from './steps.ts'
import { NotPossible } from './variables.ts'
import { Unreachable } from './wire.ts'

export async function playSteps(
  steps: readonly ScenarioStep[],
  context: PlayContext,
  options: RunOptions,
): Promise<StepResult[]> {
  const stage: Stage = {
    ...options,
    ...context,
    buyers: new Map(),
    timeMoved: false,
    run: (step, position) => run(stage, step, position),
  }
  const results: StepResult[] = []
  for (const [index, step] of steps.entries()) {
    const result = await stage.run(step, { place: String(index + 1), results })
    if (result.outcome === 'failed' && !options.keepGoing) break
  }
  return results
}

/** Results are added when steps end, so inner steps precede their outer step. */
async function run(stage: Stage, step: ScenarioStep, position: StepPosition): Promise<StepResult> {
  const { place, results, together = false, repeated = false } = position
  const [startedAt, began] = [formatInstant(wallClock()), stopwatch()]
  const { outcome, reason, ...findings } = await outcomeOf(stage, step, position)
  const result: StepResult = {
    place,
    id: step.id,
    together,
    repeated,
    label: labelOf(step),
    outcome,
    saw: '',
    reason,
    startedAt,
    tookMs: Math.round(stopwatch() - began),
    request: undefined,
    expected: undefined,
    received: [],
    differences: [],
    ...findings,
  }
  results.push(result)
  stage.onStep(result)
  return result
}

async function outcomeOf(
  stage: Stage,
  step: ScenarioStep,
  position: StepPosition,
): Promise<Partial<StepFindings> & Pick<StepResult, 'outcome' | 'reason'>> {
  try {
    const findings = await playStep(stage, step, position)
    const outcome = (findings.differences?.length ?? 0) === 0 ? 'passed' : 'failed'
    return { ...findings, outcome, reason: undefined }
  } catch (error) {
    if (error instanceof NotPossible) return { outcome: 'skipped', reason: error.message }
    if (error instanceof Unreachable || !(error instanceof Error)) throw error
    return { outcome: 'failed', reason: error.message }
  }
}
