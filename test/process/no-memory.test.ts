/** A process that gets no more memory: what needs some is refused with a sentence, and the rest goes on. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../src/service/store/sqlite.ts'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { served } from '../served.ts'
import { startPaysim } from './paysim.ts'

/** SQLite then allocates so much with each new checkout, in one piece; the other figure is left for new threads and the like. */
const NEEDED_BYTES = 500_000_000
const LEFT_BYTES = 400_000_000

test('a request for which there is no memory is a 503 with a sentence, and changes nothing', async () => {
  const data = folder()
  const first = await startPaysim(['--data', data])
  await first.stop()
  const db = new Database(join(data, 'default.sqlite'))
  db.exec(`CREATE TRIGGER needy AFTER INSERT ON checkouts BEGIN SELECT upper(zeroblob(${NEEDED_BYTES})); END`)
  db.close()

  const server = await served((_, response) => response.end())
  const paysim = await startPaysim(['--data', data], {
    // Otherwise each thread of Node's pool reserves 128 MB of addresses when it starts.
    MALLOC_ARENA_MAX: '1',
    // Node parses the responses of fetch with WebAssembly, which reserves 10 GB of addresses: before the limit is set.
    NODE_OPTIONS: `--import data:text/javascript,await(fetch('${server}'))`,
  })
  const { pid } = paysim.child
  const [, kilobytes] = /^VmSize:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  execFileSync('prlimit', [`--pid=${pid}`, `--as=${Number(kilobytes) * 1024 + LEFT_BYTES}`])

  const { status, body } = await paysim.call('POST', '/v1/checkouts', ORDER)
  expect(body.message).toBe('There is no memory left (SQLITE_NOMEM): nothing was changed. Retry later')
  expect(status).toBe(503)
  expect((await paysim.call('GET', '/v1/checkouts')).body.data).toEqual([])
  expect((await paysim.call('POST', '/v1/customers', { externalId: 'acme' })).status).toBe(201)
})
