import { formatDuration } from '../../contract/duration.ts'
import { type ConnectionFault, NO_STATUS } from '../../gate/request.ts'
import type { Fault, FaultWords, PreparedFault } from './fault.ts'

/** A body that goes out in pieces takes this long, unless the words say otherwise. */
const DRIP_MS = 5_000

const DOES: Record<ConnectionFault['kind'], string> = {
  reset: 'resets the connection',
  close: 'closes the connection without an answer',
  hang: 'stays silent until the client gives up',
  truncate: 'breaks off in the middle of the body',
  'bad-json': 'sends a body that is no JSON',
  'bad-chunk': 'sends a body that is no HTTP',
  drip: 'sends the body slowly',
}

export const connection: Fault<'fault'> = {
  sentence:
    'Fails as a network does: `reset`, `close` or `hang` in place of an answer, before the operation or after the commit; `truncate`, `bad-json`, `bad-chunk` or `drip` on the way of the committed answer.',
  place: 'request',
  prepare(words) {
    const fault = faultOf(words)
    const does =
      DOES[fault.kind] + (fault.kind === 'drip' ? `, over ${formatDuration(fault.durationMs)}` : '')
    return actsAfterCommit(words) ? afterCommit(`${does}, after the commit`, fault) : before(does, fault)
  },
}

const faultOf = ({ fault: kind, over = DRIP_MS }: FaultWords<'fault'>): ConnectionFault =>
  kind === 'drip' ? { kind, durationMs: over } : { kind }

/** Only an answer that is there can be spoiled. */
const actsAfterCommit = ({ fault, at }: FaultWords<'fault'>) =>
  at === 'after-commit' || !['reset', 'close', 'hang'].includes(fault)

const afterCommit = (does: string, fault: ConnectionFault): PreparedFault => ({
  does,
  afterCommit: (_passage, answer) => ({ ...answer, fault }),
})

const before = (does: string, fault: ConnectionFault): PreparedFault => ({
  does,
  before: () => ({ status: NO_STATUS, headers: {}, body: '', fault, stored: false }),
})
