/** `paysim record`: writes requests to a running paysim as a scenario file, and plays it before it is handed over. */
import { writeFile } from 'node:fs/promises'
import { recordPlayed } from '../../tester/control/record.ts'
import { startOwn } from '../compose-server.ts'
import type { Resolved } from '../options/commands.ts'
import { whyNotPassed } from '../player/play-recorded.ts'
import { sandboxAt } from './sandbox-at.ts'
import { printText, terminal } from './terminal.ts'

export async function record(options: Resolved<'record'>): Promise<void> {
  const { requests, sandbox, name, out, minimal } = options
  const shop = await sandboxAt(options)
  const { recorded, added, leftOut, yaml, why } = await recordPlayed(
    shop,
    { chosen: requests, name, minimal },
    (yaml) => whyNotPassed(yaml, startOwn),
  )
  for (const id of added) terminal.err(`${id} is added, as other requests depend on it`)
  for (const { id, why } of leftOut) terminal.err(`${id} is left out: it ${why}`)
  if (!recorded) {
    const none =
      leftOut.length > 0 ? 'No request is left' : `The journal of the sandbox ${sandbox} has no request`
    throw new Error(`${none}, so there is nothing to record.`)
  }
  if (out === undefined) printText(yaml.trimEnd())
  else await writeFile(out, yaml)
  if (why === undefined) return
  printText(`It does not pass when it is played: ${why}`, process.stderr)
  process.exitCode = 1
}
