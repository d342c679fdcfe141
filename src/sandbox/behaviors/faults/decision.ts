import type { Fault } from './fault.ts'

export const decision: Fault<'decision'> = {
  sentence: 'Approves or declines the buyer, as the card network, the bank or the credit check would.',
  actsOn: 'buyer',
  prepare: ({ decision, reason }) => ({
    does: `${decision}s the buyer${reason === undefined ? '' : `: ${reason}`}`,
    verdict: { approves: decision === 'approve', reason },
  }),
}
