import { formatDuration } from '../../contract/duration.ts'
import { tooManyRequests } from '../../contract/errors.ts'
import { RATE_LIMIT_REQUESTS, RATE_LIMIT_WINDOW_MS } from '../../contract/limits.ts'
import { RateLimit, retryAfterSeconds } from '../../gate/rate-limit.ts'
import type { Fault } from './fault.ts'

export const rateLimit: Fault<'rateLimit'> = {
  sentence:
    'Counts each IP against another limit, with the answer and the headers of the real one; `exhausted` refuses every request.',
  place: 'request',
  prepare({ rateLimit: words }, { clock, rateLimit: real }) {
    const exhausted = 'exhausted' in words
    const usual = real.limit === 'off' ? RATE_LIMIT_REQUESTS : real.limit
    const { limit, window = RATE_LIMIT_WINDOW_MS } = exhausted ? { limit: usual } : words
    const counted = new RateLimit(limit, window)
    return {
      does: exhausted
        ? 'refuses as if the rate limit were exhausted'
        : `allows ${limit} requests in ${formatDuration(window)}`,
      before({ request, entry }) {
        const now = clock.now()
        const standing = counted.count(request.ip, now)!
        entry.rateLimit = exhausted ? { ...standing, remaining: 0, exceeded: true } : standing
        if (entry.rateLimit.exceeded) throw tooManyRequests(retryAfterSeconds(standing, now))
        return undefined
      },
    }
  },
}
