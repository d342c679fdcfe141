/** Long work yields to other work, and does not use data of a database that is gone. */
import { afterAll, expect, test } from 'vitest'
import { stopwatch } from '../../src/spec/world/clock.ts'
import { atOnce, type InTurns, inTurns } from '../../src/tester/control/turns.ts'
import { composeSimulator } from '../../src/tools/compose.ts'

const { simulator, internalsOf } = composeSimulator({})
const sandbox = internalsOf('default')
afterAll(() => simulator.close())

/** Longer than a turn. */
function busy(): void {
  for (const begun = stopwatch(); stopwatch() - begun < 6; );
}

test('other work runs after each long step', async () => {
  const seen: string[] = []
  function* work(): InTurns<string> {
    seen.push('first')
    busy()
    yield
    seen.push('second')
    return 'done'
  }
  setImmediate(() => seen.push('another'))
  expect(await inTurns(work)).toBe('done')
  expect(seen).toEqual(['first', 'another', 'second'])
  expect(atOnce(work())).toBe('done')
})

test('a restored sandbox is read from the start', async () => {
  const begun: string[] = []
  const shop = simulator.sandbox('default')
  shop.snapshot('before')
  const read = inTurns(
    function* () {
      const store = sandbox.committedStore()
      begun.push('read')
      busy()
      yield
      return store === sandbox.committedStore()
    },
    () => sandbox.committedStore(),
  )
  shop.restore('before')
  expect(await read).toBe(true)
  expect(begun).toEqual(['read', 'read'])
})

test('a sandbox that was removed meanwhile is not found', async () => {
  simulator.create({ name: 'gone' })
  const gone = internalsOf('gone')
  const read = inTurns(
    function* () {
      gone.committedStore().events.count()
      busy()
      yield
    },
    () => gone.committedStore(),
  )
  simulator.remove('gone')
  await expect(read).rejects.toMatchObject({ status: 404 })
})
