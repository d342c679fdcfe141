/**
 * The simulator of `paysim run` in its own thread, so that it can serve one file while the player checks another. It posts its
 * address when it is listening, and closes on any message.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { buildServer } from '../../server/simulator/server.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'

export async function serveFromThread(): Promise<void> {
  const { at, internalsOf, close } = buildServer({})
  const folder = (workerData as { tls?: boolean } | null)?.tls
    ? mkdtempSync(join(tmpdir(), 'paysim-'))
    : undefined
  const tlsCaOut = folder && join(folder, 'authority.pem')
  const { url } = await at('staging').listen({ ...(tlsCaOut && { tlsCaOut }) })
  const authority = tlsCaOut && readFileSync(tlsCaOut, 'utf8')
  if (folder) rmSync(folder, { recursive: true })
  // For scenarios that are played in production.
  await at('production').listen()
  parentPort!.postMessage({ url, authority, apiKey: internalsOf(DEFAULT_SANDBOX).config.apiKey })
  await once(parentPort!, 'message')
  await close()
}
