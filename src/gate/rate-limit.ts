/**
 * §8: so many requests a minute for each IP, also those that are refused. The window is fixed: it starts with the first
 * request, and a refused request does not extend it (D34).
 */
import { RATE_LIMIT_WINDOW_MS } from '../contract/limits.ts'

export interface RateLimitStatus {
  limit: number
  remaining: number
  resetAt: number
  exceeded: boolean
}

interface Window {
  startedAt: number
  requests: number
}

/** From this many windows on, the expired ones are removed before another is added. */
const REMOVE_EXPIRED_FROM = 1_000

export class RateLimit {
  /** Requests in a window, or no limit at all. */
  limit: number | 'off'
  readonly #windowMs: number
  readonly #refuses: () => boolean
  #windows = new Map<string, Window>()

  /** While `refuses` says no, requests are counted and none is too many. */
  constructor(limit: number | 'off', windowMs = RATE_LIMIT_WINDOW_MS, refuses = () => true) {
    this.limit = limit
    this.#windowMs = windowMs
    this.#refuses = refuses
  }

  /** Counts a request; undefined where there is no limit. */
  count(bucket: string, now: number): RateLimitStatus | undefined {
    if (this.limit === 'off') return undefined
    let window = this.#windows.get(bucket)
    if (window === undefined || this.#isExpired(window, now)) {
      window = { startedAt: now, requests: 0 }
      if (this.#windows.size >= REMOVE_EXPIRED_FROM) this.#removeExpired(now)
      this.#windows.set(bucket, window)
    }
    window.requests += 1
    return this.#statusOf(window, this.limit)
  }

  /** Every window that has not expired, with its bucket. */
  windows(now: number): ({ bucket: string } & RateLimitStatus)[] {
    this.#removeExpired(now)
    const { limit } = this
    if (limit === 'off') return []
    return [...this.#windows].map(([bucket, window]) => ({ bucket, ...this.#statusOf(window, limit) }))
  }

  reset(): void {
    this.#windows.clear()
  }

  #statusOf({ startedAt, requests }: Window, limit: number): RateLimitStatus {
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
  }

  /** A window that starts in the future is from before the clock was put back. */
  #isExpired({ startedAt }: Window, now: number): boolean {
    return now < startedAt || now >= startedAt + this.#windowMs
  }
}

export const retryAfterSeconds = ({ resetAt }: RateLimitStatus, now: number): number =>
  Math.max(1, Math.ceil((resetAt - now) / 1000))

/** D35 */
export const rateLimitHeaders = ({ limit, remaining, resetAt }: RateLimitStatus): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
})
