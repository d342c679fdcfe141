/**
 * Real time, in which a player lives: the address that it plays against may be a real service, whose clock nobody steers.
 * The only place of the player that knows the machine's clock and timers.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export { sleep }

/** Milliseconds since some moment, for how long something took. */
export const startStopwatch = (): number => performance.now()

/** Seconds since 1970, for the timestamps that others sign. */
export const wallSeconds = (): number => (performance.timeOrigin + performance.now()) / 1000

/** Calls back after a while, unless it is called off before. */
export function delay(ms: number, callback: () => void): () => void {
  const off = new AbortController()
  sleep(ms, undefined, { signal: off.signal }).then(callback, () => {})
  return () => off.abort()
}
