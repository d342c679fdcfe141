/** Sleeping in-memory databases: their bytes are compressed, and they wake unchanged. */
import { expect, test } from 'vitest'
import { CurrentStore } from '../../src/service/store/current-store.ts'
import { OpenDatabases } from '../../src/service/store/open-databases.ts'

const opened = (among: OpenDatabases, isAtRest = () => true) => {
  const current = new CurrentStore({ among, isAtRest })
  current.openLater((store) => store.transactNow(() => store.settings.put('made', true)))
  return current
}

const isOpen = ({ storeIfOpen }: CurrentStore) => storeIfOpen !== undefined

test('an unused database is never opened', () => {
  const among = new OpenDatabases(2)
  for (let count = 0; count < 10; count += 1) opened(among)
  expect(among.size).toBe(0)
})

test('the least recently used database sleeps, and wakes with its data', () => {
  const among = new OpenDatabases(2)
  const [a, b, c] = [opened(among), opened(among), opened(among)]
  a.store.transactNow(() => a.store.settings.put('of', 'a'))
  b.store.transactNow(() => b.store.settings.put('of', 'b'))
  c.store.transactNow(() => c.store.settings.put('of', 'c'))
  expect([a, b, c].map(isOpen)).toEqual([false, true, true])
  expect(among.size).toBe(2)
  expect([c, b, a].map(({ store }) => store.settings.get('of'))).toEqual(['c', 'b', 'a'])
  expect(a.store.settings.get('made')).toBe(true)
  expect(among.size).toBe(2)
})

test("other work's writes are committed before it sleeps", async () => {
  const among = new OpenDatabases(1)
  const [a, b] = [opened(among), opened(among)]
  const { store } = a
  const committed = store.transact(() => store.settings.put('of', 'a'))
  expect(b.store.settings.get('made')).toBe(true)
  await committed
  expect(a.store.settings.get('of')).toBe('a')
})

test('a database with work in flight stays open, even beyond the limit', () => {
  const among = new OpenDatabases(1)
  const [busy, second] = [opened(among, () => false), opened(among)]
  expect([busy.store, second.store]).toHaveLength(2)
  expect([isOpen(busy), isOpen(second), among.size]).toEqual([true, true, 2])
})

test('a database with an unreadable summary is closed all the same, and does not block others', () => {
  const among = new OpenDatabases(1)
  const [failing, second] = [opened(among), opened(among)]
  failing.watch({
    closing() {
      throw new Error('the disk fails')
    },
  })
  failing.store.transactNow(() => failing.store.settings.put('of', 'failing'))
  expect(second.store.settings.get('made')).toBe(true)
  expect(isOpen(failing)).toBe(false)
  expect(failing.store.settings.get('of')).toBe('failing')
})

test('a database that is closed while it sleeps, or before its first use, is not opened again', () => {
  const among = new OpenDatabases(1)
  const [unasked, asleep, third] = [opened(among), opened(among), opened(among)]
  expect([asleep.store, third.store]).toHaveLength(2)
  for (const current of [unasked, asleep]) {
    current.close()
    expect(() => current.store).toThrow('Sandbox not found')
  }
  expect(among.size).toBe(1)
})
