import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { runPaysim, startPaysim } from './paysim.ts'

function scenario(text: string): string {
  return join(folder({ 'down.yaml': text }), 'down.yaml')
}

const DOWN = 'name: Down\nbehaviors: [{ id: down, do: { respond: { status: 503 } } }]\n'

test('--scenario arms before the first request', async () => {
  const paysim = await startPaysim(['--scenario', scenario(DOWN), '--rate-limit', 'off'])
  expect((await paysim.call('GET', '/v1/checkouts')).status).toBe(503)
  expect((await paysim.stop()).code).toBe(0)
})

test('a file that is invalid at the start is reported with line and column, and nothing starts', async () => {
  const file = scenario(DOWN.replace('503', 'soon'))
  const { code, stdout, stderr } = await runPaysim(['start', '--port', '0', '--scenario', file])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe(`${file}:2:50: behaviors[0].do.respond.status must be a number, not "soon"\n`)

  const nowhere = await runPaysim(['start', '--port', '0'], { PAYSIM_SCENARIO: '/no/such.yaml' })
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: 'PAYSIM_SCENARIO names a file or folder that does not exist: /no/such.yaml.\n',
  })
})
