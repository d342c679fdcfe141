/**
 * Any history of requests, retries, time and restarts: the service and its model, built of plain maps, respond alike. fast-check
 * prints the seed of a failing history.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EFFORT } from '../effort.ts'
import { live, steps } from './history.ts'

test('the service responds like the model', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const lived = await live(history)
      lived.expectAlike()
      await lived.expectReadable()
      await lived.expectRemembered()
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
