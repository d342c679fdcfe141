import { describe, expect, test } from 'vitest'
import { Unit } from '../../src/service/operations/unit.ts'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { openReceiver } from '../receiver.ts'
import { NOW, start } from './start.ts'

const SECRET = 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE='

/** A confirmed checkout with a receiver that gets only its refund events. */
async function shop() {
  const receiver = await openReceiver()
  const started = start({ webhook: { url: receiver.url, secret: SECRET, events: ['refund.*'] } })
  return { ...started, receiver, checkout: await started.confirmCheckout() }
}

const typesOf = ({ received }: Awaited<ReturnType<typeof shop>>['receiver']) =>
  received.map(({ event }) => event.type.replace('refund.', ''))

describe('a delivery', () => {
  test('swaps places with the next delivery of another refund of the order, pair by pair', async () => {
    const { arm, refund, checkout, advance, receiver } = await shop()
    arm({ when: { event: 'refund.created' }, do: { webhook: { reorder: true } } })
    const ids = [1, 2, 3, 4].map(() => refund(checkout, 1))
    const [a, b, c, d] = await Promise.all(ids)
    await advance(10)
    expect(receiver.received.map(({ event }) => event.data.id)).toEqual([b, a, d, c])
  })

  test('is not sent for a rolled-back event, and the behavior acts on the next one', async () => {
    const { arm, refund, checkout, advance, receiver, sandbox } = await shop()
    const first = sandbox.committedStore().refunds.find(await refund(checkout, 1))!
    arm({ when: { event: 'refund.created' }, times: 1, do: { webhook: { reorder: true } } })
    const undone = sandbox.committedStore().transact(() => {
      new Unit(sandbox.services, NOW).emit('refund.created', first)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await refund(checkout, 2)
    await refund(checkout, 3)
    await advance(10)
    expect(receiver.received.map(({ event }) => event.data.amount)).toEqual([1, 3, 2])
  })

  test('that waits for the next event is dropped by a reset', async () => {
    const { arm, simulator, confirmCheckout, refund, checkout, advance, receiver } = await shop()
    arm({ when: { event: 'refund.created' }, times: 1, do: { webhook: { reorder: true } } })
    await refund(checkout, 1)
    // With the same seed, the new refund and its event get the same ids as the old ones.
    simulator.sandbox('default').reset({ what: ['state'] })
    await refund(await confirmCheckout(), 2)
    await advance(10)
    expect(receiver.received.map(({ event }) => event.data.amount)).toEqual([2])
  })

  test('matches the content of the event', async () => {
    const { arm, refund, checkout, advance, receiver } = await shop()
    arm({
      when: { event: 'refund.*', json: { type: 'refund.created', data: { amount: 7 } } },
      do: { webhook: { drop: true } },
    })
    await refund(checkout, 7)
    await refund(checkout, 8)
    await advance(0)
    expect(receiver.received.map(({ event }) => event.data.amount)).toEqual([8])
  })
})

describe('a signature is', () => {
  test.each([
    ['stale', 'is more than five minutes away'],
    ['wrong-secret', 'No signature in the webhook-signature header matches this body and secret.'],
    ['tampered', 'No signature in the webhook-signature header matches this body and secret.'],
    ['missing', 'A webhook-id, webhook-timestamp or webhook-signature header is missing.'],
  ] as const)('%s', async (sign, why) => {
    const { arm, refund, checkout, advance, receiver } = await shop()
    arm({ when: { event: 'refund.created' }, do: { webhook: { sign } } })
    await refund(checkout)
    await advance(60_000)
    const [spoiled, sound] = receiver.received
    const now = { secret: SECRET, at: Number(sound?.headers['webhook-timestamp']) * 1000 }
    expect(() => verifyWebhook(spoiled!.body, spoiled!.headers, now)).toThrow(why)
    verifyWebhook(sound!.body, sound!.headers, now)
    expect(spoiled!.event.type).toBe('refund.created')
  })

  test('stale in every attempt for the same event, with the right secret', async () => {
    const { arm, refund, checkout, advance, receiver } = await shop()
    receiver.reply(500)
    arm({ when: { event: 'refund.created' }, times: 1, do: { webhook: { sign: 'stale' } } })
    await refund(checkout)
    await advance(5_000)
    const created = receiver.received.filter(({ event }) => event.type === 'refund.created')
    expect(created).toHaveLength(2)
    for (const { body, headers } of created) {
      const at = Number(headers['webhook-timestamp']) * 1000
      verifyWebhook(body, headers, { secret: SECRET, at })
      expect(() => verifyWebhook(body, headers, { secret: SECRET, at: at + 3_600_000 })).toThrow(
        'five minutes',
      )
    }
  })
})

test('several behaviors can change the same delivery, and the journal lists them with the request', async () => {
  const { arm, refund, checkout, advance, receiver, journal } = await shop()
  arm(
    { id: 'late', continue: true, when: { event: 'refund.created' }, do: { webhook: { delay: '1m' } } },
    { id: 'twice', when: { event: 'refund.created' }, do: { webhook: { duplicate: 2, sign: 'missing' } } },
  )
  await refund(checkout)
  expect(journal().at(-1)?.behaviors).toEqual([
    { behavior: 'late', did: 'is delivered 1m later', fired: true, why: 'match 1, acting 1' },
    {
      behavior: 'twice',
      did: 'is delivered 2 times, is signed missing',
      fired: true,
      why: 'match 1, acting 1',
    },
  ])
  await advance(60_000)
  expect(typesOf(receiver)).toEqual(['completed', 'created', 'created'])
  expect(receiver.received[1]?.headers['webhook-signature']).toBeUndefined()
})
