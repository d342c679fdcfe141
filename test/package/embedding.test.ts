/** The built package in a process without Vitest: how it explains itself, and that it lets the process exit. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'

const root = join(import.meta.dirname, '../..')

test("in a Vitest other than paysim's, useSandbox explains how to inline paysim", () => {
  const script = "import { useSandbox } from 'paysim/vitest'\nuseSandbox()"
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/^Error: This test does not run in the Vitest .* deps: \{ inline: \['paysim'\] \}/m)
})

test('a process that forgets to close exits anyway, with pending work and held requests', () => {
  const script = `
    import { createSimulator } from 'paysim'
    const sim = createSimulator({ rateLimit: 'off', webhook: { url: 'http://127.0.0.1:9/' } })
    const shop = sim.sandbox('default')
    sim.create({ ttl: '1h' })
    const call = (path, body, headers = {}) => sim.fetch(new Request('http://sim.test' + path, {
      method: 'POST',
      headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }))
    const order = ${JSON.stringify(ORDER)}
    const { id } = await (await call('/v1/checkouts', order)).json()
    await call('/v1/checkouts/' + id + '/confirm', {})
    await call('/v1/checkouts/' + id + '/refunds', { amount: 1 })
    await shop.settle()
    void call('/v1/checkouts', order, { 'x-sim': 'hold=gate' })
    console.log(shop.ledger().sums.refunded)
  `
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect({ stdout, stderr, status }).toEqual({ stdout: '1\n', stderr: '', status: 0 })
})
