import { describe, expect, it } from 'vitest'
import { type Moment, momentsOf } from '../../src/pages/dashboard/moments.ts'
import type { ShownEvent } from '../../src/tester/control/browse.ts'
import type { RequestExplained } from '../../src/tester/control/shapes.ts'

const NOON = Date.parse('2026-03-01T12:00:00.000Z')
const instant = (after: number) => new Date(NOON + after).toISOString()

const event = (
  id: string,
  type: string,
  { at = 0, attempts = [] as readonly (readonly [number, number | null])[] } = {},
): ShownEvent => ({
  id,
  type,
  timestamp: instant(at),
  data: { id: 'chk_1', status: type.split('.')[1] },
  deliveries:
    attempts.length === 0
      ? []
      : [
          {
            id: `dlv_${id}`,
            attempts: attempts.map(([after, status]) => ({ at: instant(after), status })),
          } as never,
        ],
})

interface Asked extends Partial<RequestExplained> {
  at?: number
  made?: readonly ShownEvent[]
}

const request = (id: string, { at = 0, made = [], ...more }: Asked = {}) =>
  ({
    id,
    arrivedAt: instant(at),
    method: 'POST',
    target: '/v1/checkouts',
    status: 201,
    step: 'commit',
    key: null,
    verdict: null,
    fault: null,
    fired: [],
    events: made.map((event) => ({ id: event.id, type: event.type, resourceId: event.data.id })),
    ...more,
  }) as unknown as RequestExplained

const moments = (
  requests: readonly RequestExplained[],
  events: readonly ShownEvent[] = [],
  backgroundResults: { behavior: string; fired: boolean; subject: string }[] = [],
) => momentsOf({ requests, events, backgroundResults })

const words = ({ request, cause, attempt }: Moment) =>
  request?.id ?? cause ?? `${attempt?.type} ${attempt?.status}`

describe('the moments', () => {
  it('at the same time are ordered: the cause, its event, the delivery, and the next request', () => {
    const created = event('evt_1', 'checkout.created', {
      attempts: [
        [0, 500],
        [5000, 204],
      ],
    })
    const approved = event('evt_2', 'checkout.approved')
    const confirmed = event('evt_3', 'checkout.confirmed', { attempts: [[0, 204]] })
    const requests = [request('req_1', { made: [created] }), request('req_2', { made: [confirmed] })]
    const made = moments(
      requests,
      [created, approved, confirmed],
      [{ behavior: 'twice', fired: true, subject: 'evt_3' }],
    )
    expect(made.map(words)).toEqual([
      ...['req_1', 'checkout.created 500', 'the buyer'],
      ...['req_2', 'checkout.confirmed 204', 'checkout.created 204'],
    ])
    expect(made[3]).toMatchObject({ changes: [{ state: 'confirmed', changedBy: ['twice'] }] })
  })

  it('show the cause of a change without a request', () => {
    const causeOf = (type: string) => moments([], [event('evt_1', type)]).map(words)
    expect(causeOf('refund.completed')).toEqual(['time passed'])
    expect(causeOf('checkout.approved')).toEqual(['the buyer'])
    expect(causeOf('payment_method.attached')).toEqual(['a tester'])
    expect(causeOf('customer.created')).toEqual(['no known request'])
  })

  it('group equal polls, and equal attempts of a delivery', () => {
    const poll = (id: string, at: number) => request(id, { at, method: 'GET', status: 200 })
    const polls = [poll('req_1', 0), poll('req_2', 1), request('req_3', { at: 2 }), poll('req_4', 3)]
    const failing = event('evt_1', 'checkout.created', {
      at: 4,
      attempts: [
        [4, 500],
        [9, 500],
        [20, 204],
      ],
    })
    expect(moments(polls, [failing]).map((moment) => [words(moment), moment.count])).toEqual([
      ...[
        ['req_1', 2],
        ['req_3', 1],
        ['req_4', 1],
        ['no known request', 1],
      ],
      ...[
        ['checkout.created 500', 2],
        ['checkout.created 204', 1],
      ],
    ])
  })
})
