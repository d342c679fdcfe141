/**
 * A full disk, simulated by SQLite's own limit on the pages of a file: memory stays consistent with the database, and
 * everything works again once there is space.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { ID_PREFIXES } from '../../src/spec/contract/ids.ts'
import type { SimulatorOptions } from '../../src/spec/options/simulator.ts'
import { createIds, Random, type RandomState } from '../../src/spec/world/random.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { asPlatform, type Call } from '../control/shop.ts'
import { folder, logged } from '../given.ts'
import { ORDER } from '../order.ts'
import { openReceiver, type Reply } from '../receiver.ts'

async function shop({
  reply,
  query = '',
  ...options
}: SimulatorOptions & { reply?: Reply; query?: string } = {}) {
  const receiver = await openReceiver(reply)
  const data = folder()
  const start = () =>
    composeSimulator({
      data,
      seed: 7,
      clock: 'frozen@2026-01-01T00:00:00Z',
      rateLimit: 'off',
      log: 'silent',
      webhook: { url: `${receiver.url}${query}` },
      ...options,
    })
  let { simulator, internalsOf } = start()
  let closed = false
  const close = async () => {
    if (!closed) await simulator.close()
    closed = true
  }
  onTestFinished(() => close())

  const call: Call = (...sent) => asPlatform(simulator, simulator.sandbox('default'))(...sent)

  return {
    receiver,
    call,
    get control() {
      return simulator.sandbox('default')
    },
    get inside() {
      return internalsOf('default')
    },
    /** Opens the files on disk as another process would. */
    async restart() {
      await close()
      ;({ simulator, internalsOf } = start())
      closed = false
    },
    async paidCheckout() {
      const { body } = await call('POST', '/v1/checkouts', ORDER)
      await call('POST', `/v1/checkouts/${body.id}/confirm`)
      return body.id as string
    },
    /** Prevents the file from growing. */
    fillDisk: () => internalsOf('default').committedStore().limitPages(1),
    freeDisk: () => internalsOf('default').committedStore().limitPages(1_000_000),
  }
}

type Shop = Awaited<ReturnType<typeof shop>>

/** The request is stored with its key, which takes extra pages: on a full disk its last write fails. */
const LARGE = { amount: 1, note: 'x'.repeat(50_000) }

const FULL = 'The disk is full: nothing was changed. Retry later'

const refundLarge = ({ call }: Shop, checkout: string, key = 'large') =>
  call('POST', `/v1/checkouts/${checkout}/refunds`, LARGE, { 'idempotency-key': key })

/** The visible state, in memory and in the database. */
function stateOf({ control, inside }: Shop) {
  const { clock } = inside
  const store = inside.committedStore()
  return {
    endpoint: control.webhook.get(),
    clock: [clock.state(), store.settings.get('clock')],
    due: store.agenda.list(1_000).map(({ dueAt, kind, subject }) => ({ dueAt, kind, subject })),
    events: store.events.list({ limit: 1_000 }).data.map(({ id }) => id),
    refunds: store.refunds.list({ limit: 1_000 }).data,
    deliveries: control.deliveries(),
    behaviors: control.behaviors().map(({ id, matched, fired }) => ({ id, matched, fired })),
    background: [...inside.behaviors.backgroundResults.list()],
    keysHeld: inside.doorServices.idempotency.claimed,
  }
}

/** The next id according to the generator's state in the database. */
function nextCustomerId({ inside }: Shop): string {
  const random = new Random()
  random.restore(inside.committedStore().settings.get<RandomState>('random')!)
  return createIds(random, ID_PREFIXES)('customer')
}

const NEW_REFUND = { resource: 'refund', enters: 'pending' } as const

describe('on a full disk', () => {
  test('a request gets 503 and has no effects; with space it runs as if for the first time', async () => {
    const paysim = await shop()
    const checkout = await paysim.paidCheckout()
    await paysim.control.settle()
    const before = stateOf(paysim)

    paysim.fillDisk()
    expect(await refundLarge(paysim, checkout)).toMatchObject({
      status: 503,
      body: { error: 'Service Unavailable', message: FULL },
    })
    expect(stateOf(paysim)).toEqual(before)
    const [entry] = paysim.inside.journal.newestFirst()
    expect(entry).toMatchObject({ status: 503, events: [] })
    expect(entry?.after).toEqual(entry?.before)

    const next = nextCustomerId(paysim)
    paysim.freeDisk()
    expect((await paysim.call('POST', '/v1/customers', { externalId: 'next' })).body.id).toBe(next)
    const refund = await refundLarge(paysim, checkout)
    expect(refund.status).toBe(201)
    expect((await refundLarge(paysim, checkout)).body).toEqual(refund.body)
    const after = stateOf(paysim)
    await paysim.restart()
    expect(stateOf(paysim)).toEqual({ ...after, behaviors: [], background: [] })
  })

  test.for([
    ['a request', { do: { delay: 0, at: 'after-commit' } }],
    [
      'a refund that waits for reads',
      { when: NEW_REFUND, do: { transition: 'completed', after: { polls: 2 } } },
    ],
    [
      'a refund that waits at a gate',
      { when: NEW_REFUND, do: { transition: 'completed', after: { gate: 'g' } } },
    ],
    [
      'a delivery that is kept back',
      { when: { event: 'refund.created' }, do: { webhook: { reorder: true } } },
    ],
    ['a signature', { when: { event: 'refund.created' }, do: { webhook: { sign: 'stale' } } }],
  ] as const)('the count of a behavior for %s is rolled back', async ([, behavior]) => {
    const paysim = await shop()
    const checkout = await paysim.paidCheckout()
    await paysim.control.settle()
    paysim.control.arm([{ id: 'once', times: 1, ...behavior }])
    const before = stateOf(paysim)

    paysim.fillDisk()
    expect((await refundLarge(paysim, checkout)).status).toBe(503)
    expect(stateOf(paysim)).toEqual(before)

    paysim.freeDisk()
    expect((await refundLarge(paysim, checkout)).status).toBe(201)
    expect(stateOf(paysim).behaviors).toMatchObject([{ id: 'once', fired: 1 }])
  })

  test('a fault on a replay does not act if it cannot be stored that it has acted', async () => {
    const paysim = await shop()
    const checkout = await paysim.paidCheckout()
    const refund = (headers = {}) =>
      paysim.call(
        'POST',
        `/v1/checkouts/${checkout}/refunds`,
        { amount: 1 },
        { 'idempotency-key': 'r', ...headers },
      )
    const first = await refund()
    await paysim.control.settle()
    // The header is stored, and takes extra pages.
    const header = { 'x-sim': Array(1_000).fill('delay=0ms;at=after-commit').join() }

    paysim.fillDisk()
    expect(await refund(header)).toMatchObject({ status: 503, body: { message: FULL } })

    paysim.freeDisk()
    expect((await refund(header)).body).toEqual(first.body)
    const [entry] = paysim.inside.journal.newestFirst()
    expect(entry?.behaviors[0]).toMatchObject({ fired: true })
  })

  test('due work stays due, the clock stays in step with the database, and both continue', async () => {
    const lines = logged()
    const paysim = await shop({ webhook: undefined, refundDelay: '1h', log: 'json' })
    const checkout = await paysim.paidCheckout()
    for (let count = 0; count < 60; count += 1) {
      await paysim.call('POST', `/v1/checkouts/${checkout}/refunds`, { amount: 1 })
      await paysim.control.clock.advance(1)
    }

    paysim.fillDisk()
    await expect(paysim.control.clock.advance('2h')).rejects.toThrow(/full/)
    expect(lines.join('')).toContain('due refunds and webhooks wait for free space')
    expect(lines.join('')).not.toContain('later work failed')
    const { clock, refunds, due } = stateOf(paysim)
    expect(clock[0]).toEqual(clock[1])
    expect(due.map(({ subject }) => subject).toSorted()).toEqual(
      refunds
        .filter(({ status }) => status === 'pending')
        .map(({ id }) => id)
        .toSorted(),
    )
    expect(due).not.toEqual([])

    paysim.freeDisk()
    await paysim.control.clock.advance('2h')
    const events = paysim.control.events({ type: 'refund.completed' })
    expect(new Set(events.map(({ data }) => data.id)).size).toBe(60)
    expect(events).toHaveLength(60)
    const after = stateOf(paysim)
    await paysim.restart()
    expect(stateOf(paysim)).toEqual(after)
  })

  test('a receiver gets no attempt twice, and due work completes without an advance of the frozen clock', async () => {
    const paysim = await shop({ query: `?${LARGE.note.slice(0, 1_900)}`, refundDelay: 0 })
    const checkout = await paysim.paidCheckout()
    await paysim.control.settle()
    paysim.receiver.received.length = 0
    paysim.receiver.reply((response) => {
      paysim.fillDisk()
      response.writeHead(500).end(LARGE.note)
    })
    await paysim.call('POST', `/v1/checkouts/${checkout}/refunds`, { amount: 1 })
    await expect(paysim.control.settle()).rejects.toThrow(/full/)
    for (let count = 0; count < 20; count += 1) {
      expect((await refundLarge(paysim, checkout, `${count}`)).status).toBe(503)
      await expect(paysim.control.settle()).rejects.toThrow(/full/)
    }
    const ids = paysim.receiver.received.map(({ event }) => event.id)
    expect(ids).toHaveLength(new Set(ids).size)
    expect((await paysim.call('GET', `/v1/checkouts/${checkout}`)).status).toBe(200)

    paysim.receiver.reply(204)
    paysim.freeDisk()
    await expect
      .poll(() => paysim.control.deliveries().filter(({ attempts }) => attempts.length > 0).length)
      .toBe(paysim.control.deliveries().length)
    await paysim.control.settle()
    expect(stateOf(paysim).refunds).toMatchObject([{ status: 'completed' }])
    for (const { attempts } of paysim.control.deliveries()) expect(attempts).toHaveLength(1)
  })

  test('an endpoint with an unsaved 410 is not disabled, and gets no second request', async () => {
    // An attempt stores its URL, so each attempt takes extra pages.
    const paysim = await shop({ query: `?${LARGE.note.slice(0, 1_900)}` })
    const checkout = await paysim.paidCheckout()
    await paysim.control.settle()
    const [{ id }] = paysim.control.deliveries() as unknown as [{ id: string }]

    paysim.control.redeliver(id)
    paysim.receiver.reply((response) => {
      paysim.fillDisk()
      response.writeHead(410).end(LARGE.note)
    })
    await expect(paysim.control.settle()).rejects.toThrow(/full/)
    expect(paysim.control.webhook.get()).toMatchObject({ disabledAt: null })
    expect(paysim.inside.committedStore().settings.get('webhook')).toMatchObject({ disabledAt: null })

    paysim.freeDisk()
    const asked = paysim.receiver.received.length
    await paysim.control.settle()
    expect(paysim.receiver.received).toHaveLength(asked)
    expect(paysim.control.webhook.get()).toMatchObject({ disabledAt: '2026-01-01T00:00:00.000Z' })
    const before = paysim.control.deliveries()
    await paysim.call('POST', `/v1/checkouts/${checkout}/refunds`, { amount: 1 })
    expect(paysim.control.deliveries()).toEqual(before)
  })
})
