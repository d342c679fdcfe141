import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  ChangeMoment,
  Effect,
  RequestMoment,
  TimelineMoment,
} from '../../src/pages/dashboard/timeline-model.ts'
import { rowsOf } from '../../src/pages/dashboard/timeline-rows.ts'
import {
  type AnswerLoss,
  arrivingUnder,
  CLIENT_LEFT,
  CONNECTION_FAULT_KINDS,
} from '../../src/spec/contract/connection-fault.ts'

const CHECKOUT = 'chk_7Qm2ZxT9cLw4RbN8sVk1YdHf'
const START = Date.parse('2026-03-01T09:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const effect = (type: string, resourceId = CHECKOUT, state: string | null = null): Effect => ({
  eventId: `evt_${type}_${resourceId}`,
  type,
  resourceId,
  state,
  changedBy: [],
})

const request = (
  at: number,
  {
    method = 'POST',
    path = `/v1/checkouts/${CHECKOUT}/refunds`,
    fault = null,
    ...given
  }: Partial<RequestMoment> & { method?: string; path?: string; fault?: AnswerLoss | null } = {},
): RequestMoment => ({
  kind: 'request',
  id: 'req_1',
  at: START + at,
  asked: { method, target: path, headers: {}, body: undefined },
  answered: null,
  took: 0,
  status: 201,
  reached: 'operation',
  key: null,
  replayed: false,
  ending: fault,
  arrives: arrivingUnder(fault),
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

const rows = (...moments: TimelineMoment[]) => rowsOf({ subject: CHECKOUT, moments })

describe('the rows', () => {
  it('are in the order of time for any history, and lines run from where they begin to where they end', () => {
    const effects = fc.array(
      fc.record({
        type: fc.constantFrom('checkout.confirmed', 'refund.created', 'refund.completed', 'customer.created'),
        resourceId: fc.constantFrom(CHECKOUT, 'ref_AAAAAAAA', 'ref_BBBBBBBB', 'cus_CCCCCCCC'),
        state: fc.constantFrom('pending', 'confirmed', 'completed', null),
        changedBy: fc.constantFrom([], ['twice']),
        eventId: fc.constantFrom('evt_1', 'evt_2', 'evt_3'),
      }),
      { maxLength: 3 },
    )
    const at = fc.constantFrom(0, 0, 0, 1, 900, 4000, 90_000, 86_400_000)
    const requests = fc.record({
      at,
      status: fc.constantFrom(200, 201, 409, 422, 503, null),
      reached: fc.constantFrom<RequestMoment['reached']>('door', 'operation'),
      key: fc.constantFrom(null, 'a', 'b', 'c', 'd', 'e', 'f'),
      replayed: fc.boolean(),
      fault: fc.constantFrom<AnswerLoss | null>(null, ...CONNECTION_FAULT_KINDS, CLIENT_LEFT),
      effects,
    })
    const moments = fc.array(
      fc.oneof(
        requests.map((given) => request(given.at, { ...given, at: given.at })),
        effects.chain((some) => at.map((when) => byTime(when, ...some))),
        fc.tuple(at, effects).map(([when, [only]]) => attempt(when, only ?? effect('refund.created'))),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(moments, (gaps) => {
        let now = START
        const story = gaps.map((moment): TimelineMoment => {
          now += moment.kind === 'request' ? moment.at : moment.at - START
          return { ...moment, at: now }
        })
        const made = rows(...story)
        const times = made.map(({ moment }) => moment.at)
        expect(times).toEqual([...times].sort((a, b) => a - b))
        expect(new Set(made.map(({ keys }) => keys.length)).size).toBeLessThan(2)
        expect(made.at(-1)?.keys.filter((part) => part && part.place !== 'last') ?? []).toEqual([])
        for (const [index, { tracks }] of made.entries())
          expect(tracks.map(({ above }) => above)).toEqual(
            made[index - 1]?.tracks.map(({ below }) => below) ?? tracks.map(() => null),
          )
      }),
    )
  })

  it('say a day once, and a gap of a minute or of a year in one line', () => {
    const [first, minutes, year, same] = rows(
      request(0),
      request(2 * MINUTE, { status: 200 }),
      request(365 * 24 * HOUR),
      request(365 * 24 * HOUR, { status: 200 }),
    )
    expect([first?.day, first?.later]).toEqual(['Sun, 1 Mar 2026', null])
    expect([minutes?.day, minutes?.later]).toEqual([null, '2 minutes later'])
    expect([year?.day, year?.later]).toEqual(['Mon, 1 Mar 2027', '365 days later'])
    expect([year?.isSameInstant, same?.isSameInstant]).toEqual([false, true])
  })

  it('have a request that was asked again and again once, and attempts that went alike', () => {
    const poll = (at: number) => request(at, { method: 'GET', path: '/v1/refunds/ref_1', status: 200 })
    const created = effect('checkout.created', CHECKOUT, 'pending')
    const confirmed = effect('checkout.confirmed', CHECKOUT, 'confirmed')
    expect(
      rows(poll(0), poll(1), poll(2), poll(3), request(4), poll(5), poll(6)).map(({ count }) => count),
    ).toEqual([4, 1, 1, 1])
    expect(
      rows(
        attempt(0, created, 1, 500),
        attempt(1, confirmed, 1, 500),
        attempt(2, created, 2, 500),
        attempt(3, created, 3, 204),
      ).map(({ count, moment }) => [moment.kind === 'attempt' && moment.type, count]),
    ).toEqual([
      ['checkout.created', 2],
      ['checkout.confirmed', 1],
      ['checkout.created', 1],
    ])
  })
})

describe('what belongs together', () => {
  it('is tied: a replay and a refused reuse to the first use of their key, on that path alone', () => {
    const made = rows(
      request(0, { key: 'a', fault: 'reset' }),
      request(10, { key: 'a', reached: 'door', replayed: true }),
      request(20, { key: 'a', path: '/v1/refunds' }),
      request(30, { key: 'a', reached: 'door', status: 422 }),
    )
    expect(made.map(({ keys }) => keys)).toEqual([
      [{ place: 'first', kind: 'repeated' }],
      [{ place: 'stop', kind: 'repeated' }],
      [{ place: 'through', kind: 'repeated' }],
      [{ place: 'last', kind: 'refused' }],
    ])
  })

  it('has rails of its own where they overlap, which are shared when there is no more room', () => {
    const uses = (names: string) => [...names].map((key, place) => request(place, { key }))
    expect(rows(...uses('abcabc'))[0]?.keys).toHaveLength(3)
    expect(rows(...uses('abcdefabcdef'))[0]?.keys).toHaveLength(4)
  })

  it('ties the requests that moved the same money together', () => {
    const made = rowsOf({
      subject: CHECKOUT,
      moments: [
        request(0, { id: 'req_4', key: 'a' }),
        request(1, { id: 'req_5' }),
        request(2, { id: 'req_6', key: 'b' }),
      ],
      doubled: [
        ['req_4', 'req_6'],
        ['req_1', 'req_2'],
      ],
    })
    expect(made.map(({ keys }) => keys)).toEqual(
      ['first', 'through', 'last'].map((place) => [{ place, kind: 'doubled' }]),
    )
  })
})

describe('states over time', () => {
  it('have a track for each resource, which changes where its state does', () => {
    const made = rows(
      request(0, { effects: [effect('checkout.created', CHECKOUT, 'pending')] }),
      request(1, { effects: [effect('checkout.confirmed', CHECKOUT, 'confirmed')] }),
      request(2, { effects: [effect('refund.created', 'ref_AAAAAAAA', 'pending')] }),
      byTime(5000, effect('refund.completed', 'ref_AAAAAAAA', 'completed')),
      byTime(6000, effect('refund.created', 'ref_BBBBBBBB', 'pending')),
    )
    const tones = (column: number) =>
      made.map(({ tracks }) => tracks[column]!).map(({ at, below }) => [at, below])
    expect(tones(0)).toEqual([
      ['wait', 'wait'],
      ['good', 'good'],
      [null, 'good'],
      [null, 'good'],
      [null, 'good'],
    ])
    // The second refund takes the column of the first, which is over.
    expect(tones(1)).toEqual([
      [null, null],
      [null, null],
      ['wait', 'wait'],
      ['good', null],
      ['wait', 'wait'],
    ])
  })
})
