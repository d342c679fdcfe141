/** The time of the next due work stays right after failed work. */
import { expect, test } from 'vitest'
import { openStore } from '../../src/service/store/store.ts'

test('added, rolled-back and finished work counts, and work without a time does not', async () => {
  const store = openStore({})
  expect(store.committedDueAt()).toBeNull()
  const added = store.transact(() => store.agenda.insert(5, 'refund.complete', 'ref_1'))
  expect(store.committedDueAt()).toBe(5)
  await added
  const failed = store.transact(() => {
    store.agenda.insert(3, 'webhook.deliver', 'dlv_1')
    throw new Error('taken back')
  })
  await expect(failed).rejects.toThrow('taken back')
  expect(store.committedDueAt()).toBe(5)
  store.transactNow(() => store.agenda.insert(Number.MAX_SAFE_INTEGER, 'refund.complete', 'ref_2'))
  store.transactNow(() => store.agenda.remove('ref_1', 'refund.complete'))
  expect(store.committedDueAt()).toBeNull()
})
