/**
 * The machine's clock and timers, for the whole player. It needs real time, because it may play against a real service,
 * whose clock cannot be moved.
 */
import { setTimeout as timeout } from 'node:timers/promises'

/** The longest delay of a Node timer, 24 days; a longer one, which a file may state, would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

export const sleep = (ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void> =>
  timeout(Math.min(ms, TIMER_MAX_MS), undefined, options)

/** A number of milliseconds to subtract from a later one. */
export const startStopwatch = (): number => performance.now()

export const wallMs = (): number => performance.timeOrigin + performance.now()

/** Seconds since 1970, to compare with signed timestamps. */
export const wallSeconds = (): number => wallMs() / 1000

/** Now, in ISO 8601. */
export const wallTime = (): string => new Date(wallMs()).toISOString()

/** Calls back after a time; the returned function cancels it. */
export function callAfter(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, TIMER_MAX_MS))
  return () => clearTimeout(timer)
}
