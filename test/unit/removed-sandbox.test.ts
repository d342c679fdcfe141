/** A removed sandbox leaves nothing in memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { composeSimulator } from '../../src/tools/compose.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('nothing remains, though its ttl has not ended', async () => {
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
