/** Changes that no request made: their cause, and their place among the requests. */
import { TESTER_ACTS } from '../../spec/contract/resources/by-tester.ts'
import { TIMED_EVENTS } from '../../spec/contract/resources/timed.ts'

/** Unknown: an emitted event, seed data, or a request that the journal has lost. */
export type ChangeCause = 'the buyer' | 'a tester' | 'time passed' | 'no known request'

export const BY_TIME: readonly string[] = TIMED_EVENTS
/** The events of what only a tester does. */
const BY_TESTER = TESTER_ACTS.filter(({ move }) => move?.by !== 'time').map(
  ({ kind, state }) => `${kind}.${state}`,
)

export function causeOf(types: readonly string[]): ChangeCause {
  if (types.every((type) => BY_TIME.includes(type))) return 'time passed'
  if (types.every((type) => BY_TESTER.includes(type))) return 'a tester'
  return types.includes('checkout.approved') ? 'the buyer' : 'no known request'
}

/** Inserts by time; at the same instant, after the events before it. */
export function insert<Moment extends { at: number; changes: readonly { eventId: string }[] }>(
  moments: Moment[],
  moment: Moment,
  isBefore: (eventId: string) => boolean,
): void {
  const place = moments.findLastIndex(
    ({ at, changes }) => at < moment.at || changes.some(({ eventId }) => isBefore(eventId)),
  )
  moments.splice(place + 1, 0, moment)
}
