/** Times as texts (ISO 8601). In the code a point in time is a number: milliseconds since 1970. */

/** D12: UTC with milliseconds. */
let latest = { ms: 0, text: new Date(0).toISOString() }

/** Keeps the latest text, because a POST writes one instant five times. */
export function formatInstant(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() }
  return latest.text
}

const DAY = String.raw`\d{4}-\d\d-\d\d`
const MINUTE = String.raw`\d\d:\d\d`
const SECOND = String.raw`:\d\d(?:\.\d+)?`
const ZONE = String.raw`(?:Z|[+-]\d\d:\d\d)`

const TIME = `${DAY}T${MINUTE}${SECOND}${ZONE}`
const WHOLE_TIME = new RegExp(`^${TIME}$`)
/** Times anywhere in a text. */
export const TIMES = new RegExp(`\\b${TIME}`, 'g')

/** Whether it is a time as services write it: at least to the second, with a zone. */
export const isTime = (text: string): boolean => WHOLE_TIME.test(text)

/** People may omit the seconds, or write a date alone, which starts at 0:00 UTC. */
const GIVEN_TIME = new RegExp(`^${DAY}(?:T${MINUTE}(?:${SECOND})?${ZONE})?$`)

/**
 * The instant of a time that a person wrote. NaN for a time without a zone, which depends on the machine, and for a date that
 * does not exist: Date.parse takes 31 February for 3 March.
 */
export function timeIn(text: string): number {
  const day = text.slice(0, 10)
  const isDay = new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(8))
  return GIVEN_TIME.test(text) && isDay ? Date.parse(text) : Number.NaN
}

export const withoutFraction = (time: string): string => time.replace(/\.\d+(?=Z$|[+-]\d\d:\d\d$)/, '')
