import { formatDuration } from '../../../spec/contract/duration.ts'
import { type Fault, waitFault } from './fault.ts'

export const hold: Fault<'hold'> = {
  sentence: 'Keeps the request in flight until the gate is released, or until `max` has passed.',
  actsOn: 'request',
  prepare({ hold: gate, max, at }, { heldRequests }) {
    const atMost = max === undefined ? '' : ` for at most ${formatDuration(max)}`
    return waitFault(`is held at ${gate}${atMost}`, at, ({ entry }) =>
      heldRequests.hold(entry.id, { gate, forMs: max }),
    )
  },
}
