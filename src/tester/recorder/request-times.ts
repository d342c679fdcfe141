/**
 * When requests were carried out, in the sandbox's time. A request may arrive earlier than that: it was held,
 * or its body came late. And on a busy machine a refund completes some milliseconds after it is due. So the
 * events and states of a request decide, and its arrival only where it has none.
 */
import { sawStates } from './saw-states.ts'
import type { RecordedEvent, RecordedRequest } from './session.ts'

export function carriedOutAt(request: RecordedRequest, events: readonly RecordedEvent[]): number {
  const own = new Set(request.events.map(({ id }) => id))
  const times = events.filter(({ id }) => own.has(id)).map(({ timestamp }) => Date.parse(timestamp))
  return events
    .filter(({ id, type }) => type === 'refund.completed' && !own.has(id))
    .reduce(
      (time, { data, timestamp }) => {
        const completed = Date.parse(timestamp)
        const seen = sawStates(request, data.id)
        if (seen.includes('completed')) return Math.max(time, completed)
        const isItsOwn = request.events.some(({ resourceId }) => resourceId === data.id)
        return seen.includes('pending') && !isItsOwn ? Math.min(time, completed - 1) : time
      },
      Math.max(request.at, ...times),
    )
}
