/**
 * The machine's clock and timers, for the whole player. It needs real time, because it may play against a real service,
 * whose clock cannot be moved.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export { sleep }

/** A number of milliseconds to subtract from a later one. */
export const startStopwatch = (): number => performance.now()

/** Seconds since 1970, to compare with signed timestamps. */
export const wallSeconds = (): number => (performance.timeOrigin + performance.now()) / 1000

/** Now, in ISO 8601. */
export const wallTime = (): string => new Date(wallSeconds() * 1000).toISOString()

/** Calls back after a time; the returned function cancels it. */
export function callAfter(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}
