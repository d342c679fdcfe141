/**
 * Durations as people write them: `250ms`, `5s`, `1m`, `2h`, `2d`, or several units, largest first, `1h30m`. In the code a
 * duration is whole milliseconds.
 */
import { z } from 'zod'
import { quoted } from './shortened.ts'
import { typedAs } from './wire.ts'

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

type Count<Unit extends string> = '' | `${number}${Unit}`
/** Such as `250ms`, `5s`, `2d` or `1h30m`: whole numbers with a unit, largest first. */
export type DurationText = Exclude<`${Count<'d'>}${Count<'h'>}${Count<'m'>}${Count<'s'>}${Count<'ms'>}`, ''>

/** The first look-ahead requires at least one unit, because each unit alone is optional. */
export const DURATION_PATTERN =
  /^(?=\d)(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/

/** A clock that was moved a hundred years ahead still writes four-digit years. */
export const DURATION_MAX_MS = 36_500 * 86_400_000

export const DURATION_RULE = 'must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d'

/** Milliseconds, or undefined for a text that is not a duration. */
function readDuration(text: string): number | undefined {
  const counts = DURATION_PATTERN.exec(text)?.slice(1)
  if (counts === undefined) return undefined
  const ms = UNITS.reduce((sum, [, unitMs], index) => sum + Number(counts[index] ?? 0) * unitMs, 0)
  return ms <= DURATION_MAX_MS ? ms : undefined
}

export function parseDuration(text: string): number {
  const ms = readDuration(text)
  if (ms === undefined) throw new Error(`${quoted(text)} ${DURATION_RULE}`)
  return ms
}

/** The shortest notation, which {@link parseDuration} reads back. */
export function formatDuration(ms: number): DurationText {
  let rest = ms
  let text = ''
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs)
    if (count > 0) text += `${count}${unit}`
    rest -= count * unitMs
  }
  return (text || '0s') as DurationText
}

/** A measured time for people: `0.8 ms`, `250 ms`, `1.2 s`. */
export function tookText(ms: number): string {
  const shown = Number(ms.toFixed(ms < 10 ? 1 : 0))
  return shown < 1_000 ? `${shown} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** A text on the wire, milliseconds in the code. */
export const Duration = z.codec(
  typedAs<DurationText>(
    z
      .string({ error: DURATION_RULE })
      .refine((text) => readDuration(text) !== undefined, DURATION_RULE)
      .meta({
        id: 'Duration',
        description: 'Whole numbers with a unit, the larger first',
        pattern: DURATION_PATTERN.source,
        examples: ['250ms', '5s', '2d'],
      }),
  ),
  z.int().min(0).max(DURATION_MAX_MS),
  { decode: parseDuration, encode: formatDuration },
)
