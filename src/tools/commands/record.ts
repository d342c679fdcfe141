/** `paysim record`: writes requests to a running paysim as a scenario file, after playing it once to verify it. */
import { writeFile } from 'node:fs/promises'
import { recordSession } from '../../tester/control/record.ts'
import { startOwn } from '../compose-server.ts'
import type { Resolved } from '../options/commands.ts'
import { whyFailed } from '../player/play-recorded.ts'
import { sandboxAt } from './sandbox-at.ts'
import { printText, terminal } from './terminal.ts'

export async function record(options: Resolved<'record'>): Promise<number> {
  const { requests, sandbox, name, out } = options
  const shop = await sandboxAt(options)
  const { recorded, added, leftOut, yaml } = await recordSession(shop, { chosen: requests, name })
  for (const id of added) terminal.err(`added ${id}, because other requests depend on it`)
  for (const { id, why } of leftOut) terminal.err(`skipped ${id}: it ${why}`)
  if (!recorded) {
    const none =
      leftOut.length > 0 ? 'No request remains' : `The journal of the sandbox ${sandbox} has no request`
    throw new Error(`${none}, so there is nothing to record.`)
  }
  if (out === undefined) printText(yaml.trimEnd())
  else await writeFile(out, yaml)
  const { url, close } = await startOwn()
  const why = await whyFailed(yaml, url).finally(close)
  if (why === undefined) return 0
  printText(`The recorded scenario fails when played: ${why}`, process.stderr)
  return 1
}
