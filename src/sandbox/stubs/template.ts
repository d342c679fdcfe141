/**
 * Values that an answer takes from its request: `${request.json.amount}` in a `respond`. A text that is only
 * a placeholder becomes the value itself; a value that the request does not have is null.
 */
import type { MatchedRequest } from '../../service/door/interruptions.ts'
import { formatInstant } from '../../spec/contract/wire.ts'
import { evaluate, NoValue } from '../scenario-file/expression.ts'
import {
  fill,
  placeholdersIn,
  placeholderText,
  REQUEST_WORDS,
  takesFromRequest,
} from '../scenario-file/placeholder.ts'

/** The value of each word after `request.`. */
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

/** Undefined if the value takes nothing from the request, so that it is the same for each. */
export function templateOf<Value>(value: Value): ((matched: MatchedRequest) => Value) | undefined {
  const taken = placeholdersIn(value).some(({ placeholder }) => placeholder && takesFromRequest(placeholder))
  if (!taken) return undefined
  return (matched) => {
    const request = Object.fromEntries(REQUEST_WORDS.map((word) => [word, VALUES[word](matched)]))
    return fill(value, (placeholder) => {
      if (!takesFromRequest(placeholder)) return placeholderText(placeholder)
      try {
        return evaluate(placeholder.expression, (name) => (name === 'request' ? request : undefined)) ?? null
      } catch (cause) {
        if (cause instanceof NoValue) return null
        throw cause
      }
    })
  }
}
