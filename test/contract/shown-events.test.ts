import { describe, expect, test } from 'vitest'
import { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { play, prepare, refusals, request } from './case.ts'
import { GRANTED } from './granted.ts'
import { isRemote, openPlatform } from './platform.ts'

describe.skipIf(isRemote)('an event carries the resource exactly as the response showed it', () => {
  test.for(Object.entries(GRANTED))('%s', async ([, creation]) => {
    const platform = openPlatform()
    const names = await prepare(platform, creation.given)
    const answer = await platform.send(request(creation, names))
    const events = await platform.send({ call: 'GET /v1/events' })
    expect(events.text).toContain(`"data":${answer.text}`)
  })
})

describe.skipIf(isRemote)('an event never changes', () => {
  test('when its resource changes', async () => {
    const platform = openPlatform()
    const names = await prepare(platform, ['a checkout'])
    const before = await platform.send({ call: 'GET /v1/events' })
    await platform.send(request({ call: 'POST /v1/checkouts/{checkout}/cancel' }, names))
    const { body } = await platform.send({ call: 'GET /v1/events?type=checkout.created' })
    expect(body).toEqual(before.body)
  })

  test('and has the same content by its id as in the list', async () => {
    const platform = openPlatform()
    await prepare(platform, ['a checkout'])
    const list = await platform.send({ call: 'GET /v1/events' })
    const [event] = (list.body as { data: { id: string }[] }).data
    const single = await platform.send({ call: `GET /v1/events/${event!.id}` })
    expect(list.text).toBe(`{"data":[${single.text}],"hasMore":false,"nextCursor":null}`)
  })
})

describe('reading', () => {
  play([
    ...refusals('GET /v1/events/evt_nobody', [['one that never happened', [], '404 Event not found']]),
    ...refusals('GET /v1/events?type=checkout.expired', [
      [
        'a filter with an unknown type',
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
            name: 'all, newest first: the events of a payment',
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
