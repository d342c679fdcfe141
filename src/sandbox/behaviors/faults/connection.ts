import { type ConnectionFault, NO_STATUS } from '../../../service/gate/request.ts'
import { formatDuration } from '../../../spec/contract/duration.ts'
import type { DoOf } from '../../scenario-file/behavior.ts'
import type { Fault, PreparedFault } from './fault.ts'

/** How long a dripped body takes without `over`. */
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
    'Fails as a network does: `reset`, `close` or `hang` in place of an answer, before the operation or after the commit; `truncate`, `bad-json`, `bad-chunk` or `drip` while the committed answer is sent.',
  place: 'request',
  prepare(words) {
    const fault = faultOf(words)
    const does =
      DOES[fault.kind] + (fault.kind === 'drip' ? `, over ${formatDuration(fault.durationMs)}` : '')
    return actsAfterCommit(words) ? afterCommit(`${does}, after the commit`, fault) : before(does, fault)
  },
}

const faultOf = ({ fault: kind, over = DRIP_MS }: DoOf<'fault'>): ConnectionFault =>
  kind === 'drip' ? { kind, durationMs: over } : { kind }

/** A fault in the body needs an answer, so it always acts after the commit. */
const actsAfterCommit = ({ fault, at }: DoOf<'fault'>) =>
  at === 'after-commit' || !['reset', 'close', 'hang'].includes(fault)

const afterCommit = (does: string, fault: ConnectionFault): PreparedFault => ({
  does,
  afterCommit: (_matched, answer) => ({ ...answer, fault }),
})

const before = (does: string, fault: ConnectionFault): PreparedFault => ({
  does,
  before: () => ({ status: NO_STATUS, headers: {}, body: '', fault, stored: false }),
})
