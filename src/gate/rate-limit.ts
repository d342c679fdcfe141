/**
 * §8: so many requests a minute for each IP, whatever becomes of them. The window is fixed: it starts with the first
 * request, and requests that it refuses do not extend it (D34).
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

/** Windows that are over are dropped when this many have gathered. */
const SWEEP_AT = 1_000

export class RateLimit {
  /** Requests in a window, or no limit at all. */
  limit: number | 'off'
  readonly #windowMs: number
  #windows = new Map<string, Window>()

  constructor(limit: number | 'off', windowMs = RATE_LIMIT_WINDOW_MS) {
    this.limit = limit
    this.#windowMs = windowMs
  }

  /** Counts a request; undefined where there is no limit. */
  count(bucket: string, now: number): RateLimitStatus | undefined {
    if (this.limit === 'off') return undefined
    let window = this.#windows.get(bucket)
    if (window === undefined || this.#isOver(window, now)) {
      window = { startedAt: now, requests: 0 }
      if (this.#windows.size >= SWEEP_AT) this.#sweep(now)
      this.#windows.set(bucket, window)
    }
    window.requests += 1
    return this.#standing(window, this.limit)
  }

  /** Every window that is open, by its bucket. */
  windows(now: number): ({ bucket: string } & RateLimitStatus)[] {
    this.#sweep(now)
    const { limit } = this
    if (limit === 'off') return []
    return [...this.#windows].map(([bucket, window]) => ({ bucket, ...this.#standing(window, limit) }))
  }

  reset(): void {
    this.#windows.clear()
  }

  #standing({ startedAt, requests }: Window, limit: number): RateLimitStatus {
    return {
      limit,
      remaining: Math.max(0, limit - requests),
      resetAt: startedAt + this.#windowMs,
      exceeded: requests > limit,
    }
  }

  #sweep(now: number): void {
    for (const [bucket, window] of this.#windows) {
      if (this.#isOver(window, now)) this.#windows.delete(bucket)
    }
  }

  /** A window that starts in the future was opened before the clock was put back. */
  #isOver({ startedAt }: Window, now: number): boolean {
    return now < startedAt || now >= startedAt + this.#windowMs
  }
}

export const retryAfterSeconds = ({ resetAt }: RateLimitStatus, now: number): number =>
  Math.max(1, Math.ceil((resetAt - now) / 1000))

/** D35: the three headers that most services of this kind send. */
export const rateLimitHeaders = ({ limit, remaining, resetAt }: RateLimitStatus): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
})
