/**
 * When requests were carried out, by the sandbox's clock. A request arrives earlier than that: it may have been held, or its
 * body came late. And where the clock runs on a busy machine, a refund completes some milliseconds after it is due. So what
 * a request did and saw decides, and its arrival only where that says nothing.
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
