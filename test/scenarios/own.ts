/** A temporary simulator, as `paysim run` starts it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSimulator } from '../../src/index.ts'

/** The same simulator over HTTPS. */
export async function startOwnOverTls() {
  const folder = await mkdtemp(join(tmpdir(), 'authority-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const tlsCaOut = join(folder, 'authority.pem')
  return { ...(await startOwn({ tlsCaOut })), authority: await readFile(tlsCaOut, 'utf8') }
}

export async function startOwn(where: { tlsCaOut?: string } = {}) {
  // Tests compare two simulators request by request. With 50 ms, on a busy machine, a refund completed in only one of them.
  const simulator = createSimulator({ rateLimit: 'off', refundDelay: '200ms', log: 'silent' })
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen(where)
  await simulator.production.listen()
  return { url, apiKey: simulator.sandbox('default').apiKey, close: () => simulator.close() }
}
