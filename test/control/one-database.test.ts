/**
 * A sandbox is one database, including the state of its behaviors: a fork, a restored snapshot and a restarted
 * simulator respond to the same requests like the original sandbox.
 */
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/index.ts'
import { openReceiver } from '../receiver.ts'
import { keeper } from './keeper.ts'
import { asPlatform, type Call, confirmedCheckout, order, refund, START } from './shop.ts'

type Behaviors = Parameters<Sandbox['arm']>[0]

interface Box {
  shop: Sandbox
  call: Call
}

/** State of a behavior that waits or counts; each copy must continue from it in the same way. */
interface Wait {
  what: string
  /** Sends requests until the behavior waits; `follow` gets the result. */
  begin(box: Box): Promise<string>
  /** Sends the same requests to each sandbox; returns the responses. */
  follow(box: Box, begun: string): Promise<unknown>
  seen: unknown
}

const HOUR = 3_600_000
const PENDING = { resource: 'refund', enters: 'pending' } as const

const created = async ({ call }: Box, times: number, orderId = 'o-1', headers = {}) => {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1) {
    statuses.push((await call('POST', '/v1/checkouts', order(10, orderId), headers)).status)
  }
  return statuses
}

const statusOf = async ({ call }: Box, id: string) => (await call('GET', `/v1/refunds/${id}`)).body.status

/** A refund under one behavior, and its id. */
async function refundUnder({ shop, call }: Box, behaviors: Behaviors): Promise<string> {
  const checkout = await confirmedCheckout(call)
  shop.arm(behaviors)
  return refund(call, checkout, 10)
}

/** The ids in order of creation. */
const deliveredTypes = (shop: Sandbox) =>
  shop
    .deliveries()
    .filter(({ attempts }) => attempts.length > 0)
    .map(({ eventType }) => eventType)

const WAITS: Wait[] = [
  {
    what: 'a refund that waits for reads',
    async begin(box) {
      const id = await refundUnder(box, [
        { when: PENDING, do: { transition: 'completed', after: { polls: 3 } } },
      ])
      expect(await statusOf(box, id)).toBe('pending')
      return id
    },
    follow: async (box, id) => [await statusOf(box, id), await statusOf(box, id), await statusOf(box, id)],
    seen: ['pending', 'completed', 'completed'],
  },
  {
    what: 'a refund that waits at a gate',
    begin: (box) =>
      refundUnder(box, [{ when: PENDING, do: { transition: 'completed', after: { gate: 'bank' } } }]),
    async follow(box, id) {
      const before = await statusOf(box, id)
      box.shop.release('bank')
      return [before, await statusOf(box, id)]
    },
    seen: ['pending', 'completed'],
  },
  {
    what: 'a behavior that has acted once of two times',
    async begin(box) {
      box.shop.arm([
        { id: 'down', when: { op: 'checkouts.create' }, times: 2, do: { respond: { status: 500 } } },
      ])
      return String(await created(box, 1))
    },
    follow: async (box) => [await created(box, 3), box.shop.behaviors()],
    seen: [
      [500, 201, 201],
      [
        expect.objectContaining({
          id: 'down',
          matched: 4,
          fired: 2,
          left: 0,
          lastMiss: 'match 4, and it has acted 2 of 2',
        }),
      ],
    ],
  },
  {
    what: 'counts for each key',
    async begin(box) {
      box.shop.arm([
        { when: { op: 'checkouts.create' }, scope: 'key', skip: 1, do: { respond: { status: 500 } } },
      ])
      return String(await created(box, 1, 'o-1', { 'idempotency-key': 'a' }))
    },
    follow: async (box) => [
      await created(box, 1, 'o-2', { 'idempotency-key': 'b' }),
      await created(box, 1, 'o-2', { 'idempotency-key': 'c' }),
      box.shop.behaviors().map(({ matched, fired }) => ({ matched, fired })),
    ],
    seen: [[201], [201], [{ matched: 3, fired: 0 }]],
  },
  {
    what: 'chance',
    async begin(box) {
      box.shop.arm([{ when: { probability: 0.5 }, do: { respond: { status: 500 } } }])
      return String(await created(box, 5))
    },
    follow: (box) => created(box, 20),
    seen: expect.arrayContaining([201, 500]),
  },
  {
    what: 'a behavior that ends after an hour',
    async begin(box) {
      box.shop.arm([{ ttl: HOUR, do: { respond: { status: 500 } } }])
      await box.shop.clock.advance('59m')
      return ''
    },
    async follow(box) {
      const before = await created(box, 1)
      await box.shop.clock.advance('1m')
      return [before, await created(box, 1)]
    },
    seen: [[500], [201]],
  },
  {
    what: 'a behavior without an id, by its number',
    async begin({ shop }) {
      shop.arm([{ times: 1, do: { respond: { status: 500 } } }])
      return ''
    },
    follow: async ({ shop }) =>
      shop.arm([{ do: { respond: { status: 503 } } }]).map(({ id, explained }) => ({ id, explained })),
    seen: [
      { id: 'behavior-1', explained: 'any request: answers 500, once' },
      { id: 'behavior-2', explained: 'any request: answers 503' },
    ],
  },
  {
    what: 'a delivery that is held back for the next one',
    begin: (box) =>
      refundUnder(box, [{ times: 1, when: { event: 'refund.created' }, do: { webhook: { reorder: true } } }]),
    async follow({ shop }) {
      await shop.clock.advance('5s')
      return deliveredTypes(shop).slice(-2)
    },
    seen: ['refund.completed', 'refund.created'],
  },
  {
    what: 'a wrong signature of later attempts',
    async begin(box) {
      const id = await refundUnder(box, [
        { times: 1, when: { event: 'refund.created' }, do: { webhook: { sign: 'missing' } } },
      ])
      await box.shop.clock.advance(0)
      return id
    },
    async follow({ shop }) {
      const delivery = shop.deliveries().findLast(({ eventType }) => eventType === 'refund.created')!
      shop.redeliver(delivery.id)
      await shop.clock.advance(0)
      const all = shop.deliveries().filter(({ eventId }) => eventId === delivery.eventId)
      return all.flatMap(({ attempts }) => attempts.map(({ signature }) => signature))
    },
    seen: ['', ''],
  },
  {
    what: 'a rate limit that is used in part',
    async begin(box) {
      box.shop.arm([{ do: { rateLimit: { limit: 3 } } }])
      return String(await created(box, 2))
    },
    follow: (box) => created(box, 3),
    seen: [201, 429, 429],
  },
]

/** A kept sandbox with a receiver, which each `open` opens again. */
async function kept() {
  const { url } = await openReceiver()
  const { open, inside } = keeper({ clock: `frozen@${START}`, log: 'silent', webhook: { url } })
  return async () => {
    const simulator = await open()
    const box = (shop: Sandbox): Box => ({ shop, call: asPlatform(simulator, shop) })
    return { simulator, inside: inside(), box, home: box(simulator.sandbox('default')) }
  }
}

describe.each(WAITS)('$what', ({ begin, follow, seen }) => {
  test('is the same in a fork, and neither affects the other', async () => {
    const { simulator, box, home } = await (await kept())()
    const begun = await begin(home)
    const fork = box(simulator.create({ name: 'fork', from: 'default' }))
    const again = box(simulator.create({ name: 'again', from: { snapshot: home.shop.snapshot().name } }))
    const first = await follow(fork, begun)
    expect(first).toEqual(seen)
    expect(await follow(home, begun)).toEqual(first)
    expect(await follow(again, begun)).toEqual(first)
  })

  test('is back after a restore', async () => {
    const { home } = await (await kept())()
    const begun = await begin(home)
    const { name } = home.shop.snapshot()
    const first = await follow(home, begun)
    expect(first).toEqual(seen)
    home.shop.restore(name)
    expect(await follow(home, begun)).toEqual(first)
  })

  test('continues after a restart', async () => {
    const open = await kept()
    const begun = await begin((await open()).home)
    expect(await follow((await open()).home, begun)).toEqual(seen)
  })

  test('is gone after a reset, in memory and in the database', async () => {
    const open = await kept()
    const { home, inside } = await open()
    await begin(home)
    home.shop.reset()
    expect(home.shop.behaviors()).toEqual([])
    expect(inside.committedStore().behaviorState.list()).toEqual([])
    const reopened = await open()
    expect(reopened.home.shop.behaviors()).toEqual([])
    expect(await created(reopened.home, 2)).toEqual([201, 201])
  })
})

test('a reset of the state keeps armed behaviors with their counters, and drops waiting work', async () => {
  const open = await kept()
  const { home, inside } = await open()
  await refundUnder(home, [
    { id: 'slow', times: 2, when: PENDING, do: { transition: 'completed', after: { gate: 'bank' } } },
    { id: 'late', times: 1, when: { event: 'refund.created' }, do: { webhook: { reorder: true } } },
  ])
  home.shop.reset({ what: ['state'] })
  const counters = () => home.shop.behaviors().map(({ id, matched, fired }) => ({ id, matched, fired }))
  const before = [
    { id: 'slow', matched: 1, fired: 1 },
    { id: 'late', matched: 1, fired: 1 },
  ]
  expect(counters()).toEqual(before)
  const kinds = new Set(
    inside
      .committedStore()
      .behaviorState.list()
      .map(({ kind }) => kind),
  )
  expect([...kinds].filter((kind) => /refund|delivery|signature/.test(kind))).toEqual([])
  const again = (await open()).home.shop
  expect(again.behaviors()).toMatchObject(before)
})

test('another seed restarts the random numbers of a fork', async () => {
  const { simulator, box, home } = await (await kept())()
  home.shop.arm([{ when: { probability: 0.5 }, do: { respond: { status: 500 } } }])
  const reseeded = box(simulator.create({ name: 'reseeded', from: 'default', seed: 9 }))
  const drawn = await created(reseeded, 30)
  await created(home, 5)
  const again = box(simulator.create({ name: 'again', from: 'default', seed: 9 }))
  expect(await created(again, 30)).toEqual(drawn)
  expect(await created(home, 30)).not.toEqual(drawn)
})

describe('the behaviors of the file given at the start', () => {
  const file = (status: number, more = {}) => [
    { id: 'file', times: 2, when: { op: 'checkouts.create' as const }, do: { respond: { status } }, ...more },
  ]

  test('continue with the same file, and are armed again if it has changed or after a reset', async () => {
    const open = await kept()
    const first = await open()
    first.inside.behaviors.armed.armPermanently(file(500))
    await created(first.home, 1)

    const same = await open()
    same.inside.behaviors.armed.armPermanently(file(500))
    expect(await created(same.home, 2)).toEqual([500, 201])

    const second = await open()
    second.inside.behaviors.armed.armPermanently(file(502))
    expect(await created(second.home, 3)).toEqual([502, 502, 201])
    second.home.shop.arm([{ id: 'own', do: { respond: { status: 503 } } }])
    second.home.shop.reset()
    expect(second.home.shop.behaviors()).toMatchObject([{ id: 'file', fired: 0 }])

    const third = await open()
    third.inside.behaviors.armed.armPermanently([])
    expect(third.home.shop.behaviors()).toEqual([])
  })
})

describe('performance', () => {
  test('a read commits nothing if no behavior matches it', async () => {
    const { home, inside } = await (await kept())()
    home.shop.arm([{ when: { op: 'refunds.*' }, do: { respond: { status: 500 } } }])
    const { version } = inside.committedStore()
    expect((await home.call('GET', '/v1/checkouts')).status).toBe(200)
    expect(inside.committedStore().version).toBe(version)
  })
})
