/** What a step does, in one line. */
import { formatDuration } from '../contract/duration.ts'
import type { ScenarioStep, SimStep } from '../scenario-file/step.ts'

export function labelOf(step: ScenarioStep): string {
  if ('call' in step) return step.call + times(step.parallel)
  if ('repeat' in step) return `repeat ${step.repeat}${times(step.parallel)}`
  if ('parallel' in step) return `${step.parallel.steps.length} steps at once`
  if ('sim' in step) return `sim ${simLabel(step.sim)}`
  if ('webhook' in step) return `webhook ${step.webhook.order?.join(', ') ?? step.webhook.type}`
  if ('each' in step) return `each of ${Array.isArray(step.each) ? step.each.length : step.each}`
  if ('use' in step) return `use ${step.use}`
  return 'ledger' in step ? 'ledger' : 'outbox'
}

const times = (parallel: { count: number } | undefined) =>
  parallel === undefined ? '' : ` × ${parallel.count}`

function simLabel(sim: SimStep['sim']): string {
  const [word = '', value] = Object.entries(sim)[0] ?? []
  if (typeof value === 'number') return `${word} ${formatDuration(value)}`
  return typeof value === 'string' ? `${word} ${value}` : word
}
