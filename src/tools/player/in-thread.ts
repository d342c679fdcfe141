/**
 * The simulator of `paysim run`, in a thread of its own: while it answers one file, the player checks the answers of
 * another. It says its address once it listens, and closes when it is told to.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { composeServer } from '../compose-server.ts'

export async function serveFromThread(): Promise<void> {
  const { at, internalsOf, close } = composeServer({})
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
