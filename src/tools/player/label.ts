/** What a step does, in one line. */

import type { ReceiverAnswer } from '../../sandbox/scenario-file/receiver.ts'
import type { ScenarioStep, SimStep } from '../../sandbox/scenario-file/step.ts'
import { formatDuration } from '../../spec/contract/duration.ts'

export function labelOf(step: ScenarioStep): string {
  if ('call' in step) return step.call + times(step.parallel)
  if ('repeat' in step) return `repeat ${step.repeat}${times(step.parallel)}`
  if ('parallel' in step) return `${step.parallel.steps.length} steps at once`
  if ('sim' in step) return `sim ${simLabel(step.sim)}`
  if ('webhook' in step) return `webhook ${step.webhook.order?.join(', ') ?? step.webhook.type}`
  if ('receiver' in step) return `receiver ${step.receiver.map(inWords).join(', ')}`
  if ('requests' in step) return `requests ${step.requests.call ?? step.requests.op ?? ''}`.trimEnd()
  if ('buyer' in step) return `buyer ${(step.does ?? [{ open: true }]).map(actionInWords).join(', ')}`
  if ('captured' in step) return `captured ${Object.keys(step.captured).join(', ')}`
  if ('each' in step) return `each of ${Array.isArray(step.each) ? step.each.length : step.each}`
  if ('use' in step) return `use ${step.use}`
  return 'ledger' in step ? 'ledger' : 'outbox'
}

const inWords = ({ close, status = 204 }: ReceiverAnswer) => (close ? 'close' : String(status))

const actionInWords = (action: object): string =>
  Object.entries(action)
    .map(([word, value]) => {
      if (word === 'open') return word
      return `${word} ${typeof value === 'string' ? value : Object.keys(value).join(' ')}`
    })
    .join()

const times = (parallel: { count: number } | undefined) =>
  parallel === undefined ? '' : ` × ${parallel.count}`

function simLabel(sim: SimStep['sim']): string {
  const [word = '', value] = Object.entries(sim)[0] ?? []
  if (typeof value === 'number') return `${word} ${formatDuration(value)}`
  return typeof value === 'string' ? `${word} ${value}` : word
}
