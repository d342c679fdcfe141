/** A simulator of the test's own, as `paysim run` starts one. */
import { onTestFinished } from 'vitest'
import { createSimulator } from '../../src/index.ts'

export async function startOwn() {
  const simulator = createSimulator({ rateLimit: 'off', refundDelay: '50ms', log: 'silent' })
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen()
  await simulator.production.listen()
  return { url, apiKey: simulator.sandbox('default').apiKey, close: () => simulator.close() }
}
