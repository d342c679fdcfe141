/** A crash neither loses nor repeats work that was scheduled for later. */
import { expect, it } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { startPaysim } from '../process/paysim.ts'
import { openReceiver } from '../receiver.ts'

const REFUNDS = 40

it('completes pending refunds after kill -9, delivers each event, and writes no ledger row twice', async () => {
  const receiver = await openReceiver()
  const args = [
    '--data',
    folder(),
    '--rate-limit',
    'off',
    '--refund-delay',
    '1s',
    '--webhook-url',
    receiver.url,
  ]

  const first = await startPaysim(args)
  const { body: checkout } = await first.call('POST', '/v1/checkouts', ORDER)
  await first.call('POST', `/v1/checkouts/${checkout.id}/confirm`)
  // The receiver refuses half of the webhooks, so that at the crash some are sent and some await a retry.
  let answered = 0
  receiver.reply((response) => response.writeHead(answered++ % 2 === 0 ? 503 : 204).end())
  const refunds = await Promise.all(
    Array.from({ length: REFUNDS }, () =>
      first.call('POST', `/v1/checkouts/${checkout.id}/refunds`, { amount: 10 }),
    ),
  )
  expect(refunds.map(({ status }) => status)).toEqual(refunds.map(() => 201))
  await receiver.until((received) => received.length >= REFUNDS / 4)
  await first.kill()

  receiver.reply(204)
  const second = await startPaysim(args)
  const ids = refunds.map(({ body }) => body.id)
  const idsOf = (type: string) =>
    new Set(receiver.received.filter(({ event }) => event.type === type).map(({ event }) => event.data.id))
  await receiver.until(
    () => idsOf('refund.completed').size === REFUNDS && idsOf('refund.created').size === REFUNDS,
  )

  const { body: page } = await second.call('GET', '/v1/refunds?status=completed&limit=100')
  expect(page.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted())
  expect((await second.call('GET', `/v1/checkouts/${checkout.id}`)).body.amountRefunded).toBe(10 * REFUNDS)

  const events = await second.call('GET', '/v1/events?limit=100&type=refund.completed')
  expect(new Set(events.body.data.map((event: { data: { id: string } }) => event.data.id)).size).toBe(REFUNDS)
  const { body: ledger } = await second.call('GET', '/_sim/ledger')
  expect(ledger.sums).toMatchObject({ charges: 1, refunds: REFUNDS, refunded: 10 * REFUNDS })
  await second.stop()
})
