/**
 * The rules about pauses detect a copy of `examples/shop` without its pause. Pauses under a tenth of a second are too short, and
 * other tests could delay the client by that much.
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
