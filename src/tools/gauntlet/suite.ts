/**
 * Runs the command once with a simulator of its own, and collects the facts of the simulator's sandboxes and
 * of those in the tests.
 */
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { counted } from '../../spec/contract/counted.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { composeSimulator } from '../compose.ts'
import type { Resolved } from '../options/commands.ts'
import { type ChildResult, runChild } from './child.ts'
import { STILL_OPEN, type TellingFacts, type WrittenFacts } from './facts.ts'
import { asTrouble, PartOfRun } from './part.ts'
import { RUN_VARIABLE, RunFolder } from './run-of-this-process.ts'
import { outputIn, tellingLine } from './telling-line.ts'
import { lastAttempts } from './together.ts'
import { sharedBy, webhookAddress } from './webhook-address.ts'

/** The exit code that a shell gives for a command that was ended by Ctrl-C. */
export const INTERRUPTED = 130
/** The exit code for tests of which nothing can be said. */
export const NOT_STARTED = 2

export interface SuiteSetup extends Pick<Resolved<'exec'>, 'command' | 'webhook' | 'conduct'> {
  env: Readonly<Record<string, string | undefined>>
  stopped: AbortSignal
}

export interface Round {
  /** The trouble, or `calm`. */
  name: string
  behaviors: readonly Armable[]
  /** The folder in which the processes of the tests leave their facts; it must not exist yet. */
  folder: string
  /** Where the command's output goes; left out, it is shown in the terminal. */
  outputFile?: string
  /** How long the run may take, by how often each behavior has acted so far. */
  limitMs: (fired: readonly number[]) => number
  /** How long one test may take. */
  patienceMs?: number
}

export interface Ran {
  child: ChildResult
  /** The line in which a command that failed said why; undefined where its output is shown in the terminal. */
  said?: string | undefined
  /** The facts of the sandbox that the command was given, and of those that its tests made in the same simulator. */
  ours: readonly TellingFacts[]
  /** The facts of sandboxes in the processes of the tests. */
  theirs: readonly TellingFacts[]
  /** How many of the latter ended with their process, so that nothing is known of them. */
  lost: number
  /** The address with a fixed port at which the tests receive webhooks: the runs would share it. */
  sharedReceiver: string | undefined
  /** Call it when everything is read: it ends the simulator with its sandboxes. */
  close(): Promise<void>
}

/** Short, so that tests need not wait for refunds. */
const REFUND_DELAY = '200ms'
/** How long to wait for requests that are still under way when the command ends: their money belongs to the run. */
const SETTLE_WITHIN = '5s'

export async function runSuite(setup: SuiteSetup, round: Round): Promise<Ran> {
  const { command, env, stopped } = setup
  const { ignore: ignoredRules } = setup.conduct
  const { name, limitMs, outputFile, patienceMs } = round
  const behaviors = asTrouble(name, round.behaviors)
  const folder = RunFolder.make(round.folder, { behaviors, ignoredRules, patienceMs })
  const webhook = await webhookAddress(setup.webhook.url)
  const part = new PartOfRun({ behaviors, ignoredRules })
  const { simulator } = composeSimulator({}, { attendant: part })
  try {
    const { url } = await simulator.listen()
    // A tester's verb that names no sandbox, such as POST /_sim/reset, means this one.
    const shop = simulator.find(DEFAULT_SANDBOX)
    shop.configure({ rateLimit: 'off', refundDelay: REFUND_DELAY, conduct: { ignore: ignoredRules } })
    shop.webhook.put({ url: webhook.url })
    let unanswered = 0
    const child = await runChild({
      command,
      ...(outputFile !== undefined && { outputFile }),
      limitMs: () => limitMs(part.fired()),
      onLimit: () => {
        unanswered = part.facts().reduce((sum, one) => sum + one.unanswered, 0)
      },
      stopped,
      env: {
        ...env,
        ...pastProxies(env),
        PAYSIM_URL: url,
        PAYSIM_API_KEY: shop.apiKey,
        PAYSIM_WEBHOOK_SECRET: shop.signingSecret,
        PAYSIM_WEBHOOK_URL: webhook.url,
        PAYSIM_WEBHOOK_PORT: webhook.port,
        PAYSIM_TROUBLE: name,
        // Otherwise the test runner would write a summary of each of fifty runs there.
        ...(outputFile !== undefined && { GITHUB_STEP_SUMMARY: '' }),
        [RUN_VARIABLE]: folder.path,
      },
    })
    // Errors are ignored: retries of webhooks whose receiver has ended may keep a sandbox from settling, and
    // only the requests matter here.
    const settled = part.controls().map((one) => one.settle({ within: SETTLE_WITHIN }).catch(() => {}))
    if (!stopped.aborted) await Promise.all(settled)
    const ours = part
      .facts(child.wasCutOff ? { ...ignoredRules, ...STILL_OPEN } : ignoredRules)
      .map((one) => ({ ...one, label: folder.labelOf(one.sandbox) ?? null }))
    const { facts: written, lost } = folder.left<WrittenFacts[]>()
    const receivers = [...ours, ...written.flat()].map(({ seen }) => seen.receiver)
    return {
      child: child.wasCutOff ? { ...child, failure: cutOffText(child.failure!, unanswered) } : child,
      said: child.failure === undefined ? undefined : tellingLine(outputIn(outputFile)),
      ours: lastAttempts(ours),
      theirs: lastAttempts(written.flat().map((one) => ({ ...one, details: () => one.details }))),
      lost,
      sharedReceiver: sharedBy(receivers, webhook.port),
      close() {
        part.over()
        return simulator.close()
      },
    }
  } catch (cause) {
    await simulator.close()
    throw cause
  } finally {
    webhook.release()
    folder.remove()
  }
}

/** A proxy that the environment names does not reach this machine. Programs read one of the two spellings. */
function pastProxies({ no_proxy, NO_PROXY = no_proxy }: SuiteSetup['env']) {
  const names = NO_PROXY === '*' ? '*' : [...(NO_PROXY ? [NO_PROXY] : []), '127.0.0.1', 'localhost'].join(',')
  return { NO_PROXY: names, no_proxy: names }
}

function cutOffText(failure: string, unanswered: number): string {
  const after = unanswered === 0 ? '' : `, after ${counted(unanswered, 'request')} without an answer`
  return `${failure}${after} (--limit lets it take longer)`
}
