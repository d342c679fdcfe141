/** The durations of a step, as texts. One with a placeholder, such as `${wait}s`, gets its value when the step is played. */
import { z } from 'zod'
import { DURATION_PATTERN, DURATION_RULE, Duration, parseDuration } from '../../spec/contract/duration.ts'

const Text = z
  .string({ error: DURATION_RULE })
  .refine((text) => text.includes('${') || knownMs(text) !== undefined, DURATION_RULE)
  .meta({
    id: 'StepDuration',
    description: 'A duration, which may contain a captured value: ${wait}s',
    pattern: DURATION_PATTERN.source,
    examples: ['250ms', '5s', '2d'],
  })

/** Piped, because a described copy would be written out in the JSON Schema instead of referred to. */
export const StepDuration = Text.pipe(z.string())

/** Milliseconds; undefined for a text whose placeholders are not filled in. */
export const knownMs = (text: string): number | undefined => Duration.safeParse(text).data

/** Longer than any test waits, and short enough that a mistyped unit does not hang a CI job. */
const REAL_TIME_MAX_MS = 3_600_000

const REAL_TIME_RULE = 'must be at most 1h, because it passes in real time'

/** A duration in real time. */
export const RealTime = Text.pipe(
  z.string().refine((text) => (knownMs(text) ?? 0) <= REAL_TIME_MAX_MS, REAL_TIME_RULE),
)

/** Like {@link msOf}, and throws a rule if it is too long for real time. */
export function realTimeOf(given: string): number {
  const ms = msOf(given)
  if (ms > REAL_TIME_MAX_MS) throw new Error(`within ${REAL_TIME_RULE}`)
  return ms
}

/** For a step whose placeholders are filled in. Throws a rule if the result is not a duration. */
export function msOf(given: string): number {
  const text = String(given)
  if (/^\d+$/.test(text)) throw new Error(`${text} has no unit; write it as \${name}s`)
  return parseDuration(text)
}
