/** The Python helper fails with paysim's explanation instead of a bare status code. */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startPaysim } from './paysim.ts'

const PYTHON = `
from paysim import Sandbox
shop = Sandbox()
shop.arm({"id": "lost", "when": {"op": "refunds.create"}, "do": {"fault": "reset"}})
shop.close()
`

test('the helper explains that a behavior did not act', async () => {
  const { url } = await startPaysim()
  const { status, stderr } = spawnSync('python3', ['-B', '-c', PYTHON], {
    encoding: 'utf8',
    cwd: resolve(join('examples', 'pytest')),
    env: { ...process.env, PAYSIM_URL: url },
  })
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/AssertionError: POST \S+\/close: The behavior lost never acted/),
  ])
  expect(stderr).not.toContain('HTTP Error')
})
