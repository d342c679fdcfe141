/** How the dashboard writes times, durations, amounts and ids. Times are UTC, as in the API. */
import { withCommas } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import type { KnownIds } from '../../spec/contract/ids.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Count } from '../../tester/control/browse.ts'

const DATE = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `Sun, 1 Mar 2026` */
export const dateText = (at: number): string => DATE.format(at)

/** `09:00:00.000` */
export const timeText = (at: number): string => formatInstant(at).slice(11, 23)

/** A duration in its two largest units: `2d`, `1h30m`, `250ms`. From a second on it is rounded to seconds. */
export function gapText(ms: number): string {
  const unitMs = ms < 1000 ? 1 : 1000
  return /^\d+\D+(?:\d+\D+)?/.exec(formatDuration(Math.round(ms / unitMs) * unitMs))![0]
}

/**
 * The prefix and the last five characters of an id; another text unchanged. Not the first characters, which count the ids and
 * look alike on one page.
 */
export function shortId(text: string, ids: KnownIds): string {
  const prefix = ids.isId(text) ? ids.prefixOf(text)! : text
  return prefix + text.slice(prefix.length).replace(/^.{2,}(?=.{5}$)/, '…')
}

const KEY_SHOWN = 12

/** The end of a long key, because the keys of a platform often start alike. */
export const tailOf = (key: string): string => (key.length > KEY_SHOWN ? `…${key.slice(-KEY_SHOWN)}` : key)

/** A count. If counting stopped at its limit, it is written `10,000+`. */
export const countText = ({ count, isAll }: Count): string => `${withCommas(count)}${isAll ? '' : '+'}`

/** How far away an instant is: `now`, `in 5s`, `in 7h33m`. */
export function untilText(at: string, now: number): string {
  const ms = Date.parse(at) - now
  return ms <= 0 ? 'now' : `in ${gapText(ms)}`
}
