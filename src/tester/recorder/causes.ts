import { idsIn } from './resource-ids.ts'
import type { RecordedRequest, Session } from './session.ts'

/**
 * The chosen requests, and the earlier ones that created or changed a resource whose id they contain, or that used their
 * Idempotency-Key before. A cause comes before its effect, so one pass from the last request to the first finds them all.
 */
export function withCauses({ requests, chosen }: Session): readonly RecordedRequest[] {
  const included = new Set(requests.filter(({ id }) => chosen.includes(id)))
  const ids = new Set([...included].flatMap(idsIn))
  const keys = new Set([...included].flatMap(rememberedKey))
  let isBeforeAChosenOne = false
  for (const request of requests.toReversed()) {
    if (included.has(request)) isBeforeAChosenOne = true
    else if (
      isBeforeAChosenOne &&
      (request.events.some(({ resourceId }) => ids.has(resourceId)) || keys.has(keyText(request)))
    ) {
      included.add(request)
      for (const id of idsIn(request)) ids.add(id)
      for (const key of rememberedKey(request)) keys.add(key)
    }
  }
  return requests.filter((request) => included.has(request))
}

const keyText = ({ asked, key }: RecordedRequest) =>
  key === null ? '' : `${asked.method} ${asked.target} ${key}`

/** The key of an answer that was given for the first request with it: the same again, or a 422. */
const rememberedKey = (request: RecordedRequest): string[] =>
  request.verdict === 'replayed' || request.verdict === 'reused with another body' ? [keyText(request)] : []
