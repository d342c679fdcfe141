/** With --data, a simulator resumes its state after a restart. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { spawnPaysim, startPaysim } from './paysim.ts'

const FROZEN = ['--clock', 'frozen@2026-01-01T00:00:00Z']

describe('after a restart', () => {
  test('behaviors keep their counters, and those of --scenario are disarmed without the file', async () => {
    const data = folder()
    const file = join(data, 'trouble.yaml')
    writeFileSync(
      file,
      'name: T\nbehaviors:\n  - { id: t, when: { op: checkouts.create }, times: 2, do: { respond: 500 } }\n',
    )
    const withFile = ['--data', data, ...FROZEN, '--scenario', file]
    const first = await startPaysim(withFile)
    const create = async ({ call }: typeof first) => (await call('POST', '/v1/checkouts', ORDER)).status
    expect(await create(first)).toBe(500)
    const down = { id: 'down', when: { op: 'customers.create' }, times: 3, do: { respond: { status: 500 } } }
    await first.call('POST', '/_sim/behaviors', { name: 'down', behaviors: [down] })
    for (const externalId of ['a', 'b']) await first.call('POST', '/v1/customers', { externalId })
    await first.kill()

    const second = await startPaysim(withFile)
    const armed = async ({ call }: typeof first) => (await call('GET', '/_sim/behaviors')).body.data
    const ofDown = { id: 'down', fired: 2, left: 1 }
    expect(await armed(second)).toMatchObject([{ id: 't', fired: 1, left: 1 }, ofDown])
    expect([await create(second), await create(second)]).toEqual([500, 201])
    await second.kill()
    expect(await armed(await startPaysim(['--data', data]))).toMatchObject([ofDown])
  })
})

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
