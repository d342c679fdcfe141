/**
 * §8: a number of requests per minute for each IP, including refused ones. The window is fixed: it starts with the first request,
 * and a refused request does not extend it (D34). The sandbox's own counts are in memory, so a restart resets them; the counts of
 * a behavior with `rateLimit` are in the database, like all state of behaviors.
 */
import type { Profile } from '../../spec/contract/profile.ts'

export interface RateLimitStatus {
  limit: number
  remaining: number
  resetAt: number
  exceeded: boolean
}

export interface RequestWindow {
  readonly startedAt: number
  readonly requests: number
}

/** The open windows by bucket: a Map, or rows of the database. */
export interface RequestWindows extends Iterable<[bucket: string, window: RequestWindow]> {
  readonly size: number
  get(bucket: string): RequestWindow | undefined
  set(bucket: string, window: RequestWindow): unknown
  delete(bucket: string): unknown
  clear(): void
}

interface RateLimitOptions {
  windowMs: number
  windows?: RequestWindows | undefined
  /** D60: false for a frozen clock without an explicit limit; then requests are counted but never refused. */
  refuses?: () => boolean
}

/** With this many windows, expired ones are removed before another is added. */
const REMOVE_EXPIRED_FROM = 1_000

export class RateLimit {
  /** Requests in a window, or `off` for no limit. */
  limit: number | 'off'
  readonly #windowMs: number
  readonly #refuses: () => boolean
  readonly #windows: RequestWindows
  /**
   * The number of windows at which expired ones are looked for again: twice as many as the last search left.
   * A fixed number would make each new client search all of them.
   */
  #removeExpiredFrom = REMOVE_EXPIRED_FROM

  constructor(
    limit: number | 'off',
    { windowMs, windows = new Map(), refuses = () => true }: RateLimitOptions,
  ) {
    this.limit = limit
    this.#windowMs = windowMs
    this.#windows = windows
    this.#refuses = refuses
  }

  /** Counts a request. Returns undefined if the limit is off. */
  count(bucket: string, now: number): RateLimitStatus | undefined {
    if (this.limit === 'off') return undefined
    const known = this.#windows.get(bucket)
    const isOpen = known !== undefined && !this.#isExpired(known, now)
    if (!isOpen && this.#windows.size >= this.#removeExpiredFrom) this.#removeExpired(now)
    const window = isOpen
      ? { startedAt: known.startedAt, requests: known.requests + 1 }
      : { startedAt: now, requests: 1 }
    this.#windows.set(bucket, window)
    return this.#statusOf(window, this.limit)
  }

  reset(): void {
    this.#windows.clear()
  }

  #statusOf({ startedAt, requests }: RequestWindow, limit: number): RateLimitStatus {
    return {
      limit,
      remaining: Math.max(0, limit - requests),
      resetAt: startedAt + this.#windowMs,
      exceeded: requests > limit && this.#refuses(),
    }
  }

  #removeExpired(now: number): void {
    for (const [bucket, window] of this.#windows) {
      if (this.#isExpired(window, now)) this.#windows.delete(bucket)
    }
    this.#removeExpiredFrom = Math.max(REMOVE_EXPIRED_FROM, 2 * this.#windows.size)
  }

  /** A window that starts in the future was opened before the clock was set back. */
  #isExpired({ startedAt }: RequestWindow, now: number): boolean {
    return now < startedAt || now >= startedAt + this.#windowMs
  }
}

export const retryAfterSeconds = ({ resetAt }: RateLimitStatus, now: number): number =>
  Math.max(1, Math.ceil((resetAt - now) / 1000))

export type AddRateLimitHeaders = (
  headers: Record<string, string>,
  status: RateLimitStatus,
  now: number,
) => void

/** D35: adds the rate limit headers, under the profile's names. */
export function rateLimitHeaders({ headers, resetAs }: Profile['rateLimit']): AddRateLimitHeaders {
  const resetOf: (status: RateLimitStatus, now: number) => number =
    resetAs === 'unix' ? ({ resetAt }) => Math.ceil(resetAt / 1000) : retryAfterSeconds
  const values = [
    [headers.limit, ({ limit }: RateLimitStatus) => limit],
    [headers.remaining, ({ remaining }: RateLimitStatus) => remaining],
    [headers.reset, resetOf],
  ] as const
  const written = values.flatMap(([name, read]) =>
    name === null ? [] : [[name.toLowerCase(), read] as const],
  )
  return (headers, status, now) => {
    for (const [name, read] of written) headers[name] = String(read(status, now))
  }
}
