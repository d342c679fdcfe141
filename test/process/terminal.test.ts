/** Names from scenarios and platforms cannot inject commands into the terminal or into GitHub Actions, which reads the output. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { served } from '../served.ts'
import { runPaysim, servedPaysim } from './paysim.ts'

const HOSTILE = 'o\u001b[2J\u009b1;1H\u202e\r\n::error::owned\n ##[error]owned'
const HOSTILE_ORDER = { ...ORDER, orderId: HOSTILE, amount: 100 }

/** The workflow commands that GitHub Actions would run. */
const commandsIn = (output: string) =>
  output.split('\n').filter((line) => /^\s*::|##\[/.test(line) && !line.startsWith('::error file='))

function requireHarmless(output: string): void {
  expect(output.match(/[^\P{Cc}\n\t]|\u202e/gu)).toBeNull()
  expect(commandsIn(output)).toEqual([])
  expect(output).toContain('\\u001b[2J')
}

test('text from a scenario is escaped: its name, its values, a header and an id', async () => {
  const file = join(folder(), 'hostile.yaml')
  const step = {
    id: 'pay\u001b[2J',
    call: 'POST /v1/checkouts',
    header: { 'x-trace': 'a' },
    json: HOSTILE_ORDER,
    expect: { status: 200, header: { 'x-sim-request': HOSTILE }, json: { orderId: 'x\u001b[2J' } },
  }
  const scenario = { name: HOSTILE, steps: [step, { repeat: 'pay\u001b[2J', expect: { status: 200 } }] }
  writeFileSync(file, JSON.stringify(scenario))
  const { code, stdout, stderr } = await runPaysim(['run', file], { GITHUB_ACTIONS: 'true' })
  expect(code, stderr).toBe(1)
  requireHarmless(stdout)
  expect(stdout).toMatch(/^::error file=/m)
  // The name stays on one line; otherwise a forged second line would look like a verdict.
  expect(stdout).toMatch(/hostile\.yaml {2}o\S+\\r\\n::error::owned\\n/)
  const colored = await runPaysim(['run', file], { FORCE_COLOR: '1' })
  expect(colored.stdout).toContain('\u001b[31m')
  expect(colored.stdout.replace(/\p{Cc}\[\d+m/gu, '')).not.toContain('\u001b')
})

test('text from an order is escaped in the output of audit and explain', async () => {
  const { url, call } = await servedPaysim({ rateLimit: 'off' })
  for (const key of ['1', '2']) {
    const { body } = await call('POST', '/v1/checkouts', HOSTILE_ORDER, key)
    await call('POST', `/v1/checkouts/${body.id}/confirm`, {}, `confirm-${key}`)
  }
  for (const typed of [['audit'], ['explain'], ['explain', 'req_2']]) {
    const { stdout } = await runPaysim([...typed, '--target', url], { GITHUB_ACTIONS: 'true' })
    requireHarmless(stdout)
    expect(stdout).toContain('was charged twice')
  }
})

test('text from a response of the service is escaped', async () => {
  const url = await served((_, response) => response.writeHead(500).end(HOSTILE))
  const file = join(folder(), 'broken.yaml')
  writeFileSync(file, 'name: broken\nsteps:\n  - call: GET /v1/a\n')
  const target = ['--target', url, '--api-key', 'key']
  const { stdout } = await runPaysim(['run', file, ...target], { GITHUB_ACTIONS: 'true' })
  requireHarmless(stdout)
})
