import { idsIn } from './resource-ids.ts'
import type { RecordedRequest, Session } from './session.ts'

/**
 * The chosen requests, and the earlier ones that created or changed a resource whose id they contain. A cause comes
 * before its effect, so one pass from the last request to the first finds them all.
 */
export function withCauses({ requests, chosen }: Session): readonly RecordedRequest[] {
  const included = new Set(requests.filter(({ id }) => chosen.includes(id)))
  const ids = new Set([...included].flatMap(idsIn))
  let isBeforeAChosenOne = false
  for (const request of requests.toReversed()) {
    if (included.has(request)) isBeforeAChosenOne = true
    else if (isBeforeAChosenOne && request.events.some(({ resourceId }) => ids.has(resourceId))) {
      included.add(request)
      for (const id of idsIn(request)) ids.add(id)
    }
  }
  return requests.filter((request) => included.has(request))
}
