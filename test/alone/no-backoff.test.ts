/**
 * The rules about pauses detect a copy of `examples/shop` that retries without a pause. Those rules look for pauses under a tenth
 * of a second, and tests that run in parallel could delay the client by that much.
 */
import { expect, test } from 'vitest'
import { brokenShop } from '../long/broken-shops.ts'
import { reportOf } from '../long/gauntlet-report.ts'

test('a broken copy: no backoff', async () => {
  const troubles = ['in-flight-once', 'outage', 'rate-limit-once', 'refund-immediate']
  // A busy machine that stalls for a second would count as another failure.
  const patient = { SHOP_TIMEOUT_MS: '30000' }
  expect(await reportOf(brokenShop('no backoff'), troubles, patient, 1)).toEqual({
    verdicts: {
      'in-flight-once': 'audit failed',
      'rate-limit-once': 'audit failed',
      outage: 'audit failed',
    },
    // Retries without a pause and ignores Retry-After.
    rules: ['C8', 'C9'],
  })
})
