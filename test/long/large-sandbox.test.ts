/** A stored sandbox is copied from file to file, so a large one does not increase the memory of the process. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { asPlatform } from '../control/shop.ts'
import { folder } from '../given.ts'
import { startPaysim } from '../process/paysim.ts'

const MEGABYTE = 1024 ** 2
const LARGE = 128 * MEGABYTE
const SMALL = LARGE / 4

/** The peak memory of a process. Only Linux reports it. */
const peakOf = (pid: number | undefined) =>
  1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])

test.runIf(process.platform === 'linux')('snapshot, fork and restore of 128 MB', async () => {
  const data = folder()
  const simulator = createSimulator({
    data,
    durability: 'process',
    rateLimit: 'off',
    log: 'silent',
    memory: 1,
  })
  for (const [name, bytes] of Object.entries({ small: SMALL, large: LARGE })) {
    const call = asPlatform(simulator, simulator.create({ name }))
    // Grows the file, because the body of a request is stored with its key.
    for (let sent = 0; sent < bytes; sent += 95_000) {
      const body = { externalId: `c-${sent}`, note: 'x'.repeat(95_000) }
      await call('POST', '/v1/customers', body, { 'idempotency-key': `k-${sent}` })
    }
  }
  await simulator.close()

  const paysim = await startPaysim(['--data', data, '--durability', 'process'])
  const ask = async (method: string, path: string, body = '') => {
    const answer = await fetch(`${paysim.url}/_sim${path}`, { method, body: body || null })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const copyAll = async (name: string) => {
    const base = `/sandboxes/${name}`
    await ask('POST', `${base}/snapshots`, '{"name":"then"}')
    await ask('POST', `${base}/snapshots/then/restore`)
    await ask(
      'POST',
      '/sandboxes',
      JSON.stringify({ name: `${name}-fork`, apiKey: `${name}-fork`, from: name }),
    )
    return statSync(join(data, `${name}.sqlite`)).size
  }
  // Copy the small one first: it fills V8's young generation, the size of which depends on the version of Node.
  expect(await copyAll('small')).toBeGreaterThan(SMALL)
  const before = peakOf(paysim.child.pid)
  expect(await copyAll('large')).toBeGreaterThan(LARGE)
  // Copies in memory would take 96 MB each.
  expect((peakOf(paysim.child.pid) - before) / MEGABYTE).toBeLessThan(64)
})
