/** Runs the command once with its own simulator, and collects the facts of all sandboxes. */
import { closeSync, openSync } from 'node:fs'
import { tookText } from '../../spec/contract/duration.ts'
import { byDelayOption } from '../../spec/contract/resources/timed.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { composeSimulator } from '../compose.ts'
import type { Resolved } from '../options/commands.ts'
import { type ChildResult, type ChildSetup, runChild } from './child.ts'
import { CrashingApp } from './crashing-app.ts'
import { errorLine, outputIn } from './error-line.ts'
import { type SandboxFacts, STILL_OPEN } from './facts.ts'
import { appOutputFile } from './output-folder.ts'
import { asTrouble, partInRun } from './part.ts'
import { type Live, RUN_VARIABLE, RunFolder, type RunSettings } from './run-folder.ts'
import { lastAttempts } from './together.ts'
import { plus } from './watched-sandbox.ts'
import { freePorts, hasPort, sharedBy } from './webhook-address.ts'

/** The exit code that a shell gives for a command that was ended by Ctrl-C. */
export const INTERRUPTED = 130
/** The exit code for tests of which nothing can be said. */
export const NOT_STARTED = 2

export interface SuiteSetup
  extends Pick<Resolved<'exec'>, 'command' | 'webhook' | 'audit'>,
    Partial<Pick<Resolved<'gauntlet'>, 'app' | 'ready'>> {
  env: Readonly<Record<string, string | undefined>>
  stopped: AbortSignal
}

interface Round
  extends Pick<ChildSetup, 'outputFile' | 'onTick'>,
    Pick<RunSettings, 'behaviors' | 'profile' | 'patienceMs'> {
  /** The trouble, or `calm`. */
  name: string
  /** The folder in which the simulators leave their facts; it must not exist yet. */
  folder: string
  /** How long the run may take, by how often each behavior has acted so far. */
  limitMs: (fired: readonly number[]) => number
}

export interface Ran {
  child: ChildResult
  /** The line in which a command that failed printed why; undefined if its output is shown in the terminal. */
  said?: string | undefined
  /** The facts of the sandbox that the command was given, and of those that its tests made. */
  facts: readonly SandboxFacts[]
  /** How many sandboxes ended with their process, so that nothing is known of them. */
  lost: number
  /** The request that was waiting when the run was ended, in a sentence. */
  waiting?: string | undefined
  /** The address with a fixed port at which the tests receive webhooks: the runs would share it. */
  sharedReceiver: string | undefined
}

/** Short, so that tests need not wait for refunds. */
const DELAYS = byDelayOption(() => '200ms' as const)
/** How long to wait for requests still in flight when the command ends: their money belongs to the run. */
const SETTLE_WITHIN = '5s'

/** Runs the command once. `ports` are for the receivers of runs at the same time. */
export async function runSuite(
  { command, env, stopped, ...setup }: SuiteSetup,
  round: Round,
  ports = freePorts(),
): Promise<Ran> {
  const { ignore: ignoredRules } = setup.audit
  const { app, ready } = setup
  const { name, profile, limitMs, onTick, outputFile, patienceMs } = round
  const behaviors = asTrouble(name, round.behaviors)
  const folder = RunFolder.make(round.folder, { behaviors, profile, ignoredRules, patienceMs })
  const { url: template } = setup.webhook
  const port = hasPort(template) ? String((await ports.next()).value) : new URL(template).port
  const webhookUrl = template.replaceAll('{port}', port)
  const crashing = new CrashingApp()
  const part = partInRun(folder, false, app === undefined ? undefined : crashing)
  const { simulator } = composeSimulator({}, { attendant: part })
  const appOutput = app && outputFile ? openSync(appOutputFile(outputFile), 'w') : undefined
  try {
    const { url } = await simulator.listen()
    // A tester's verb that names no sandbox, such as POST /_sim/reset, means this one.
    const shop = simulator.find(DEFAULT_SANDBOX)
    shop.configure({ rateLimit: 'off', ...DELAYS, audit: { ignore: ignoredRules } })
    shop.webhook.put({ url: webhookUrl })
    const variables = {
      ...env,
      ...pastProxies(env),
      PAYSIM_URL: url,
      PAYSIM_API_KEY: shop.apiKey,
      PAYSIM_WEBHOOK_SECRET: shop.signingSecret,
      PAYSIM_WEBHOOK_URL: webhookUrl,
      PAYSIM_WEBHOOK_PORT: port,
      PAYSIM_TROUBLE: name,
      PAYSIM_APP_FOLDER: folder.appFolder(),
    }
    if (app !== undefined) {
      await crashing.start({
        ...{ option: '--app', command: app, env: variables, mustAnswer: ready !== undefined },
        url: new URL((ready ?? webhookUrl).replaceAll('{port}', port)),
        output: appOutput,
      })
    }
    let waiting: string | undefined
    const child = await runChild({
      ...{ command, outputFile, onTick, stopped },
      limitMs: () =>
        limitMs(folder.live().reduce<readonly number[]>((sum, { fired }) => plus(fired, sum), [])),
      onStart: (tests) => crashing.crashUnder(tests),
      onLimit: () => {
        waiting = waitingText(folder.live())
      },
      env: {
        ...variables,
        // Otherwise the test runner would write a summary of each of fifty runs there.
        ...(outputFile !== undefined && { GITHUB_STEP_SUMMARY: '' }),
        [RUN_VARIABLE]: folder.path,
      },
    })
    await crashing.ready()
    child.failure = crashing.failure ?? child.failure
    // Errors are ignored: retries of webhooks whose receiver has ended may keep a sandbox from settling, and
    // only the requests matter here.
    const settled = part.controls().map((shop) => shop.settle({ within: SETTLE_WITHIN }).catch(() => {}))
    if (!stopped.aborted) await Promise.all(settled)
    await crashing.kill()
    part.end(child.wasCutOff ? { ...ignoredRules, ...STILL_OPEN } : ignoredRules)
    const { facts, lost } = folder.facts()
    return {
      child: child.wasCutOff ? { ...child, failure: cutOffText(child.failure!, waiting) } : child,
      said: child.failure === undefined || child.wasCutOff ? undefined : errorLine(outputIn(outputFile)),
      facts: lastAttempts(facts).map((last) => (profile ? { ...last, fired: [last.requests] } : last)),
      ...{ lost, waiting },
      sharedReceiver: sharedBy(
        facts.map(({ seen }) => seen.receiver),
        port,
      ),
    }
  } finally {
    await crashing.kill()
    if (appOutput !== undefined) closeSync(appOutput)
    await simulator.close()
    folder.remove()
  }
}

/** A proxy that the environment names does not reach this machine. Programs read one of the two spellings. */
function pastProxies({ no_proxy, NO_PROXY = no_proxy }: SuiteSetup['env']) {
  const names = NO_PROXY === '*' ? '*' : [...(NO_PROXY ? [NO_PROXY] : []), '127.0.0.1', 'localhost'].join(',')
  return { NO_PROXY: names, no_proxy: names }
}

/** The request that waited longest. */
function waitingText(sandboxes: readonly Live[]): string | undefined {
  const requests = sandboxes.flatMap(({ waiting }) => waiting ?? [])
  const [longest] = requests.sort((a, b) => a.since - b.since)
  return longest && `${longest.request} waited ${tookText(wallClock() - longest.since)} without a timeout`
}

const cutOffText = (failure: string, waiting: string | undefined): string =>
  waiting === undefined ? `${failure} (--timeout lets it take longer)` : `${failure}: ${waiting}`
