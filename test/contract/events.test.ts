import { describe, expect, test } from 'vitest'
import type { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { eventsBefore, TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
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

/** The messages of a move by time. */
const MESSAGES: { readonly [Type in string]?: readonly string[] } = {
  'refund.completed': ['email refund_completed'],
}

const WAITED = TIMED_MOVES.flatMap((move) => eventsBefore(move).map((before) => ({ ...move, before })))

describe.skipIf(isRemote).for(WAITED)('after $before time leads to $event', ({ before, event, option }) => {
  test.for([
    ['a millisecond early', -1, 0],
    ['on time', 0, 1],
    ['once, also when it is read late', 86_400_000, 1],
  ] as const)('%s, also after a restart', async ([, lateMs, times]) => {
    for (const restarts of [false, true]) {
      const platform = openPlatform()
      const { tester } = platform
      await prepare(platform, CAUSES[before as keyof typeof CAUSES])
      const earlier = { events: tester.events().length, writes: tester.writes() }
      if (restarts) tester.restart()
      await tester.advance(contract.delays[option] + lateMs)
      expect(tester.events().slice(earlier.events)).toEqual(times === 1 ? [event] : [])
      expect(tester.writes().filter((write) => !earlier.writes.includes(write))).toEqual(
        times === 1 ? (MESSAGES[event] ?? []) : [],
      )
    }
  })
})
