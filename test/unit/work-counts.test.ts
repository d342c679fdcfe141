/** The counts of finished and pending work stay right after failed work. */
import { expect, test } from 'vitest'
import { openStore } from '../../src/service/store/store.ts'

test('added, rolled-back and finished work is counted', async () => {
  const store = openStore({})
  const empty = store.committedCounts()
  expect(empty).toEqual({ dueAt: null, agendaItems: 0, deliveries: { pending: 0, delivered: 0, failed: 0 } })
  const added = store.transact(() => store.agenda.insert(5, 'refund.complete', 'ref_1'))
  expect(store.committedCounts()).toMatchObject({ dueAt: 5, agendaItems: 1 })
  await added
  const failed = store.transact(() => {
    store.agenda.insert(3, 'webhook.deliver', 'dlv_1')
    throw new Error('taken back')
  })
  await expect(failed).rejects.toThrow('taken back')
  expect(store.committedCounts()).toMatchObject({ dueAt: 5, agendaItems: 1 })
  store.transactNow(() => store.agenda.insert(Number.MAX_SAFE_INTEGER, 'refund.complete', 'ref_2'))
  store.transactNow(() => store.agenda.remove('ref_1', 'refund.complete'))
  expect(store.committedCounts()).toMatchObject({ dueAt: null, agendaItems: 1 })
})
