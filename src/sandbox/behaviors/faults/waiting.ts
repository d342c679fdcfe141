import { DURATION_MAX_MS, formatDuration } from '../../../spec/contract/duration.ts'
import type { Random } from '../../../spec/world/random.ts'
import type { DoOf } from '../../scenario-file/do.ts'
import { actingAt, type Fault } from './fault.ts'

export const delay: Fault<'delay'> = {
  sentence: 'Answers later: a frozen sandbox waits for its clock to be moved, any other for real time.',
  actsOn: 'request',
  prepare({ delay, at }, { heldRequests, chances }) {
    const length =
      typeof delay === 'number'
        ? formatDuration(delay)
        : `${formatDuration(delay.p50)} or, once in a hundred times, more than ${formatDuration(delay.p99)}`
    const waits = { gate: null, for: length }
    const waiting = actingAt(at, `waits ${length}`, async ({ entry }, answer) => {
      await heldRequests.hold(entry.id, { forMs: typeof delay === 'number' ? delay : draw(delay, chances) })
      return answer
    })
    return { ...waiting, waits }
  },
}

export const hold: Fault<'hold'> = {
  sentence: 'Keeps the request in flight until the gate is released, or until `max` has passed.',
  actsOn: 'request',
  prepare({ hold: gate, max, at }, { heldRequests }) {
    const atMost = max === undefined ? '' : ` for at most ${formatDuration(max)}`
    const waits = { gate, for: max === undefined ? null : formatDuration(max) }
    const waiting = actingAt(at, `is held at ${gate}${atMost}`, async ({ entry }, answer) => {
      await heldRequests.hold(entry.id, { gate, forMs: max })
      return answer
    })
    return { ...waiting, waits }
  },
}

/** The 99th percentile of a normal distribution is this many standard deviations above its mean. */
const Z_99 = 2.326

/** Response times of real services are close to log-normal. The normal deviate is made by the Box-Muller transform. */
function draw({ p50, p99 }: Exclude<DoOf<'delay'>['delay'], number>, chances: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - chances.fraction()))
  const deviation = radius * Math.cos(2 * Math.PI * chances.fraction())
  return Math.min(
    Math.round(p50 * (Math.max(p99, 1) / Math.max(p50, 1)) ** (deviation / Z_99)),
    DURATION_MAX_MS,
  )
}
