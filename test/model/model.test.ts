/**
 * Any history of requests, retries, time and restarts: the service and its model, built of plain maps, respond alike. And
 * after any history, money and memory are consistent. fast-check prints the seed of a failing history.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney } from '../../src/spec/contract/money.ts'
import type { Platform } from '../contract/platform.ts'
import { EFFORT } from '../effort.ts'
import { live, steps } from './history.ts'

/** Checked again without the model: the sums that must hold after any history. */
function expectSound({ tester }: Platform): void {
  const { checkouts, authorizations, refunds } = tester.sandbox.committedStore()
  const all = { limit: 10_000 }
  const refundedOf = (id: string) =>
    refunds
      .list(all)
      .data.filter(({ checkoutId, authorizationId }) => checkoutId === id || authorizationId === id)
      .reduce((sum, { amount }) => sum + amount, 0)
  for (const { id, amount, amountRefunded, status } of checkouts.list(all).data) {
    expect(formatMoney(amountRefunded)).toBe(formatMoney(refundedOf(id) as never))
    expect(amountRefunded).toBeLessThanOrEqual(status === 'confirmed' ? amount : 0)
  }
  for (const { id, amountCaptured, amountRefunded } of authorizations.list(all).data) {
    expect(amountRefunded).toBe(refundedOf(id))
    expect(amountRefunded).toBeLessThanOrEqual(amountCaptured)
  }
}

test('the service responds like the model, and its money is consistent', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const lived = await live(history)
      lived.expectAlike()
      await lived.expectReadable()
      await lived.expectRemembered()
      expectSound(lived.platform)
    }),
    { numRuns: 30 * EFFORT },
  )
})

test('the same seed, the same clock and the same requests give the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const [first, second] = [await live(history), await live(history)]
      expect(second.transcript).toBe(first.transcript)
      const [ours, theirs] = [first, second].map(({ platform }) =>
        platform.tester.sandbox.committedStore().serialize().toString('latin1'),
      )
      expect(theirs).toBe(ours)
    }),
    { numRuns: 10 * EFFORT },
  )
})
