/** `paysim record`: writes requests to a running paysim as a scenario file. */
import { writeFile } from 'node:fs/promises'
import { recordSession } from '../control/record.ts'
import { connect } from '../control-client.ts'
import { DEFAULT_SANDBOX } from '../options/sandbox.ts'
import { terminal } from './terminal.ts'

export interface RecordOptions {
  /** The requests to record, such as req_3; empty for all of them. */
  requests: readonly string[]
  target: string
  sandbox?: string | undefined
  adminToken?: string | undefined
  name?: string | undefined
  out?: string | undefined
}

export async function record(options: RecordOptions): Promise<void> {
  const { requests, target, sandbox = DEFAULT_SANDBOX, adminToken, name, out } = options
  const shop = await connect(target, { adminToken }).find(sandbox)
  const { yaml, added, leftOut } = await recordSession(shop, requests, name)
  for (const id of added) terminal.err(`${id} is added, as other requests depend on it`)
  for (const { id, why } of leftOut) terminal.err(`${id} is left out: it ${why}`)
  if (out === undefined) terminal.out(yaml.trimEnd())
  else await writeFile(out, yaml)
}
