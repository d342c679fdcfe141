import { formatDuration } from '../../contract/duration.ts'
import { type Fault, waitFault } from './fault.ts'

export const hold: Fault<'hold'> = {
  sentence: 'Keeps the request in flight until a tester opens the gate, or until `max` is over.',
  place: 'request',
  prepare({ hold: gate, max, at }, { heldRequests }) {
    const atMost = max === undefined ? '' : ` for at most ${formatDuration(max)}`
    return waitFault(`is held at ${gate}${atMost}`, at, ({ entry }) =>
      heldRequests.park(entry.id, { gate, forMs: max }),
    )
  },
}
