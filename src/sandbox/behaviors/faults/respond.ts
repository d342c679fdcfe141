import type { MatchedRequest } from '../../../service/door/interruptions.ts'
import { type RateLimitStatus, retryAfterSeconds } from '../../../service/door/rate-limit.ts'
import { answerTooLarge } from '../../../spec/contract/errors.ts'
import { RATE_LIMIT_REQUESTS } from '../../../spec/contract/limits.ts'
import { formatInstant } from '../../../spec/contract/time.ts'
import { type Expression, evaluate, NoValue } from '../../scenario-file/expression.ts'
import {
  fill,
  placeholdersIn,
  placeholderText,
  REQUEST_WORDS,
  takesFromRequest,
} from '../../scenario-file/placeholder.ts'
import type { Fault } from './fault.ts'

export const respond: Fault<'respond'> = {
  sentence: 'Answers in the operation’s place; an Idempotency-Key keeps the answer only with `stored: true`.',
  actsOn: 'request',
  prepare({ respond: { status, json, headers = {} }, stored = false }, { clock, contract, rateLimit }) {
    const usual = status < 400 ? { body: {}, headers: {} } : contract.exampleOf(status)
    // The usual 409 means that the key is in flight; a 409 with its own body does not, so it has no Retry-After (D45).
    const usualHeaders = status === 409 && json !== undefined ? {} : usual.headers
    const bodyOf = (said: unknown) => (WITHOUT_CONTENT.includes(status) ? '' : JSON.stringify(said))
    const body = bodyOf(json ?? usual.body)
    const template = templateOf({ json, headers })
    return {
      does: `answers ${status}${stored ? ', and the key keeps it' : ''}`,
      before(matched) {
        const { entry } = matched
        const taken = template?.(matched)
        const lowered = lowerCased(taken ? inHeaders(taken.headers) : headers)
        const given = { ...usualHeaders, ...lowered }
        if (status === 429) {
          const now = clock.now()
          const limited = exceeded(entry.rateLimit ?? freshLimit(now), now, lowered['retry-after'])
          entry.rateLimit = limited
          given['retry-after'] = lowered['retry-after'] ?? String(retryAfterSeconds(limited, now))
        }
        const said = taken && json !== undefined ? bodyOf(taken.json) : body
        return { status, body: said, headers: given, stored }
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

/** Replaces characters that no header may have: the values come from a request's JSON. */
const inHeaders = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replaceAll(/[^\t -~]/gu, '?')]),
  )

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** The value of each word after `request.` in a template. */
const VALUES: Record<(typeof REQUEST_WORDS)[number], (matched: MatchedRequest) => unknown> = {
  id: ({ entry }) => entry.id,
  time: ({ entry }) => formatInstant(entry.at),
  method: ({ request }) => request.method,
  path: ({ params }) => params,
  query: ({ request }) => Object.fromEntries([...new URLSearchParams(request.query)].reverse()),
  header: ({ entry }) => entry.asked.headers,
  key: ({ key }) => key,
  json: ({ body }) => body,
}

/**
 * Values that an answer takes from its request: `${request.json.amount}` in a `respond`. A text that is only a placeholder
 * becomes the value itself; a value that the request does not have is null. Undefined if the value takes nothing from the
 * request, so that it is the same for each.
 */
function templateOf<Value>(value: Value): ((matched: MatchedRequest) => Value) | undefined {
  const taken = placeholdersIn(value).some(({ placeholder }) => placeholder && takesFromRequest(placeholder))
  if (!taken) return undefined
  return (matched) => {
    const request = Object.fromEntries(REQUEST_WORDS.map((word) => [word, VALUES[word](matched)]))
    let chars = 0
    return fill(value, (placeholder) => {
      if (!takesFromRequest(placeholder)) return placeholderText(placeholder)
      const taken = takenFrom(request, placeholder.expression)
      chars += JSON.stringify(taken).length
      if (chars > TAKEN_MAX_CHARS) throw answerTooLarge()
      return taken
    })
  }
}

/** While it is filled: a request of 100 KB and a thousand placeholders would be an answer of 100 MB. */
const TAKEN_MAX_CHARS = 1024 * 1024

function takenFrom(request: object, expression: Expression): unknown {
  try {
    return evaluate(expression, (name) => (name === 'request' ? request : undefined)) ?? null
  } catch (cause) {
    if (cause instanceof NoValue) return null
    throw cause
  }
}
