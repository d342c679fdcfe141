/** A disk that temporarily cannot be written or read: requests that need it get a 503 with a sentence, and later everything works. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { startPaysim } from './paysim.ts'

/** Limits the size of files. SQLite treats a page beyond the limit as corrupt, as it does after a failed read. */
const limitFiles = (pid: number, bytes: number | 'unlimited') =>
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`])

test('a read after a failed commit may fail too', async () => {
  const data = folder()
  const flags = ['--data', data, '--rate-limit', 'off']
  let paysim = await startPaysim(flags)
  const pay = async (key: string) => {
    const answer = await paysim.call('POST', '/v1/checkouts', ORDER, key)
    return { status: answer.status, id: answer.body.id as string, message: answer.body.message as string }
  }
  const first = await pay('first')
  const files = ['default.sqlite', 'default.sqlite-wal'].map((name) => join(data, name))
  const contents = files.map((file) => readFileSync(file))

  limitFiles(paysim.child.pid!, 0)
  for (const file of files) truncateSync(file, 0)
  expect(await pay('second')).toMatchObject({
    status: 503,
    message: 'The disk is full, or it fails (SQLITE_IOERR_WRITE): nothing was changed. Retry later',
  })
  expect(await pay('third')).toMatchObject({
    status: 503,
    message: expect.stringMatching(
      /^The (disk fails|database cannot be read) \(SQLITE_\w+\): nothing was changed. Retry later$/,
    ),
  })
  expect((await paysim.call('GET', '/readyz')).status).toBe(503)

  limitFiles(paysim.child.pid!, 'unlimited')
  for (const [at, file] of files.entries()) writeFileSync(file, contents[at]!)
  expect((await paysim.call('GET', '/readyz')).status).toBe(200)
  const second = await pay('second')
  expect([second.status, (await pay('first')).id]).toEqual([201, first.id])
  expect((await paysim.stop()).code).toBe(0)
  paysim = await startPaysim(flags)
  expect((await pay('second')).id).toBe(second.id)
  expect(readdirSync(data).filter((name) => name.includes('set-aside'))).toEqual([])
})
