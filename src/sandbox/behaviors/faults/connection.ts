import { type ConnectionFault, NO_STATUS } from '../../../service/door/request.ts'
import {
  CONNECTION_FAULT_KINDS,
  CONNECTION_FAULTS,
  isSlow,
  mayActBefore,
} from '../../../spec/contract/connection-fault.ts'
import { formatDuration } from '../../../spec/contract/duration.ts'
import type { DoOf } from '../../scenario-file/do.ts'
import type { Fault, PreparedFault } from './fault.ts'

/** How long a slow body takes without `over`. */
const SLOW_MS = 5_000

const namesOf = (mayBefore: boolean) => {
  const names = CONNECTION_FAULT_KINDS.filter((kind) => mayActBefore(kind) === mayBefore).map(
    (kind) => `\`${kind}\``,
  )
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

export const connection: Fault<'fault'> = {
  sentence: `Fails as a network does: ${namesOf(true)} in place of an answer, before the operation or after the commit; ${namesOf(false)} while the committed answer is sent.`,
  actsOn: 'request',
  prepare(words, { client }) {
    const fault = faultOf(words)
    const crash = async () => {
      if (fault.kind === 'crash') await client()?.crash()
    }
    const does =
      CONNECTION_FAULTS[fault.kind].does +
      ('durationMs' in fault ? `, over ${formatDuration(fault.durationMs)}` : '')
    return actsAfterCommit(words)
      ? afterCommit(`${does}, after the commit`, fault, crash)
      : before(does, fault, crash)
  },
}

const faultOf = ({ fault: kind, over = SLOW_MS }: DoOf<'fault'>): ConnectionFault =>
  isSlow(kind) ? { kind, durationMs: over } : { kind }

/** A fault in the body needs a response, so it always acts after the commit. */
const actsAfterCommit = ({ fault, at }: DoOf<'fault'>) => at === 'after-commit' || !mayActBefore(fault)

const afterCommit = (does: string, fault: ConnectionFault, crash: () => Promise<void>): PreparedFault => ({
  does,
  async afterCommit(_matched, answer) {
    await crash()
    return { ...answer, fault }
  },
})

const before = (does: string, fault: ConnectionFault, crash: () => Promise<void>): PreparedFault => ({
  does,
  async before() {
    await crash()
    return { status: NO_STATUS, headers: {}, body: '', fault, stored: false }
  },
})
