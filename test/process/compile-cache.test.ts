/** What is compiled is kept for the next start, where the Node can (22.1, and 22.10 for a process that is killed). */
import { readdirSync } from 'node:fs'
import module from 'node:module'
import { expect, test, vi } from 'vitest'
import { folder } from './folder.ts'
import { spawnPaysim, startPaysim } from './paysim.ts'

const canKeep = 'enableCompileCache' in module
const canFlush = 'flushCompileCache' in module
const entriesIn = (root: string) => readdirSync(root, { recursive: true }).length

test('a command leaves what it has compiled', async () => {
  const temporary = folder()
  const { exited } = spawnPaysim(['--version'], { TMPDIR: temporary, NODE_COMPILE_CACHE: '' })
  expect((await exited).code).toBe(0)
  expect(entriesIn(temporary)).toSatisfy((count: number) => count > 3 === canKeep)
})

test('so does a start, though it is killed', async () => {
  const cache = folder()
  const paysim = await startPaysim([], { NODE_COMPILE_CACHE: cache })
  if (canFlush) {
    await vi.waitFor(() => expect(entriesIn(cache)).toBeGreaterThan(3), { timeout: 60_000, interval: 100 })
  }
  await paysim.kill()
  expect(entriesIn(cache)).toSatisfy((count: number) => count > 3 === canFlush)
})
