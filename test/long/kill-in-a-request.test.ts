/** kill -9 at the worst moment: committed work exists once, uncommitted work does not, and a retry shows which it was. */
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { startPaysim } from '../process/paysim.ts'

type Paysim = Awaited<ReturnType<typeof startPaysim>>

const refundsOf = async (paysim: Paysim, checkout: string): Promise<{ id: string }[]> =>
  (await paysim.call('GET', `/v1/checkouts/${checkout}/refunds`)).body.data

/** Creates a confirmed checkout, and holds the request for its refund at the given point. */
async function held(paysim: Paysim, at: 'before' | 'after-commit') {
  const { body } = await paysim.call('POST', '/v1/checkouts', ORDER)
  await paysim.call('POST', `/v1/checkouts/${body.id}/confirm`)
  const ask = (by: Paysim, headers = {}) =>
    by.call('POST', `/v1/checkouts/${body.id}/refunds`, { amount: 250 }, 'k', headers)
  const answer = ask(paysim, { 'x-sim': `hold=gate; at=${at}` }).catch(() => 'never answered')
  await paysim.held('gate')
  return { checkout: body.id as string, ask, answer }
}

/** Must hold after a restart and a retry, whether the refund was committed before or not. */
async function expectOneRefund(paysim: Paysim, checkout: string, id: string): Promise<void> {
  expect(await refundsOf(paysim, checkout)).toMatchObject([{ id, amount: 250 }])
  expect((await paysim.call('GET', `/v1/checkouts/${checkout}`)).body.amountRefunded).toBe(250)
  expect((await paysim.call('GET', '/_sim/ledger')).body.sums).toMatchObject({ charges: 1, refunds: 1 })
  expect((await paysim.call('GET', '/v1/events?type=refund.created')).body.data).toHaveLength(1)
}

test.for(['commit', 'process'])('between commit and response, --durability %s', async (durability) => {
  const args = ['--data', folder(), '--durability', durability, '--clock', 'frozen']
  const first = await startPaysim(args)
  const { checkout, ask, answer } = await held(first, 'after-commit')
  await first.kill()
  expect(await answer).toBe('never answered')

  const second = await startPaysim(args)
  const [refund] = await refundsOf(second, checkout)
  await expectOneRefund(second, checkout, refund!.id)
  const again = await ask(second)
  expect(again).toMatchObject({ status: 201, body: { id: refund!.id, status: 'pending' } })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  await expectOneRefund(second, checkout, refund!.id)
})

test('before the commit', async () => {
  const args = ['--data', folder(), '--clock', 'frozen']
  const first = await startPaysim(args)
  const { checkout, ask, answer } = await held(first, 'before')
  await first.kill()
  expect(await answer).toBe('never answered')

  const second = await startPaysim(args)
  expect(await refundsOf(second, checkout)).toEqual([])
  const again = await ask(second)
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotent-replayed')).toBeNull()
  await expectOneRefund(second, checkout, again.body.id)
})
