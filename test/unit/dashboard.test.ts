/** What the dashboard draws and writes, as far as it is a pure matter of data. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildTimeline, type EventAboutResource } from '../../src/pages/dashboard/build-timeline.ts'
import { laidOutText } from '../../src/pages/dashboard/json-text.tsx'
import { gapText, shortId, untilText } from '../../src/pages/dashboard/text.ts'
import { DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import type { RequestExplained } from '../../src/tester/control/shapes.ts'

const NOON = '2026-03-01T12:00:00.000Z'

describe('a timeline', () => {
  const event = (id: string, type: string, status: string, timestamp = NOON): EventAboutResource => ({
    id,
    type,
    timestamp,
    data: { id: 'chk_1', status },
  })
  const request = (id: string, step: string, events: EventAboutResource[], more: object = {}) =>
    ({
      id,
      arrivedAt: NOON,
      method: 'POST',
      target: '/v1/checkouts',
      status: 201,
      step,
      key: null,
      verdict: null,
      fault: null,
      fired: [],
      request: { headers: {}, body: '' },
      response: null,
      events: events.map(({ id: eventId, type, data }) => ({ id: eventId, type, resourceId: data.id })),
      ...more,
    }) as unknown as RequestExplained
  const attempt = (at: string, number: number, status: number | null) => ({ at, number, status })
  const delivery = (eventId: string, ...attempts: object[]) =>
    ({ id: `dlv_${eventId}`, eventId, eventType: 'checkout.created', resourceId: 'chk_1', attempts }) as never

  it('keeps the order of what happened at one instant: the cause, what it led to, the delivery, and what came next', () => {
    const created = event('evt_1', 'checkout.created', 'pending')
    const approved = event('evt_2', 'checkout.approved', 'approved')
    const confirmed = event('evt_3', 'checkout.confirmed', 'confirmed')
    const { moments } = buildTimeline({
      subject: 'chk_1',
      requests: [request('req_1', 'commit', [created]), request('req_2', 'commit', [confirmed])],
      events: [created, approved, confirmed],
      deliveries: [delivery('evt_1', attempt(NOON, 1, 500), attempt('2026-03-01T12:00:05.000Z', 2, 204))],
      backgroundResults: [{ behavior: 'twice', fired: true, subject: 'evt_3' }],
    })
    expect(
      moments.map((moment) =>
        moment.kind === 'attempt'
          ? `attempt ${moment.number}`
          : moment.kind === 'request'
            ? moment.id
            : moment.cause,
      ),
    ).toEqual(['req_1', 'attempt 1', 'buyer', 'req_2', 'attempt 2'])
    expect(moments[3]).toMatchObject({ effects: [{ state: 'confirmed', changedBy: ['twice'] }] })
  })

  it('knows time from a buyer, and both from what no request is known of', () => {
    const alone = (type: string) =>
      buildTimeline({
        subject: 'x',
        requests: [],
        events: [event('evt_1', type, 's')],
        deliveries: [],
        backgroundResults: [],
      }).moments
    expect(alone('refund.completed')).toMatchObject([{ cause: 'time' }])
    expect(alone('checkout.approved')).toMatchObject([{ cause: 'buyer' }])
    expect(alone('payment_method.attached')).toMatchObject([{ cause: 'unknown' }])
  })

  it('tells a request that reached its operation from one that the door answered', () => {
    const steps = ['idempotency', 'behaviors', 'operation', 'commit']
    const requests = steps.map((step, place) => request(`req_${place}`, step, []))
    const { moments } = buildTimeline({
      subject: 'chk_1',
      requests,
      events: [],
      deliveries: [],
      backgroundResults: [],
    })
    expect(moments.map((moment) => moment.kind === 'request' && moment.reached)).toEqual([
      'door',
      'door',
      'operation',
      'operation',
    ])
  })
})

describe('JSON laid out for reading', () => {
  it('is what JSON.stringify would lay out, with the digits that were sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(laidOutText(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
    )
    expect(laidOutText('{"amount":1000.00}')).toBe('{\n  "amount": 1000.00\n}')
    expect(laidOutText('no JSON')).toBe('no JSON')
  })
})

describe('words', () => {
  it.each([
    [250, '250 ms'],
    [1000, '1 second'],
    [85_000, '1 minute 25 seconds'],
    [59 * 60_000 + 55_000, '1 hour'],
    [2 * 86_400_000 - 142_000, '2 days'],
    [36_500 * 86_400_000, '36,500 days'],
  ])('%i ms are %s', (ms, text) => {
    expect(gapText(ms)).toBe(text)
  })

  it('says how far away an instant is, and cuts ids where they still tell', () => {
    expect(untilText('2026-03-01T12:00:05.000Z', Date.parse(NOON))).toBe('in 5 s')
    expect(untilText(NOON, Date.parse(NOON))).toBe('now')
    expect(shortId('chk_7Qm2ZxT9cLw4RbN8sVk1YdHf', DEFAULT_CONTRACT.ids)).toBe('chk_…1YdHf')
    expect(shortId('req_12', DEFAULT_CONTRACT.ids)).toBe('req_12')
  })
})
