/** What is added to a request while the dashboard is open, and by the log. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Call, type Contestant, type Measure, requestText, shareOf } from './measure.ts'
import { type Server, startPaysim, startPaysimLoggingTo } from './server.ts'

const asked = (server: Server, call: Call): Contestant => ({
  server,
  request: requestText(call),
  status: 201,
})

/** The same load on one that is watched and on one that is not. */
export const watched =
  (call: Call): Measure =>
  async (effort) => {
    const [without, open] = [await startPaysim(), await startPaysim()]
    const stopWatching = await watch(open)
    try {
      return await shareOf({ without: asked(without, call), with: asked(open, call) }, effort)
    } finally {
      stopWatching()
      await Promise.all([without.stop(), open.stop()])
    }
  }

export const logged =
  (call: Call): Measure =>
  async (effort) => {
    const folder = mkdtempSync(join(tmpdir(), 'paysim-bench-'))
    const [without, logging] = [await startPaysim(), await startPaysimLoggingTo(join(folder, 'log'))]
    try {
      return await shareOf({ without: asked(without, call), with: asked(logging, call) }, effort)
    } finally {
      await Promise.all([without.stop(), logging.stop()])
      rmSync(folder, { recursive: true })
    }
  }

/** Reads the live stream as a browser does, asks for the page when it changed, and throws it away. */
async function watch({ url }: Server): Promise<() => void> {
  const closed = new AbortController()
  const { body } = await fetch(`${url}/_sim/ui/live`, { signal: closed.signal })
  const reading = async () => {
    for await (const part of body!) {
      if (!new TextDecoder().decode(part).includes('event: changed')) continue
      await (await fetch(`${url}/_sim/ui`)).text()
    }
  }
  reading().catch(() => {})
  return () => closed.abort()
}
