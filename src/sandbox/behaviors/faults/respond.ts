import { type RateLimitStatus, retryAfterSeconds } from '../../../service/door/rate-limit.ts'
import { RATE_LIMIT_REQUESTS } from '../../../spec/contract/limits.ts'
import { templateOf } from '../../stubs/template.ts'
import type { Fault } from './fault.ts'

export const respond: Fault<'respond'> = {
  sentence: 'Answers in the operation’s place; an Idempotency-Key keeps the answer only with `stored: true`.',
  actsOn: 'request',
  prepare({ respond: { status, json, headers = {} }, stored = false }, { clock, contract, rateLimit }) {
    const usual = status < 400 ? { body: {}, headers: {} } : contract.exampleOf(status)
    // The usual 409 is that of a key in flight; with a body of its own it is another, without Retry-After (D45).
    const usualHeaders = status === 409 && json !== undefined ? {} : usual.headers
    const bodyOf = (said: unknown) => (WITHOUT_CONTENT.includes(status) ? '' : JSON.stringify(said))
    const body = bodyOf(json ?? usual.body)
    const template = templateOf({ json, headers })
    return {
      does: `answers ${status}${stored ? ', and the key keeps it' : ''}`,
      before(matched) {
        const { entry } = matched
        const taken = template?.(matched)
        const own = lowerCased(taken ? inHeaders(taken.headers) : headers)
        const hasLatin1Header = Object.values(own).some((value) => !ASCII.test(value))
        const given = { ...usualHeaders, ...own }
        if (status === 429) {
          const now = clock.now()
          const limited = exceeded(entry.rateLimit ?? freshLimit(now), now, own['retry-after'])
          entry.counted(limited)
          given['retry-after'] = own['retry-after'] ?? String(retryAfterSeconds(limited, now))
        }
        const said = taken && json !== undefined ? bodyOf(taken.json) : body
        return { status, body: said, headers: given, hasLatin1Header, stored }
      },
    }

    /** If the sandbox's limit is off, staging's. */
    function freshLimit(now: number): RateLimitStatus {
      const limit = rateLimit.limit === 'off' ? RATE_LIMIT_REQUESTS : rateLimit.limit
      return { limit, remaining: 0, resetAt: now + contract.rateWindowMs, exceeded: true }
    }
  },
}

/** The state of an exceeded rate limit, for the headers of a 429: nothing is left, until `retryAfter`. */
const exceeded = (status: RateLimitStatus, now: number, retryAfter: string | undefined): RateLimitStatus => ({
  ...status,
  remaining: 0,
  exceeded: true,
  ...(retryAfter !== undefined && /^\d+$/.test(retryAfter) && { resetAt: now + Number(retryAfter) * 1000 }),
})

/** RFC 9110: a response with one of these statuses has no content (205 must not generate any). */
const WITHOUT_CONTENT = [204, 205, 304]

const ASCII = /^[\t -~]*$/

/** Replaces characters that no header may have: the values come from a request's JSON. */
const inHeaders = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replaceAll(/[^\t -~]/gu, '?')]),
  )

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
