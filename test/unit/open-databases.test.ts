/** Sleeping databases, as far as no request shows them; test/control/asleep.test.ts has the rest. */
import { expect, test } from 'vitest'
import { CurrentStore } from '../../src/service/store/current-store.ts'
import { OpenDatabases } from '../../src/service/store/open-databases.ts'

const opened = (among: OpenDatabases) => {
  const current = new CurrentStore({ among })
  current.openLater((store) => store.transactNow(() => store.settings.put('made', true)))
  return current
}

test('an unused database is never opened', () => {
  const among = new OpenDatabases(2)
  for (let count = 0; count < 10; count += 1) opened(among)
  expect(among.size).toBe(0)
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
  expect(failing.storeIfOpen).toBeUndefined()
  expect(failing.store.settings.get('of')).toBe('failing')
})
