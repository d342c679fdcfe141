import { describe, expect, test } from 'vitest'
import { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { type Case, play, prepare, refusals, request } from './case.ts'
import type { Given } from './given.ts'
import { GRANTED } from './granted.ts'
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

describe.skipIf(isRemote)('what happened is told', () => {
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

  test('by these types and no other', () => {
    expect(Object.keys(CAUSES)).toEqual([...EVENT_TYPES])
  })
})

describe.skipIf(isRemote)('an event carries the resource as the answer showed it, to the byte', () => {
  test.for(Object.entries(GRANTED))('%s', async ([, one]) => {
    const platform = openPlatform()
    const names = await prepare(platform, one.given)
    const answer = await platform.send(request(one, names))
    const events = await platform.send({ call: 'GET /v1/events' })
    expect(events.text).toContain(`"data":${answer.text}`)
  })
})

describe.skipIf(isRemote)('an event stays what it was', () => {
  test('though its resource moves on', async () => {
    const platform = openPlatform()
    const names = await prepare(platform, ['a checkout'])
    const before = await platform.send({ call: 'GET /v1/events' })
    await platform.send(request({ call: 'POST /v1/checkouts/{checkout}/cancel' }, names))
    const { body } = await platform.send({ call: 'GET /v1/events?type=checkout.created' })
    expect(body).toEqual(before.body)
  })

  test('and reads by its id as it does in the list', async () => {
    const platform = openPlatform()
    await prepare(platform, ['a checkout'])
    const list = await platform.send({ call: 'GET /v1/events' })
    const [event] = (list.body as { data: { id: string }[] }).data
    const one = await platform.send({ call: `GET /v1/events/${event!.id}` })
    expect(list.text).toBe(`{"data":[${one.text}],"hasMore":false,"nextCursor":null}`)
  })
})

describe('reading', () => {
  play([
    ...refusals('GET /v1/events/evt_nobody', [['one that never happened', [], '404 Event not found']]),
    ...refusals('GET /v1/events?type=checkout.expired', [
      [
        'those of a type that is none',
        [],
        `400 Invalid query parameter: type must be one of ${EVENT_TYPES.join(', ')}`,
      ],
    ]),
  ])

  play(
    isRemote
      ? []
      : [
          {
            name: 'all, newest first: a payment as the events that it is made of',
            given: ['a checkout', 'it is confirmed'],
            call: 'GET /v1/events',
            status: 200,
            body: {
              data: [
                { type: 'checkout.confirmed', data: { id: '{checkout}', status: 'confirmed' } },
                { type: 'payment_method.attached', data: { id: '{method}', status: 'attached' } },
                { type: 'customer.created', data: { id: '{customer}' } },
                { type: 'checkout.created', data: { id: '{checkout}', status: 'pending' } },
              ],
              hasMore: false,
              nextCursor: null,
            },
          },
        ],
  )
})

describe.skipIf(isRemote)('time completes a refund', () => {
  test.for([
    ['a millisecond early', contract.delays['refund.complete'] - 1, [], []],
    ['on time', contract.delays['refund.complete'], ['refund.completed'], ['email refund_completed']],
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
