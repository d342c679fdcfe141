/** How the dashboard writes times, durations, amounts and ids. Times are UTC, as in the API. */
import { counted } from '../../spec/contract/counted.ts'
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

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/**
 * A duration in its largest unit, rounded, with the next smaller unit while the number is small: `2 days`, `1
 * hour 30 minutes`, `12 hours`, `250 ms`.
 */
export function gapText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const first = UNITS.findIndex(([, unitMs]) => ms >= unitMs)
  const [, largeMs] = UNITS[first]!
  const [, smallMs] = UNITS[ms < 10 * largeMs ? first + 1 : first] ?? UNITS[first]!
  let rest = Math.round(ms / smallMs) * smallMs
  return UNITS.slice(Math.max(0, first - 1), first + 2)
    .flatMap(([unit, unitMs]) => {
      const count = Math.floor(rest / unitMs)
      rest -= count * unitMs
      return count > 0 ? [counted(count, unit)] : []
    })
    .join(' ')
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
export const countText = ({ count, isAll }: Count): string =>
  `${count.toLocaleString('en-US')}${isAll ? '' : '+'}`

const SHORT = { day: 'd', hour: 'h', minute: 'min', second: 's' }

/** How far away an instant is: `now`, `in 5 s`, `in 7 h 33 min`. */
export function untilText(at: string, now: number): string {
  const ms = Date.parse(at) - now
  if (ms <= 0) return 'now'
  return `in ${gapText(ms).replace(/(day|hour|minute|second)s?/g, (_, unit: keyof typeof SHORT) => SHORT[unit])}`
}

/** Groups similar neighbors in a list; each is compared with the first of its run. */
export function runsOf<Item>(
  items: readonly Item[],
  areAlike: (first: Item, item: Item) => boolean,
): Item[][] {
  const runs: Item[][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run && areAlike(run[0]!, item)) run.push(item)
    else runs.push([item])
  }
  return runs
}
