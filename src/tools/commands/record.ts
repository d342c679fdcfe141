/** `paysim record`: writes requests to a running paysim as a scenario file, and plays it before it is handed over. */
import { writeFile } from 'node:fs/promises'
import { requireWritable } from '../../spec/options/output-files.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { connect } from '../../tester/control/client.ts'
import { recordPlayed } from '../../tester/control/record.ts'
import { startOwn } from '../compose.ts'
import { whyNotPassed } from '../player/play-recorded.ts'
import { terminal } from './terminal.ts'

export interface RecordOptions {
  /** The requests to record, such as req_3; empty for all of them. */
  requests: readonly string[]
  target: string
  sandbox?: string | undefined
  adminToken?: string | undefined
  name?: string | undefined
  out?: string | undefined
  /** Expect only what matters. */
  minimal?: boolean | undefined
}

export async function record(options: RecordOptions): Promise<void> {
  const { requests, target, sandbox = DEFAULT_SANDBOX, adminToken, name, out, minimal } = options
  if (out !== undefined) requireWritable(out, 'The scenario')
  const shop = await connect(target, { adminToken }).find(sandbox)
  const { recorded, added, leftOut, yaml, why } = await recordPlayed(
    shop,
    { chosen: requests, name, minimal },
    (yaml) => whyNotPassed(yaml, startOwn),
  )
  for (const id of added) terminal.err(`${id} is added, as other requests depend on it`)
  for (const { id, why } of leftOut) terminal.err(`${id} is left out: it ${why}`)
  if (!recorded) {
    const none = leftOut.length > 0 ? 'No request is left' : `No request came to the sandbox ${sandbox}`
    throw new Error(`${none}, so there is nothing to record.`)
  }
  if (out === undefined) terminal.out(yaml.trimEnd())
  else await writeFile(out, yaml)
  if (why === undefined) return
  terminal.err(`It does not pass when it is played: ${why}`)
  process.exitCode = 1
}
