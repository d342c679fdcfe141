import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { spawnPaysim, startPaysim } from './paysim.ts'

test('a folder serves one simulator at a time: the second one is refused with a sentence, and the first continues', async () => {
  const data = folder()
  const first = await startPaysim(['--data', data])
  const { exited } = spawnPaysim(['start', '--port', '0', '--data', data])
  expect(await exited).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `${data} is in use by another paysim. Give each its own folder.\n`,
  })
  expect((await first.call('POST', '/v1/checkouts', ORDER)).status).toBe(201)
})
