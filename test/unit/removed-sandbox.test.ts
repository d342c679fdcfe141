/** What is left in memory of a sandbox that was removed. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { composeSimulator } from '../../src/tools/compose.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('nothing, though its time to live has not ended', async () => {
  const { simulator, internalsOf } = composeSimulator({ log: 'silent' })
  const removed = ['a', 'b', 'c'].map((name) => {
    simulator.create({ name, ttl: '1h' })
    return new WeakRef(internalsOf(name))
  })
  for (const name of ['a', 'b', 'c']) simulator.remove(name)
  await expect
    .poll(() => {
      collectGarbage()
      return removed.filter((sandbox) => sandbox.deref() !== undefined).length
    })
    .toBe(0)
  await simulator.close()
})
