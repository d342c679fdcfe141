import { RateLimit, retryAfterSeconds } from '../../../service/door/rate-limit.ts'
import { counted } from '../../../spec/contract/counted.ts'
import { formatDuration } from '../../../spec/contract/duration.ts'
import { tooManyRequests } from '../../../spec/contract/errors.ts'
import { RATE_LIMIT_REQUESTS } from '../../../spec/contract/limits.ts'
import type { Fault } from './fault.ts'

export const rateLimit: Fault<'rateLimit'> = {
  sentence:
    'Counts each IP against another limit, with the answer and the headers of the real one; `exhausted` refuses every request.',
  actsOn: 'request',
  prepare({ rateLimit: words }, { clock, contract, rateLimit: sandboxLimit, rateWindows, transact }) {
    const exhausted = 'exhausted' in words
    const usual = sandboxLimit.limit === 'off' ? RATE_LIMIT_REQUESTS : sandboxLimit.limit
    const { limit, window = contract.rateWindowMs } = exhausted ? { limit: usual } : words
    const counter = new RateLimit(limit, { windowMs: window, windows: rateWindows })
    return {
      does: exhausted
        ? 'refuses as if the rate limit were exhausted'
        : `allows ${counted(limit, 'request')} in ${formatDuration(window)}`,
      async before({ request, entry }) {
        const now = clock.now()
        const state = await transact(() => counter.count(request.ip, now)!)
        const shown = exhausted ? { ...state, remaining: 0, exceeded: true } : state
        entry.rateLimit = shown
        if (shown.exceeded) throw tooManyRequests(retryAfterSeconds(state, now))
        return undefined
      },
    }
  },
}
