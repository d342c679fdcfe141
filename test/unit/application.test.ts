/** The state changes of a buyer's application. */
import { describe, expect, it } from 'vitest'
import {
  applicationMoves,
  chooseMethod,
  decideCredit,
  enterBank,
  logIn,
  startApplication,
} from '../../src/service/domain/application.ts'

const NOW = Date.parse('2026-03-01T09:00:00.000Z')

describe('an application', () => {
  const started = startApplication('app_1', 'chk_1', NOW)
  const declined = {
    approved: false,
    reason: 'declined by limit',
    score: 650,
    limit: 1,
    explanation: '',
  } as const
  const applicant = { first: 'Ada', last: 'Buyer', business: 'Example', nationalIdLast4: '6789' }

  it('moves only as the table allows', () => {
    expect(
      Object.entries(applicationMoves).map(([name, { from, to }]) => `${name}: ${from.join('|')} > ${to}`),
    ).toEqual([
      'logIn: logging_in > choosing_method',
      'chooseCard: choosing_method|entering_card|applying|declined|entering_bank|reviewing > entering_card',
      'chooseBank: choosing_method|entering_card|applying|declined|entering_bank|reviewing > applying',
      'approve: applying > entering_bank',
      'decline: applying > declined',
      'enterCard: entering_card|reviewing > reviewing',
      'enterBank: entering_bank|reviewing > reviewing',
      'accept: reviewing > accepted',
    ])
  })

  it('is decided once: a decline is final, whichever method is tried in between', () => {
    const applying = logIn(started, 'ada@example.test', 'bank_account', NOW)
    const refused = decideCredit(applying, applicant, declined, NOW)
    const back = chooseMethod(chooseMethod(refused, 'card', NOW), 'bank_account', NOW)
    expect(back.status).toBe('declined')
    const account = { bankName: 'B', routingNumber: '222222226', last4: '6789' }
    expect(() => enterBank(back, account, NOW)).toThrow('Application is not approved')
  })
})
