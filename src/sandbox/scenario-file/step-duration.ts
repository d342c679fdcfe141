/** The durations of a step. One with a placeholder, such as `${wait}s`, gets its value when the step is played. */
import { z } from 'zod'
import {
  DURATION_PATTERN,
  DURATION_RULE,
  Duration,
  formatDuration,
  parseDuration,
} from '../../spec/contract/duration.ts'

/** Milliseconds, or the text with placeholders still to be filled in. */
export type StepDuration = number | { text: string }

export const StepDuration = z.codec(
  z
    .string({ error: DURATION_RULE })
    .refine((text) => text.includes('${') || Duration.safeParse(text).success, DURATION_RULE)
    .meta({
      id: 'StepDuration',
      description: 'A duration, which may contain a captured value: ${wait}s',
      pattern: DURATION_PATTERN.source,
      examples: ['250ms', '5s', '2d'],
    }),
  z.custom<StepDuration>(),
  {
    decode: (text): StepDuration => (text.includes('${') ? { text } : parseDuration(text)),
    encode: (given) => (typeof given === 'number' ? formatDuration(given) : given.text),
  },
)

/** Longer than any test waits, and short enough that a mistyped unit does not hang a CI job. */
const REAL_TIME_MAX_MS = 3_600_000

const REAL_TIME_RULE = 'must be at most 1h, because it passes in real time'

/** A duration in real time. */
export const RealTime = StepDuration.refine(
  (given) => typeof given !== 'number' || given <= REAL_TIME_MAX_MS,
  REAL_TIME_RULE,
)

/** Like {@link msOf}, and throws a rule if it is too long for real time. */
export function realTimeOf(given: StepDuration, name = 'within'): number {
  const ms = msOf(given)
  if (ms > REAL_TIME_MAX_MS) throw new Error(`${name} ${REAL_TIME_RULE}`)
  return ms
}

/** For a step whose placeholders are filled in. Throws a rule if the result is not a duration. */
export function msOf(given: StepDuration): number {
  if (typeof given === 'number') return given
  const text = String(given.text)
  if (/^\d+$/.test(text)) throw new Error(`${text} has no unit; write it as \${name}s`)
  return parseDuration(text)
}
