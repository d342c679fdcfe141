import type { Fault } from './fault.ts'

export const decision: Fault<'decision'> = {
  sentence: 'Lets the bank say no to a buyer: to the card, to the account, or to the credit.',
  place: 'buyer',
  prepare: () => ({ does: 'declines the buyer' }),
}
