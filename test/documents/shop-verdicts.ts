/**
 * The verdict of `examples/shop` for each trouble. Only the baseline run is made here, which decides what its tests exercise;
 * test/long/gauntlet.test.ts checks that the shop survives it.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createSimulator } from '../../src/tools/compose.ts'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { canAct } from '../../src/tools/gauntlet/runner.ts'
import { isSeen, seenOf } from '../../src/tools/gauntlet/seen.ts'
import { freePort } from '../free-port.ts'

const cwd = new URL('../../examples/shop', import.meta.url)

export async function shopVerdicts() {
  const webhooks = `http://127.0.0.1:${await freePort()}/webhooks`
  const simulator = createSimulator({ refundDelay: 100, rateLimit: 'off', webhook: { url: webhooks } })
  try {
    const { url } = await simulator.listen()
    const shop = simulator.sandbox('default')
    const { PATH } = process.env
    const env = { PATH, PAYSIM_URL: url, PAYSIM_WEBHOOK_URL: webhooks }
    await promisify(execFile)(process.execPath, ['--test'], { cwd, env })
    const seen = { requests: shop.requests().filter(isSeen), ...seenOf(shop) }
    return CATALOG.map((trouble) => [
      canAct(trouble, { seen: [seen], hasApp: false }) ? 'survived' : 'not exercised',
      trouble.name,
      trouble.sentence,
    ])
  } finally {
    await simulator.close()
  }
}
