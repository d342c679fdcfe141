/**
 * `paysim/vitest`: a fresh sandbox for each test. A failing test prints the sandbox's requests with the reasons for their
 * responses. A test also fails if a behavior that it armed never acted and is not `optional`. `expect(sandbox).toPassAudit()`
 * asserts that the platform did nothing that would break in production. Under `paysim gauntlet`, each sandbox has the gauntlet's
 * trouble, and the gauntlet judges what happened.
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
  /** Where the simulator listens. The API key selects the sandbox. */
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
     * Fails if the platform did anything that would break in production, according to the audit rules, or if no request was
     * received. Warnings do not fail. Await it if the sandbox is in another process.
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

/** Fails with `not` too. */
const noVerdict = (verdict: Audit, isNot: boolean) => ({
  pass: isNot,
  message: () =>
    `${paysim.summaryText(verdict)}. Does the client use the url and the apiKey of this sandbox? toPassAudit({ idle: true }) accepts a sandbox without requests.`,
})

export interface TestSandboxOptions extends StartedSandbox<Fixture | string> {}

/** A running simulator, such as a container next to the tests. */
export interface Running {
  /** Where it serves, such as `http://localhost:4100`. */
  url: string
  /** The value of its `--admin-token`. */
  adminToken?: string | undefined
}

/**
 * Call it at the top of a file or a suite. It returns an object that forwards to the sandbox of the running test, which is
 * created with these options and removed after the test. With the `url` of a running simulator, the sandbox is created there, and
 * its methods return promises.
 */
export function useSandbox(options: TestSandboxOptions & Running): RemoteTestSandbox
export function useSandbox(options?: TestSandboxOptions): TestSandbox
export function useSandbox(
  options: TestSandboxOptions & Partial<Running> = {},
): TestSandbox | RemoteTestSandbox {
  const { url, adminToken, ...sandboxOptions } = options
  const run = paysim.runOfThisProcess()
  waitForTroubleOf(run)
  if (url === undefined) return forwardTo(async () => openOwn(await withFixture(sandboxOptions)), run)
  const running = (run && urlOfRun(sandboxOptions)) ?? { url, adminToken }
  return forwardTo(async () => openRunning(running, await withFixture(sandboxOptions)), run)
}

/** Vitest's default limit of five seconds is too short for a correct client that waits for a lost response. */
function waitForTroubleOf(run: RunFolder | undefined): void {
  const { patienceMs } = run?.settings() ?? {}
  if (patienceMs !== undefined) vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs })
}

/** The gauntlet's simulator instead of the running one, because the trouble is injected there. It has no production. */
function urlOfRun({ environment }: TestSandboxOptions): Running | undefined {
  const ofRun = environment === 'production' ? undefined : paysim.sandboxOfRun()
  return ofRun && { url: ofRun.url }
}

/** Reads the file on the machine of the test, even for a remote simulator. */
async function withFixture({ fixture, ...options }: TestSandboxOptions): Promise<StartedSandbox> {
  if (typeof fixture !== 'string') return { ...options, fixture }
  return { ...options, fixture: await paysim.readFixture(fixture) }
}

interface TestSimulator<Box> {
  url: string
  create(): Box | Promise<Box>
  remove(name: string): unknown
  /** The requests with an unknown API key, as text; undefined if they may be another test run's. */
  unknownKeys(): string | undefined
  close(): unknown
}

async function openOwn(options: StartedSandbox): Promise<TestSimulator<SandboxControl>> {
  const simulator = paysim.simulatorOfTests()
  const address = options.environment === 'production' ? simulator.production : simulator
  const { url } = await address.listen()
  // A request with an unknown API key is journaled in `default`, which no test uses.
  const fallback = address.sandbox('default')
  return {
    url,
    create() {
      fallback.clearRequests()
      return simulator.create(options)
    },
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
): Promise<TestSimulator<RemoteSandbox>> {
  const simulator = paysim.connect(url, { adminToken })
  return {
    url,
    create: () => simulator.create({ ...options, ttl: TTL }),
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

/** The names of the file, the suites and the test, as Vitest shows them. */
function labelOf(task: TestContext['task']): TestLabel {
  const names = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name)
  const test = [task.file.name, ...names].join(' > ')
  return { test, failed: task.result?.state === 'fail', attempt: task.result?.retryCount ?? 0 }
}

/**
 * In a gauntlet run, the end of a test waits for requests that continue after their client has left, because the money they move
 * counts for the test.
 */
const SETTLING: SettleOptions = { within: '3s', held: false }

const OTHER_VITEST = `This test does not run in the Vitest installed next to paysim. If the repository has two, set in the vitest.config of the tests: test: { server: { deps: { inline: ['paysim'] } } }`

function forwardTo<Kind extends Box>(
  open: () => Promise<TestSimulator<Kind>>,
  run: RunFolder | undefined,
): Kind & Addressed {
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
    if (running)
      throw new Error(
        'A sandbox serves one test at a time, so useSandbox does not work with test.concurrent.',
      )
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
      const report = [`Requests received by the sandbox of "${task.name}":`, await sandbox.journal()]
      const unknownKeys = home.unknownKeys()
      if (unknownKeys) report.push('Requests with an unknown API key:', unknownKeys)
      report.push(...unfired)
      console.error(report.join('\n\n'))
    }
    if (run) await sandbox.settle(SETTLING).catch(() => {})
    run?.label(sandbox.name, labelOf(task))
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
