/** A process that runs out of memory: requests that need more get a 503 with a sentence, and the others succeed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../src/service/store/sqlite.ts'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { served } from '../served.ts'
import { startPaysim } from './paysim.ts'

/** SQLite allocates NEEDED_BYTES in one piece for each new checkout. LEFT_BYTES remain for threads and the like. */
const NEEDED_BYTES = 500_000_000
const LEFT_BYTES = 400_000_000

test('a request without enough memory is a 503 with a sentence, and changes nothing', async () => {
  const data = folder()
  const first = await startPaysim(['--data', data])
  await first.stop()
  const db = new Database(join(data, 'default.sqlite'))
  db.exec(`CREATE TRIGGER needy AFTER INSERT ON checkouts BEGIN SELECT upper(zeroblob(${NEEDED_BYTES})); END`)
  db.close()

  const server = await served((_, response) => response.end())
  const paysim = await startPaysim(['--data', data], {
    // Otherwise each thread of Node's pool reserves 128 MB of address space when it starts.
    MALLOC_ARENA_MAX: '1',
    // fetch parses responses with WebAssembly, which reserves 10 GB of address space, so run it before the limit is set.
    NODE_OPTIONS: `--import data:text/javascript,await(fetch('${server}'))`,
  })
  const { pid } = paysim.child
  const [, kilobytes] = /^VmSize:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  execFileSync('prlimit', [`--pid=${pid}`, `--as=${Number(kilobytes) * 1024 + LEFT_BYTES}`])

  const { status, body } = await paysim.call('POST', '/v1/checkouts', ORDER)
  expect(body.message).toBe('Out of memory (SQLITE_NOMEM): nothing was changed. Retry later')
  expect(status).toBe(503)
  expect((await paysim.call('GET', '/v1/checkouts')).body.data).toEqual([])
  expect((await paysim.call('POST', '/v1/customers', { externalId: 'acme' })).status).toBe(201)
})
