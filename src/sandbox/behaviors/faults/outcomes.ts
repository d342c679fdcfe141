import { formatDuration } from '../../../spec/contract/duration.ts'
import { TIMED_MOVES } from '../../../spec/contract/resources/timed.ts'
import type { Fault, PreparedFault } from './fault.ts'

export const transition: Fault<'transition'> = {
  sentence:
    'Decides when a resource changes by itself, such as when a new refund completes: `now`, `never`, after a while on the clock, at the nth time that a platform reads it, or when a gate is released.',
  actsOn: 'transition',
  prepare({ transition, after }, { refunds }): PreparedFault {
    const makesMove = `${TIMED_MOVES.find(({ to }) => to === transition)!.move}s it`
    if (after === 'now') return { does: `${makesMove} now`, timing: () => ({ afterMs: 0 }) }
    if (after === 'never') return { does: `never ${makesMove}`, timing: () => 'unscheduled' }
    if ('clock' in after) {
      return {
        does: `${makesMove} after ${formatDuration(after.clock)}`,
        timing: () => ({ afterMs: after.clock }),
      }
    }
    if ('polls' in after) {
      return {
        does: `${makesMove} when it is read ${after.polls} times`,
        timing(id) {
          refunds.waitForReads(id, after.polls)
          return 'unscheduled'
        },
      }
    }
    return {
      does: `${makesMove} when ${after.gate} is released`,
      timing(id) {
        refunds.waitAtGate(id, after.gate)
        return 'unscheduled'
      },
    }
  },
}

export const decision: Fault<'decision'> = {
  sentence: 'Approves or declines the buyer, as the card network, the bank or the credit check would.',
  actsOn: 'buyer',
  prepare: ({ decision, reason }) => ({
    does: `${decision}s the buyer${reason === undefined ? '' : `: ${reason}`}`,
    verdict: { approves: decision === 'approve', reason },
  }),
}
