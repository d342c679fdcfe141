import { expect, test, vi } from 'vitest'
import { Lifetime } from '../../src/tools/commands/lifetime.ts'

test('parts end in reverse order, even after one that fails, and the first failure is thrown', async () => {
  const life = new Lifetime()
  const ended: string[] = []
  for (const name of ['first', 'second', 'third'])
    life.endWith(async () => {
      ended.push(name)
      if (name !== 'first') throw new Error(name)
    })
  await expect(life.end()).rejects.toThrow('third')
  expect(ended).toEqual(['third', 'second', 'first'])
  await life.end()
  expect(ended).toHaveLength(3)
})

test('a part that has already ended is not ended again', async () => {
  const life = new Lifetime()
  const ended: string[] = []
  const endSandbox = life.endWith(() => ended.push('sandbox'))
  life.endWith(() => ended.push('server'))
  await endSandbox()
  await life.end()
  expect(ended).toEqual(['sandbox', 'server'])
})

test('a failed command exits, even if a part does not end', async () => {
  const life = new Lifetime()
  life.endWith(() => new Promise(() => {}))
  const exited = new Promise<void>((resolve) => {
    vi.spyOn(process, 'exit').mockImplementation(() => resolve() as never)
  })
  void life.endFailed(0)
  await exited
  vi.mocked(process.exit).mockRestore()
  expect(life.stopSignal().aborted).toBe(true)
})
