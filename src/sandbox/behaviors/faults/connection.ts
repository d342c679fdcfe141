import { type Answer, NO_STATUS } from '../../../service/door/request.ts'
import {
  CONNECTION_FAULT_KINDS,
  CONNECTION_FAULTS,
  isSlow,
  mayActBefore,
} from '../../../spec/contract/connection-fault.ts'
import { formatDuration } from '../../../spec/contract/duration.ts'
import { actingAt, type Fault } from './fault.ts'

/** How long a slow body takes without `over`. */
const SLOW_MS = 5_000

const namesOf = (mayBefore: boolean) => {
  const names = CONNECTION_FAULT_KINDS.filter((kind) => mayActBefore(kind) === mayBefore).map(
    (kind) => `\`${kind}\``,
  )
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Without a response of the operation, the connection fails before anything is sent. */
const UNSENT: Answer = { status: NO_STATUS, headers: {}, body: '' }

export const connection: Fault<'fault'> = {
  sentence: `Fails as a network does: ${namesOf(true)} in place of an answer, before the operation or after the commit; ${namesOf(false)} while the committed answer is sent.`,
  actsOn: 'request',
  prepare({ fault: kind, at, over = SLOW_MS }, { client }) {
    const fault = isSlow(kind) ? { kind, durationMs: over } : { kind }
    const does = CONNECTION_FAULTS[kind].does + (isSlow(kind) ? `, over ${formatDuration(over)}` : '')
    // A fault in the body needs a response, so it always acts after the commit.
    return actingAt(mayActBefore(kind) ? at : 'after-commit', does, async (_, answer = UNSENT) => {
      if (kind === 'crash') await client()?.crash()
      return { ...answer, fault }
    })
  },
}
