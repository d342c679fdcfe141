import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildServer } from '../server/simulator/server.ts'
import { DEFAULT_SANDBOX } from '../spec/options/sandbox.ts'

/** A server at its own addresses, to play files in. */
export async function startOwn({ tls = false } = {}) {
  const { at, internalsOf, close } = buildServer({})
  const folder = tls ? mkdtempSync(join(tmpdir(), 'paysim-')) : undefined
  const tlsCaOut = folder && join(folder, 'authority.pem')
  try {
    const { url } = await at('staging').listen({ ...(tlsCaOut && { tlsCaOut }) })
    const authority = tlsCaOut && readFileSync(tlsCaOut, 'utf8')
    // For scenarios that are played in production.
    await at('production').listen()
    return { url, authority, apiKey: internalsOf(DEFAULT_SANDBOX).config.apiKey, close }
  } finally {
    if (folder) rmSync(folder, { recursive: true })
  }
}
