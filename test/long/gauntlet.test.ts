/** `examples/shop` survives every trouble of the catalog, behaves and grades A. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { HONEST_SHOP, runGauntlet } from './gauntlet-report.ts'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgZ3JhZGVkIHJlY2VpdmVy'

/** Starts the shop in its own process, which stops at the end of the test. */
async function startShop() {
  const child = spawn(process.execPath, ['server.js'], {
    cwd: HONEST_SHOP,
    env: {
      ...process.env,
      PAYSIM_WEBHOOK_SECRET: SECRET,
      PAYSIM_WEBHOOK_URL: 'http://127.0.0.1:0/webhooks',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const webhooks = /http:\S+/.exec(line)![0]
  return { webhooks, probe: new URL('/handled', webhooks).href, secret: SECRET }
}

test('examples/shop grades A', async () => {
  const { webhooks, probe, secret } = await startShop()
  const asked = ['grade', webhooks, '--secret', secret, '--probe', probe, '--port', '0']
  const { stdout, stderr } = await spawnPaysim(asked).exited
  expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^Grade A: 20 of 20 passed/m)])
})

test('examples/shop has the verdicts of docs/gauntlet.md, and behaves', async () => {
  const page = readFileSync(new URL('../../docs/gauntlet.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| (survived|not exercised) \| (\S+) \|/gm)]
  // To be quick, its tests wait only one second for a response. On a busy machine, the client would then disconnect before
  // reading a Retry-After (C9).
  const patient = { SHOP_TIMEOUT_MS: '5000' }
  // Runs mostly wait, so more of them than cores finish sooner.
  const flags = ['--jobs', '4', '--only', CATALOG.map(({ name }) => name).join(',')]
  const { rows } = await runGauntlet(flags, [process.execPath, '--test'], HONEST_SHOP, patient)
  expect(rows.map(({ name, verdict }) => [verdict, name])).toEqual(
    documented.map(([, verdict, name]) => [verdict, name]),
  )
  // The warning C15 is expected: the shop stops after a refused confirm, so its checkouts stay pending.
  expect(new Set(rows.flatMap(({ audit }) => audit.map(({ rule }) => rule)))).toEqual(new Set(['C15']))
})
