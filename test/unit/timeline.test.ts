import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  NARROW,
  type TimelineLabel,
  type TimelineLayout,
  WIDE,
} from '../../src/pages/dashboard/timeline-drawing.ts'
import { layOutTimeline } from '../../src/pages/dashboard/timeline-layout.ts'
import type {
  ChangeMoment,
  Effect,
  RequestMoment,
  TimelineMoment,
} from '../../src/pages/dashboard/timeline-model.ts'

import { type AnswerLoss, arrivingUnder } from '../../src/spec/contract/connection-fault.ts'

const CHECKOUT = 'chk_7Qm2ZxT9cLw4RbN8sVk1YdHf'
const START = Date.parse('2026-03-01T09:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const effect = (type: string, resourceId = CHECKOUT, state: string | null = null): Effect => ({
  eventId: `evt_${type}_${resourceId}`,
  type,
  resourceId,
  state,
  trouble: null,
})

const request = (at: number, given: Partial<RequestMoment> = {}): RequestMoment => ({
  kind: 'request',
  id: 'req_1',
  at: START + at,
  method: 'POST',
  path: `/v1/checkouts/${CHECKOUT}/refunds`,
  status: 201,
  reached: 'operation',
  key: null,
  replayed: false,
  fault: null,
  arrives: arrivingUnder((given.fault ?? null) as AnswerLoss | null),
  behaviors: [],
  effects: [],
  ...given,
})

const attempt = (
  at: number,
  { eventId, type, resourceId }: Effect,
  number = 1,
  status: number | null = 204,
) =>
  ({
    kind: 'attempt',
    at: START + at,
    deliveryId: `dlv_${eventId}`,
    eventId,
    type,
    resourceId,
    number,
    delivery: null,
    status,
  }) satisfies TimelineMoment

const byTime = (at: number, ...effects: Effect[]): ChangeMoment => ({
  kind: 'change',
  at: START + at,
  cause: 'time',
  effects,
})

const draw = (...moments: TimelineMoment[]) => layOutTimeline({ subject: CHECKOUT, moments }, WIDE)

describe('the order', () => {
  it('holds at one instant as it does over days', () => {
    const created = effect('checkout.created', CHECKOUT, 'pending')
    const drawing = draw(
      request(0, { effects: [created] }),
      attempt(0, created),
      request(0),
      request(1),
      byTime(48 * HOUR, effect('refund.completed')),
    )
    const tops = [
      drawing.requests[0]!.out,
      drawing.attempts[0]!.out,
      ...drawing.requests.slice(1).map(({ out }) => out),
    ]
    expect(tops).toEqual([...tops].sort((a, b) => a - b))
    expect(new Set(tops).size).toBe(tops.length)
    expect(drawing.effects.at(-1)!.y).toBeGreaterThan(tops.at(-1)!)
  })

  it('is drawn in order for any history: later is lower, and nothing stands on anything else', () => {
    const effects = fc.array(
      fc.record({
        type: fc.constantFrom('checkout.confirmed', 'refund.created', 'refund.completed', 'customer.created'),
        resourceId: fc.constantFrom(CHECKOUT, 'ref_AAAAAAAA', 'ref_BBBBBBBB', 'cus_CCCCCCCC'),
        state: fc.constantFrom('pending', 'confirmed', 'completed', null),
        trouble: fc.constantFrom(null, 'twice'),
        eventId: fc.constantFrom('evt_1', 'evt_2', 'evt_3'),
      }),
      { maxLength: 3 },
    )
    const at = fc.constantFrom(0, 0, 0, 1, 900, 4000, 90_000, 86_400_000)
    const requests = fc.record({
      at,
      status: fc.constantFrom(200, 201, 409, 422, 503, null),
      reached: fc.constantFrom<RequestMoment['reached']>('gate', 'operation'),
      key: fc.constantFrom(null, 'a', 'b'),
      replayed: fc.boolean(),
      fault: fc.constantFrom(null, 'reset', 'bad-json'),
      behaviors: fc.constantFrom([], ['lose-the-answer-of-every-second-refund-and-say-so-at-length']),
      effects,
    })
    const moments = fc.array(
      fc.oneof(
        requests.map((given) => request(given.at, { ...given, at: given.at })),
        effects.chain((some) => at.map((when) => byTime(when, ...some))),
        fc.tuple(at, effects).map(([when, [one]]) => attempt(when, one ?? effect('refund.created'))),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(moments, fc.constantFrom(WIDE, NARROW), (gaps, space) => {
        let now = START
        const story = gaps.map((moment): TimelineMoment => {
          now += moment.kind === 'request' ? moment.at : moment.at - START
          return { ...moment, at: now }
        })
        const drawing = layOutTimeline({ subject: CHECKOUT, moments: story }, space)
        expect(collisions(textsOf(drawing), space.letter)).toEqual([])
        const outs = [...drawing.requests, ...drawing.attempts].sort((a, b) => a.out - b.out)
        const times = outs.map(({ moment }) => moment.at)
        expect(times).toEqual([...times].sort((a, b) => a - b))
        for (const { x, text, end } of textsOf(drawing)) {
          const width = text.length * space.letter
          expect(end ? x - width : x).toBeGreaterThanOrEqual(0)
          expect(end ? x : x + width).toBeLessThanOrEqual(space.width)
        }
      }),
    )
  })

  it('needs no more room for a day than for a minute', () => {
    const minute = draw(request(0), request(2 * MINUTE))
    const year = draw(request(0), request(365 * 24 * HOUR))
    expect(year.height).toBe(minute.height)
    expect(minute.pauses.map(({ text }) => text)).toEqual(['Sun, 1 Mar 2026', '2 minutes later'])
    expect(year.pauses.at(-1)!.text).toBe('365 days later · Mon, 1 Mar 2027')
  })

  it('stays in reach at a hundred items', () => {
    const created = effect('refund.created', 'ref_AAAAAAAA', 'pending')
    const hundred = Array.from({ length: 50 }, (_, place) => [
      request(place * 700, { effects: [created] }),
      attempt(place * 700 + 3, created),
    ]).flat()
    expect(draw(...hundred).height / hundred.length).toBeLessThan(45)
  })
})

describe('what belongs together', () => {
  it('ties a replay and a refused reuse to the first use of their key, on that path alone', () => {
    const drawing = draw(
      request(0, { key: 'a', fault: 'reset' }),
      request(10, { key: 'a', reached: 'gate', replayed: true }),
      request(20, { key: 'a', path: '/v1/refunds' }),
      request(30, { key: 'a', reached: 'gate', status: 422 }),
    )
    const [first, replay, , reuse] = drawing.requests
    expect(drawing.rails).toEqual([
      {
        x: WIDE.lines.platform - WIDE.railGap,
        edge: WIDE.lines.platform,
        stops: [
          { y: first!.out, kind: 'original' },
          { y: replay!.out, kind: 'repeated' },
          { y: reuse!.out, kind: 'refused' },
        ],
      },
    ])
  })

  it('gives ties that overlap rails of their own, and shares them when there is no more room', () => {
    const uses = ['a', 'b', 'c', 'a', 'b', 'c'].map((key, place) => request(place, { key }))
    const xs = (space: typeof WIDE) =>
      layOutTimeline({ subject: CHECKOUT, moments: uses }, space).rails.map(({ x }) => x)
    expect(new Set(xs(WIDE)).size).toBe(3)
    expect(new Set(xs(NARROW)).size).toBe(NARROW.railsMax.left)
    expect(Math.min(...xs(NARROW))).toBeGreaterThanOrEqual(0)
  })

  it('ties the attempts at one event, on the side of the receiver', () => {
    const created = effect('checkout.created', CHECKOUT, 'pending')
    const drawing = draw(
      request(0, { effects: [created] }),
      attempt(0, created, 1, null),
      attempt(5000, created, 2),
    )
    expect(drawing.attempts.map(({ delivered }) => delivered)).toEqual([false, true])
    expect(drawing.rails).toMatchObject([
      { edge: WIDE.lines.receiver, stops: [{ kind: 'original' }, { kind: 'repeated' }] },
    ])
  })

  it('draws a request that was asked again and again once, and says how often', () => {
    const poll = (at: number) => request(at, { method: 'GET', path: '/v1/refunds/ref_1', status: 200 })
    const drawing = draw(poll(0), poll(1), poll(2), poll(3), request(4), poll(5), poll(6))
    expect(drawing.requests.map(({ count }) => count)).toEqual([4, 1, 1, 1])
    expect(drawing.requests[0]!.label.text).toMatch(/×4$/)
  })
})

describe('how far a request got', () => {
  it('turns at the gate when it was refused or replayed there, else at the resource', () => {
    const drawing = draw(request(0, { reached: 'gate', status: 429 }), request(1))
    expect(drawing.requests[0]!.turn).toBe(WIDE.lines.gate)
    expect(drawing.requests[1]!.turn).toBeGreaterThan(WIDE.lines.gate)
  })

  it('loses an answer on its way back, and a request before it ran at the gate', () => {
    const drawing = draw(
      request(0, { fault: 'reset' }),
      request(1, { fault: 'reset', reached: 'gate', status: null }),
      request(2, { fault: 'bad-json' }),
      request(3),
    )
    const [after, before, spoiled, whole] = drawing.requests.map(({ lostAt }) => lostAt)
    expect(after).toBeGreaterThan(WIDE.lines.platform + 100)
    expect(after).toBeLessThan(WIDE.lines.gate)
    expect(before).toBe(WIDE.lines.gate)
    expect(spoiled).toBeLessThan(WIDE.lines.platform + 60)
    expect(whole).toBe(null)
    expect(drawing.requests.map(({ tone }) => tone)).toEqual(['failed', 'failed', 'failed', 'good'])
  })
})

describe('states over time', () => {
  it('gives each resource a track whose color changes where its state does', () => {
    const drawing = draw(
      request(0, { effects: [effect('checkout.created', CHECKOUT, 'pending')] }),
      request(1, { effects: [effect('checkout.confirmed', CHECKOUT, 'confirmed')] }),
      request(2, { effects: [effect('refund.created', 'ref_AAAAAAAA', 'pending')] }),
      byTime(5000, effect('refund.completed', 'ref_AAAAAAAA', 'completed')),
    )
    const [checkout, refund] = drawing.tracks
    const [created, confirmed, asked, done] = drawing.effects.map(({ y }) => y)
    expect(checkout).toMatchObject({
      main: true,
      x: WIDE.lines.service,
      parts: [
        { from: created, to: confirmed, state: 'pending' },
        { from: confirmed, to: drawing.height, state: 'confirmed' },
      ],
    })
    expect(refund).toMatchObject({
      main: false,
      parts: [{ from: asked, to: done, state: 'pending' }, { to: done }],
    })
  })
})

const textsOf = ({ requests, effects, attempts }: TimelineLayout): TimelineLabel[] =>
  [
    ...requests.flatMap(({ label, status, note }) => [label, status, note]),
    ...effects.map(({ label }) => label),
    ...attempts.flatMap(({ label, status }) => [label, status]),
  ].filter((label) => label !== null)

/** Texts that overlap, by the width of their letters and a line's height. */
function collisions(labels: TimelineLabel[], letter: number): string[] {
  const boxes = labels.map(({ x, y, text, end }) => {
    const width = text.length * letter
    return { text, y, from: end ? x - width : x, to: end ? x : x + width }
  })
  return boxes.flatMap((one, place) =>
    boxes
      .slice(place + 1)
      .filter((other) => Math.abs(one.y - other.y) < 10 && one.from < other.to && other.from < one.to)
      .map((other) => `${one.text} / ${other.text}`),
  )
}
