/** What is compiled is kept for the next start: by Node itself from 22.1 on, and for Node 20 by paysim. */
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { folder } from './folder.ts'
import { spawnPaysim, startPaysim } from './paysim.ts'

/** Every file of a folder, by its path in it. */
const filesIn = (root: string) =>
  (readdirSync(root, { recursive: true }) as string[]).filter((name) => statSync(join(root, name)).isFile())

const printVersion = async (environment: Record<string, string>) => {
  const { code, stdout, stderr } = await spawnPaysim(['--version'], environment).exited
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

test('a command leaves what it has compiled', async () => {
  const temporary = folder()
  await printVersion({ TMPDIR: temporary, NODE_COMPILE_CACHE: '' })
  expect(filesIn(temporary).length).toBeGreaterThan(3)
})

test('so does a start, though it is killed', async () => {
  const cache = folder()
  const paysim = await startPaysim([], { NODE_COMPILE_CACHE: cache })
  await vi.waitFor(() => expect(filesIn(cache).length).toBeGreaterThan(3), { timeout: 30_000, interval: 100 })
  await paysim.kill()
})

test('what a start imports late is there from the cache too', async () => {
  const cache = folder()
  for (const from of ['no cache', 'the cache']) {
    const args = ['start', '--port', '0', '--log', 'silent', '--tls']
    const { child, said, exited } = spawnPaysim(args, { NODE_COMPILE_CACHE: cache })
    await Promise.race([exited, once(child.stdout, 'data')])
    expect(said, from).toEqual({ stdout: expect.stringContaining('https://'), stderr: '' })
    child.kill('SIGTERM')
    await exited
  }
})

describe.runIf(!('enableCompileCache' in module))('the cache of Node 20', () => {
  const kept = async () => {
    const cache = folder()
    await printVersion({ NODE_COMPILE_CACHE: cache })
    const files = filesIn(cache).map((name) => join(cache, name))
    return { cache, files, largest: files.reduce((a, b) => (statSync(a).size > statSync(b).size ? a : b)) }
  }

  test('is taken as it is by the next start', async () => {
    const { cache, files } = await kept()
    const written = files.map((file) => statSync(file).ino)
    await printVersion({ NODE_COMPILE_CACHE: cache })
    expect(files.map((file) => statSync(file).ino)).toEqual(written)
  })

  test('is replaced where it is damaged', async () => {
    const { cache, largest } = await kept()
    const whole = readFileSync(largest)
    writeFileSync(largest, whole.subarray(0, 1000))
    await printVersion({ NODE_COMPILE_CACHE: cache })
    expect(statSync(largest).size).toBeGreaterThan(whole.length / 2)
  })

  test('is neither read nor written where others of the machine can write', async () => {
    const { cache, largest } = await kept()
    chmodSync(join(largest, '..'), 0o777)
    writeFileSync(largest, 'planted')
    await printVersion({ NODE_COMPILE_CACHE: cache })
    expect(readFileSync(largest, 'utf8')).toBe('planted')
  })

  test('is not there where Node is told to have none, and no reason to fail where it cannot be written', async () => {
    const cache = folder()
    await printVersion({ NODE_COMPILE_CACHE: cache, NODE_DISABLE_COMPILE_CACHE: '1' })
    expect(filesIn(cache)).toEqual([])
    await printVersion({ NODE_COMPILE_CACHE: '/dev/null/none' })
    expect(existsSync('/dev/null/none')).toBe(false)
  })
})
