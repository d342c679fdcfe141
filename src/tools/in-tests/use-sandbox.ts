/**
 * `paysim/vitest`: a fresh sandbox for each test. A failing test prints the sandbox's requests and why each was answered
 * as it was. A test fails also when a behavior that it armed never acted and is not `optional`.
 * `expect(sandbox).toPassAudit()` holds that the platform did nothing that would break in production.
 *
 * In tests that `paysim gauntlet` runs, each sandbox meets the gauntlet's trouble, and what it saw is left to the gauntlet.
 */
import { afterEach, beforeAll, beforeEach, expect, type TestContext, vi } from 'vitest'
import type { Fixture } from '../../spec/options/fixture.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import type { Audit } from '../../tester/audit/judge.ts'
import type { RemoteSandbox } from '../../tester/control/client.ts'
import type { SandboxControl, StartedSandbox } from '../../tester/control/control.ts'
import type { SettleOptions } from '../../tester/control/inputs.ts'
import type { UnfiredBehavior } from '../../tester/control/shapes.ts'
import type { TestLabel } from '../gauntlet/facts.ts'
import type { RunFolder } from '../gauntlet/run-folder.ts'
import * as paysim from './parts.ts'

interface Addressed {
  /** Where the simulator listens. The API key says which sandbox is meant. */
  readonly url: string
}

export type TestSandbox = SandboxControl & Addressed
export type RemoteTestSandbox = RemoteSandbox & Addressed

interface Judged {
  audit(asked?: AuditOptions): Audit | Promise<Audit>
}

export interface PassAuditOptions extends AuditOptions {
  /** Accept that no request was received. */
  idle?: boolean | undefined
}

declare module 'vitest' {
  interface Assertion<T> {
    /**
     * Fails with what the platform did that would break in production, by the audit rules, and if no request was received.
     * Warnings do not fail. Await it if the sandbox is in another process.
     */
    toPassAudit(
      options?: PassAuditOptions,
    ): T extends { audit(...args: never[]): Promise<unknown> } ? Promise<void> : void
  }
}

expect.extend({
  toPassAudit(sandbox: Judged, { idle = false, ...asked }: PassAuditOptions = {}) {
    const result = (verdict: Audit) =>
      paysim.hasNothingToJudge(verdict) && !idle ? noVerdict(verdict, this.isNot) : resultOf(verdict)
    const verdict = sandbox.audit(asked)
    return verdict instanceof Promise ? verdict.then(result) : result(verdict)
  },
})

const resultOf = (verdict: Audit) => ({
  pass: verdict.errors === 0,
  message: () =>
    verdict.errors === 0
      ? 'No audit rule found an error.'
      : [...paysim.wrongTexts(verdict), paysim.summaryText(verdict)].join('\n\n'),
})

/** Fails with `not` as well. */
const noVerdict = (verdict: Audit, isNot: boolean) => ({
  pass: isNot,
  message: () =>
    `${paysim.summaryText(verdict)}. Does the client use the url and the apiKey of this sandbox? toPassAudit({ idle: true }) accepts a sandbox without requests.`,
})

export interface TestSandboxOptions extends StartedSandbox<Fixture | string> {}

/** A running simulator, such as a container beside the tests. */
export interface Running {
  /** Where it serves, such as `http://localhost:4100`. */
  url: string
  /** What it was given as `--admin-token`. */
  adminToken?: string | undefined
}

/**
 * Call it at the top of a file or a suite. It returns an object that forwards to the sandbox of the running test, which is
 * created with these options and removed after the test. With the `url` of a running simulator, the sandbox is created
 * there, and its methods return promises.
 */
export function useSandbox(options: TestSandboxOptions & Running): RemoteTestSandbox
export function useSandbox(options?: TestSandboxOptions): TestSandbox
export function useSandbox(
  options: TestSandboxOptions & Partial<Running> = {},
): TestSandbox | RemoteTestSandbox {
  const { url, adminToken, ...own } = options
  const run = paysim.runOfThisProcess()
  waitForTroubleOf(run)
  if (url === undefined) return forwardTo(async () => openOwn(await withFixture(own)))
  const running = (run && urlOfRun(own)) ?? { url, adminToken }
  return forwardTo(async () => openRunning(running, await withFixture(own), run))
}

/** Vitest gives a test five seconds, in which a client that does all right has not waited for a lost answer. */
function waitForTroubleOf(run: RunFolder | undefined): void {
  const { patienceMs } = run?.settings() ?? {}
  if (patienceMs !== undefined) vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs })
}

/** The gauntlet's simulator in place of the one that runs, as its trouble is made there. It has no production. */
function urlOfRun({ environment }: TestSandboxOptions): Running | undefined {
  const ofRun = environment === 'production' ? undefined : paysim.sandboxOfRun()
  return ofRun && { url: ofRun.url }
}

/** The file is read where the test runs, also for a simulator elsewhere. */
async function withFixture({ fixture, ...options }: TestSandboxOptions): Promise<StartedSandbox> {
  if (typeof fixture !== 'string') return { ...options, fixture }
  return { ...options, fixture: await paysim.readFixture(fixture) }
}

/** The simulator in which the sandboxes are created. */
interface TestSimulator<Box> {
  url: string
  create(): Box | Promise<Box>
  /** A run of the gauntlet learns of which test it was. */
  label(name: string, label: TestLabel): void
  remove(name: string): unknown
  /** The requests with a key that no sandbox has, as text; undefined where they may be another test run's. */
  unknownKeys(): string | undefined
  close(): unknown
}

async function openOwn(options: StartedSandbox): Promise<TestSimulator<SandboxControl>> {
  const { simulator, part } = paysim.simulatorOfTests()
  const address = options.environment === 'production' ? simulator.production : simulator
  const { url } = await address.listen()
  // A request whose key no sandbox has is journaled in `default`, which no test uses.
  const fallback = address.sandbox('default')
  return {
    url,
    create() {
      fallback.clearRequests()
      return simulator.create(options)
    },
    label: (name, label) => part?.label(name, label),
    remove: (name) => simulator.remove(name),
    unknownKeys: () => (fallback.requests().length === 0 ? undefined : fallback.journal()),
    close: () => simulator.close(),
  }
}

/** After this time a sandbox is removed even if the test run was killed. */
const TTL = '1h'

async function openRunning(
  { url, adminToken }: Running,
  options: StartedSandbox,
  run: RunFolder | undefined,
): Promise<TestSimulator<RemoteSandbox>> {
  const simulator = paysim.connect(url, { adminToken })
  return {
    url,
    create: () => simulator.create({ ...options, ttl: TTL }),
    label: (name, label) => run?.label(name, label),
    remove: (name) => simulator.remove(name),
    unknownKeys: () => undefined,
    close: () => {},
  }
}

interface Box {
  readonly name: string
  unfired(): UnfiredBehavior[] | Promise<UnfiredBehavior[]>
  journal(): string | Promise<string>
  settle(options: SettleOptions): Promise<unknown>
}

/** The file and its names, as Vitest shows them. */
function labelOf(task: Task): TestLabel {
  const names = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name)
  const test = [task.file.name, ...names].join(' > ')
  return { test, failed: task.result?.state === 'fail', attempt: task.result?.retryCount ?? 0 }
}

type Task = TestContext['task']

/**
 * In a run of the gauntlet the end of a test waits for requests that go on after their client has left: their money counts for
 * the test.
 */
const SETTLING: SettleOptions = { within: '3s', held: false }

const OTHER_VITEST = `This file does not run in the Vitest that is installed next to paysim. If a repository has two, use the one of the tests, in their vitest.config: test: { server: { deps: { inline: ['paysim'] } } }`

function forwardTo<Kind extends Box>(open: () => Promise<TestSimulator<Kind>>): Kind & Addressed {
  const isInRun = paysim.runOfThisProcess() !== undefined
  let home: TestSimulator<Kind>
  let running: string | undefined
  let current: Kind | undefined

  const opening = async () => {
    home = await open()
    return () => home.close()
  }
  try {
    beforeAll(opening)
  } catch (cause) {
    throw new Error(OTHER_VITEST, { cause })
  }

  beforeEach(async ({ task }) => {
    if (running) throw new Error('One sandbox serves one test at a time, so not those of test.concurrent.')
    running = task.id
    current = await home.create()
  })

  afterEach(async ({ task }) => {
    if (running !== task.id) return
    const sandbox = current
    running = undefined
    current = undefined
    if (!sandbox) return
    const unfired = (await sandbox.unfired()).map(paysim.sentenceOfUnfired)
    if (task.result?.state === 'fail') {
      const report = [`What the sandbox of "${task.name}" saw:`, await sandbox.journal()]
      const unknownKeys = home.unknownKeys()
      if (unknownKeys) report.push('What came with an API key that no sandbox has:', unknownKeys)
      report.push(...unfired)
      console.error(report.join('\n\n'))
    }
    if (isInRun) await sandbox.settle(SETTLING).catch(() => {})
    home.label(sandbox.name, labelOf(task))
    await home.remove(sandbox.name)
    if (task.result?.state !== 'fail' && unfired.length > 0) throw new Error(unfired.join('\n'))
  })

  const opened = (): Kind & Addressed => {
    if (!current) throw new Error('The sandbox exists only while a test runs.')
    return Object.assign(Object.create(current), { url: home.url })
  }
  return new Proxy({} as Kind & Addressed, {
    get: (_, name) => Reflect.get(opened(), name),
    has: (_, name) => Reflect.has(opened(), name),
  })
}
