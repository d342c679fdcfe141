/** The buyer's part without a browser: the same steps, and what they leave behind. */
import { describe, expect, it } from 'vitest'
import { parseSession } from '../../src/pages/buyer/session.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../src/service/buyer-flow/flow.ts'
import {
  applicationMoves,
  chooseMethod,
  countWrongCode,
  decideCredit,
  enterBank,
  isLocked,
  LOCK_MS,
  logIn,
  startApplication,
} from '../../src/service/domain/application.ts'
import { newRow } from '../../src/service/domain/rows.ts'
import type { BankQuestion } from '../../src/service/environments/bank.ts'
import { Unit, UnitServices } from '../../src/service/operations/unit.ts'
import { cents } from '../../src/spec/contract/money.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { ORDER } from '../order.ts'

const NOW = Date.parse('2026-03-01T09:00:00.000Z')

/** A sandbox with one pending checkout, and a way to do something with it in one transaction. */
function open({ amount = 100_000, paymentMethodType = null as 'card' | 'bank_account' | null } = {}) {
  const { internalsOf } = composeSimulator({ clock: `frozen@${new Date(NOW).toISOString()}` })
  const { services } = internalsOf('default')
  const { store } = services
  const id = 'chk_1'
  const request = { ...ORDER, paymentMethodType, amount: cents(amount) }
  store.checkouts.insert(newRow('checkout', { ...request, id }, NOW))
  return {
    store,
    run: <Result>(work: (unit: Unit) => Result, parts: Partial<UnitServices['parts']> = {}) =>
      store.transact(() => work(new Unit(new UnitServices({ ...services.parts, ...parts }), NOW))),
    outbox: () =>
      store.outbox
        .list({ limit: 100 })
        .data.map(({ template, body }) => `${template}: ${body}`)
        .reverse(),
    events: () =>
      store.events
        .list({ limit: 100 })
        .data.map(({ type }) => type)
        .reverse(),
  }
}

describe('approving as the buyer', () => {
  it('leaves behind what the page would: a customer, a method, an approved checkout and a code in the outbox', async () => {
    const { store, run, events, outbox } = open()
    const checkout = await run((unit) => approveAsBuyer(unit, 'chk_1')).then(approvedOf)
    expect(checkout).toMatchObject({ status: 'approved', approvedAt: NOW, paymentMethodType: 'card' })
    expect(events()).toEqual(['customer.created', 'payment_method.attached', 'checkout.approved'])
    expect(outbox()).toEqual(['login_code: 000000 is your code for order-1.'])
    expect(store.customers.findByExternalId(ORDER.externalId)).toMatchObject({ email: 'buyer@example.test' })
    expect(store.applications.findByCheckout('chk_1')).toMatchObject({ status: 'accepted', acceptedAt: NOW })
  })

  it('applies for credit when a bank account is to pay, and names the business', async () => {
    const { store, run, outbox } = open({ amount: 99_000_000 })
    await run((unit) => approveAsBuyer(unit, 'chk_1', { method: 'bank_account' })).then(approvedOf)
    expect(store.customers.findByExternalId(ORDER.externalId)).toMatchObject({ name: 'Example Trading LLC' })
    expect(outbox()[1]).toBe(
      'application_decision: Your application for $990,000.00 was approved. Test Approved is always approved, for any amount and without a check.',
    )
  })

  it.each([
    ['a usual score', { lastFour: '1234' }, 2_500_000],
    ['a high score', { lastFour: '0000' }, 25_000_000],
    ['a named applicant', { applicant: 'Ada King Lovelace' }, 2_500_000],
  ])('is refused above the limit of %s, and its message is left', async (_name, wish, limit) => {
    const under = open({ amount: limit })
    await under
      .run((unit) => approveAsBuyer(unit, 'chk_1', { method: 'bank_account', ...wish }))
      .then(approvedOf)
    const above = open({ amount: limit + 1 })
    await expect(
      above
        .run((unit) => approveAsBuyer(unit, 'chk_1', { method: 'bank_account', ...wish }))
        .then(approvedOf),
    ).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/^Application is declined\. A score of/),
    })
    expect(above.store.applications.findByCheckout('chk_1')).toMatchObject({ status: 'declined' })
    expect(above.outbox()[1]).toMatch(/^application_decision: Your application for .* was declined/)
    expect(above.store.checkouts.find('chk_1')).toMatchObject({ status: 'pending' })
  })

  it.each([
    ['chk_2', {}, 404, 'Checkout not found'],
    ['chk_1', { method: 'bank_account', lastFour: '12' }, 400, /^Invalid field: nationalId/],
    ['chk_1', { method: 'bank_account', applicant: 'Madonna' }, 400, /^Invalid field: last/],
  ] as const)('%s with %j answers %i', async (id, wish, status, message) => {
    const { run } = open()
    await expect(run((unit) => approveAsBuyer(unit, id, wish)).then(approvedOf)).rejects.toMatchObject({
      status,
      message: expect.stringMatching(message),
    })
  })

  it('works once', async () => {
    const { run } = open()
    await run((unit) => approveAsBuyer(unit, 'chk_1')).then(approvedOf)
    await expect(run((unit) => approveAsBuyer(unit, 'chk_1')).then(approvedOf)).rejects.toMatchObject({
      message: 'Checkout is already approved',
    })
  })

  it('uses the method that the platform has chosen', async () => {
    const { run } = open({ paymentMethodType: 'bank_account' })
    expect(await run((unit) => approveAsBuyer(unit, 'chk_1')).then(approvedOf)).toMatchObject({
      paymentMethodType: 'bank_account',
    })
  })
})

describe('declining as the buyer', () => {
  it('leaves the checkout pending, and a card still pays', async () => {
    const { store, run, outbox } = open()
    const application = await run((unit) => declineAsBuyer(unit, 'chk_1'))
    expect(application).toMatchObject({
      status: 'declined',
      decision: {
        approved: false,
        reason: 'declined by the bank',
        explanation: 'The bank declined the application.',
      },
    })
    expect(outbox()[1]).toContain('was declined')
    expect(store.checkouts.find('chk_1')).toMatchObject({ status: 'pending' })
    await expect(
      run((unit) => approveAsBuyer(unit, 'chk_1', { method: 'bank_account' })).then(approvedOf),
    ).rejects.toThrow(/declined/)
    expect(
      await run((unit) => approveAsBuyer(unit, 'chk_1', { method: 'card' })).then(approvedOf),
    ).toMatchObject({
      status: 'approved',
    })
  })

  it('may be the card that is refused', async () => {
    const { run } = open()
    expect(await run((unit) => declineAsBuyer(unit, 'chk_1', { method: 'card' }))).toMatchObject({
      status: 'entering_card',
      card: null,
    })
  })
})

it('a bank that was told to object says no, and is asked about the right checkout', async () => {
  const asked: BankQuestion[] = []
  const decides = (question: BankQuestion) => {
    asked.push(question)
    return { approves: false }
  }
  const behaviors = { decides, timing: () => undefined }
  const { run } = open()
  await expect(run((unit) => approveAsBuyer(unit, 'chk_1'), { behaviors }).then(approvedOf)).rejects.toThrow(
    /The bank declined this card/,
  )
  await expect(
    run((unit) => approveAsBuyer(unit, 'chk_1', { method: 'bank_account' }), { behaviors }).then(approvedOf),
  ).rejects.toThrow(/The bank declined the application/)
  expect(asked).toEqual([
    { about: 'card', checkoutId: 'chk_1' },
    { about: 'credit', checkoutId: 'chk_1' },
  ])
})

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

  it('may move only as the table says', () => {
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

  it('is decided once: who was declined stays so, whichever method is tried in between', () => {
    const applying = logIn(started, 'ada@example.test', 'bank_account', NOW)
    const refused = decideCredit(applying, applicant, declined, NOW)
    const back = chooseMethod(chooseMethod(refused, 'card', NOW), 'bank_account', NOW)
    expect(back.status).toBe('declined')
    const account = { bankName: 'B', routingNumber: '222222226', last4: '6789' }
    expect(() => enterBank(back, account, NOW)).toThrow('Application is not approved')
  })

  it('belongs to the buyer who logged in last', () => {
    const ada = decideCredit(
      logIn(started, 'ada@example.test', 'bank_account', NOW),
      applicant,
      declined,
      NOW,
    )
    expect(logIn(ada, 'ada@example.test', 'bank_account', NOW)).toEqual(ada)
    expect(logIn(ada, 'eve@example.test', null, NOW)).toMatchObject({
      id: 'app_1',
      status: 'choosing_method',
      contact: 'eve@example.test',
      applicant: null,
      decision: null,
    })
  })

  it('is locked by the fifth wrong code, for a while', () => {
    let application = started
    for (let wrong = 0; wrong < 4; wrong += 1) application = countWrongCode(application, NOW)
    expect(isLocked(application, NOW)).toBe(false)
    application = countWrongCode(application, NOW)
    expect(isLocked(application, NOW + LOCK_MS - 1)).toBe(true)
    expect(isLocked(application, NOW + LOCK_MS)).toBe(false)
    expect(application.wrongCodes).toBe(0)
  })
})

describe('a session', () => {
  const session = { id: 'ses_1', checkoutId: 'chk_1', contact: 'ada@example.test', loggedIn: false, at: NOW }

  it('is for its own checkout, and ends half an hour after the last click', () => {
    const text = JSON.stringify(session)
    expect(parseSession(text, 'chk_1', NOW + 30 * 60_000 - 1)).toEqual(session)
    expect(parseSession(text, 'chk_1', NOW + 30 * 60_000)).toBe(undefined)
    expect(parseSession(text, 'chk_2', NOW)).toBe(undefined)
  })
})
