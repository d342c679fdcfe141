/** `paysim record`: writes requests to a running paysim as a scenario file, and plays it before it is handed over. */
import { writeFile } from 'node:fs/promises'
import { recordSession } from '../control/record.ts'
import { connect } from '../control-client.ts'
import { DEFAULT_SANDBOX } from '../options/sandbox.ts'
import { Secrets } from '../player/secrets.ts'
import { playFile } from '../player/session.ts'
import { parseScenario } from '../scenario-file/read.ts'
import { createSimulator } from '../simulator.ts'
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
  const shop = await connect(target, { adminToken }).find(sandbox)
  const choice = { chosen: requests, name, minimal }
  const { recorded, added, leftOut, ...recording } = await recordSession(shop, choice)
  for (const id of added) terminal.err(`${id} is added, as other requests depend on it`)
  for (const { id, why } of leftOut) terminal.err(`${id} is left out: it ${why}`)
  if (!recorded) {
    const none = leftOut.length > 0 ? 'No request is left' : `No request came to the sandbox ${sandbox}`
    throw new Error(`${none}, so there is nothing to record.`)
  }
  let { yaml } = minimal ? await recordSession(shop, { ...choice, wholeSeconds: true }) : recording
  let why = await whyNotPassed(yaml)
  if (why !== undefined && minimal) {
    // A second more may be what a key or a refund was waiting for.
    yaml = recording.yaml
    why = await whyNotPassed(yaml)
  }
  if (out === undefined) terminal.out(yaml.trimEnd())
  else await writeFile(out, yaml)
  if (why === undefined) return
  terminal.err(`It does not pass when it is played: ${why}`)
  process.exitCode = 1
}

/** Plays it in a simulator of its own; undefined where it passes. */
async function whyNotPassed(yaml: string): Promise<string | undefined> {
  const simulator = createSimulator({ log: 'silent' })
  try {
    const { url } = await simulator.listen()
    const { outcome, reason, steps } = await playFile(
      'recorded.yaml',
      parseScenario(yaml),
      { base: new URL(url), apiKey: undefined, adminToken: undefined },
      {
        env: {},
        secrets: new Secrets(),
        keepGoing: false,
        patience: { within: 0, every: 0 },
        onStep() {},
      },
    )
    if (outcome !== 'failed') return undefined
    const [first] = steps.find((step) => step.outcome === 'failed')?.differences ?? []
    return first
      ? `${reason}: ${first.path} is expected to be ${first.expected}, and is ${first.received}`
      : reason
  } finally {
    await simulator.close()
  }
}
