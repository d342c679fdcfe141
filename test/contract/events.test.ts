import { describe, expect, test } from 'vitest'
import type { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { type Case, play, prepare } from './case.ts'
import type { Given } from './given.ts'
import { contract, isRemote, openPlatform } from './platform.ts'

/** Every event type, with the steps that cause it. */
const CAUSES: Record<(typeof EVENT_TYPES)[number], readonly Given[]> = {
  'checkout.created': ['a checkout'],
  'checkout.approved': ['a checkout', 'a buyer approves it'],
  'checkout.confirmed': ['a checkout', 'it is confirmed'],
  'checkout.canceled': ['a checkout', 'it is canceled'],
  'authorization.created': ['a customer', 'an authorization'],
  'authorization.captured': ['a customer', 'an authorization', 'it is captured'],
  'authorization.voided': ['a customer', 'an authorization', 'it is voided'],
  'refund.created': ['a checkout', 'it is confirmed', 'a refund of 250.00'],
  'refund.completed': ['a checkout', 'it is confirmed', 'a refund of 250.00', 'the refund is due'],
  'customer.created': ['a customer'],
  'payment_method.attached': ['a customer', 'an authorization'],
  'payment_method.detached': ['a customer', 'an authorization', 'the method is detached'],
}

describe.skipIf(isRemote)('requests cause events', () => {
  play(
    Object.entries(CAUSES).map(
      ([type, given]): Case => ({
        name: type,
        given: ['a minute later', ...given],
        call: `GET /v1/events?type=${type}`,
        status: 200,
        body: {
          data: [{ id: /^evt_[0-9A-Za-z]{24}$/, type, timestamp: '{now}', data: { updatedAt: '{now}' } }],
          hasMore: false,
          nextCursor: null,
        },
      }),
    ),
  )
})

describe.skipIf(isRemote)('time completes a refund', () => {
  test.for([
    ['a millisecond early', contract.delays.refundDelay - 1, [], []],
    ['on time', contract.delays.refundDelay, ['refund.completed'], ['email refund_completed']],
    ['once, also when it is read late', 86_400_000, ['refund.completed'], ['email refund_completed']],
  ] as const)('%s', async ([, afterMs, events, writes]) => {
    const platform = openPlatform()
    const { tester } = platform
    await prepare(platform, ['a checkout', 'it is confirmed', 'a refund of 250.00'])
    const before = { events: tester.events(), writes: tester.writes() }
    await tester.advance(afterMs)
    expect(tester.events().slice(before.events.length)).toEqual(events)
    expect(tester.writes().filter((write) => !before.writes.includes(write))).toEqual(writes)
  })
})
