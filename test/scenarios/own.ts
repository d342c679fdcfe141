/** A temporary simulator, as `paysim run` starts it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newSimulator } from '../control/shop.ts'
import { folder } from '../given.ts'

/** The same simulator over HTTPS. */
export async function startOwnOverTls() {
  const tlsCaOut = join(folder(), 'authority.pem')
  return { ...(await startOwn({ tlsCaOut })), authority: await readFile(tlsCaOut, 'utf8') }
}

export async function startOwn(where: { tlsCaOut?: string } = {}, refundDelay: '200ms' | '2s' = '200ms') {
  // Tests compare two simulators request by request. With 50 ms, on a busy machine, a refund completed in only one of them.
  const simulator = newSimulator({ rateLimit: 'off', refundDelay, log: 'silent' })
  const { url } = await simulator.listen(where)
  await simulator.production.listen()
  return { url, apiKey: simulator.sandbox('default').apiKey, close: () => simulator.close() }
}
