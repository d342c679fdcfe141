/**
 * A copy of `examples/shop` without its pause is told by the rules about pauses. A pause is too short below a tenth of a second, in
 * which other tests could keep the client from sending.
 */
import { expect, test } from 'vitest'
import { brokenShop } from '../long/broken-shops.ts'
import { A, PATIENT, reportOf, TELLING } from '../long/gauntlet-report.ts'

test('a broken copy: no backoff', async () => {
  expect(await reportOf(brokenShop('no backoff'), TELLING, PATIENT, 1)).toEqual({
    verdicts: {
      'in-flight-once': 'audit failed',
      'rate-limit-once': 'audit failed',
      outage: 'audit failed',
    },
    // Without a pause, and against Retry-After.
    rules: ['C8', 'C9'],
    ...A,
  })
})
