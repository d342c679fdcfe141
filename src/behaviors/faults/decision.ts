import type { Fault } from './fault.ts'

export const decision: Fault<'decision'> = {
  sentence: 'Declines the buyer, as the card network, the bank or the credit check would.',
  place: 'buyer',
  prepare: () => ({ does: 'declines the buyer' }),
}
