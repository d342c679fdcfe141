/** Many sandboxes behind one address. */
import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  DEFAULT_SANDBOX,
  duration,
  readOptions,
  type SandboxConfig,
  type SandboxOptions,
  SIMULATOR_OPTIONS,
  type SimulatorOptions,
  sandboxConfig,
  sandboxName,
  usualOptions,
  WrongOption,
} from './config.ts'
import { notFound, sandboxExists, wrongState } from './contract/errors.ts'
import { createControl, type NewSandbox, type SandboxControl, type Sandboxes } from './control/control.ts'
import { requireFixture } from './control/fixture.ts'
import { Metrics } from './control/metrics.ts'
import { readSource } from './control/state.ts'
import type { JournalEntry } from './gate/journal.ts'
import type { PlatformRequest } from './gate/request.ts'
import { createApp } from './http/app.ts'
import { type Listening, listen } from './http/listen.ts'
import { createLog, type Log } from './log.ts'
import { type CarriedState, Sandbox, startOf } from './sandbox.ts'
import { readSetting } from './store/database.ts'
import { lockFolder } from './store/lock.ts'
import { Clock } from './world/clock.ts'
import { Random } from './world/random.ts'

const FILE_ENDING = '.sqlite'
const SNAPSHOTS = 'snapshots'

/** Two simulators share nothing. */
export interface Simulator extends Sandboxes {
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>
  /** Resolves once it is listening; port 0, the default, takes a free one. */
  listen(where?: { port?: number; host?: string }): Promise<{ url: string }>
  /** Finishes what is in flight, then lets everything go. */
  close(): Promise<void>
}

/** Synchronous, listens to nothing, and touches no file unless `data` names a folder. */
export const createSimulator = (options: SimulatorOptions = {}): Simulator =>
  composeSimulator(options).simulator

/** A simulator, and for its own tests the inside of each of its sandboxes. */
export function composeSimulator(options: SimulatorOptions) {
  const {
    adminToken,
    data,
    durability,
    publicUrl,
    trustProxy,
    log: logFormat,
    sandboxes: names,
  } = readOptions(SIMULATOR_OPTIONS, { ...options })
  const log = createLog(logFormat)
  const usual = usualOptions(options)
  const realTime = new Clock()
  const metrics = new Metrics()
  const sandboxes = new Map<string, { internals: Sandbox; control: SandboxControl }>()
  const byKey = new Map<string, Sandbox>()
  const unlock = data === undefined ? () => {} : openFolder(data)
  /** Whoever listens to what happens here stops when it is over. */
  const closing = new AbortController()
  let listening: Listening | undefined

  function add(name: string, config: SandboxConfig, from?: Buffer, carried?: CarriedState): SandboxControl {
    if (sandboxes.has(name)) throw sandboxExists(`There is a sandbox ${name} already`)
    const holder = byKey.get(config.apiKey)
    if (holder) throw sandboxExists(`The sandbox ${holder.name} has this API key already`)
    if (config.fixture !== undefined) requireFixture(config.fixture)
    const internals = new Sandbox(config, {
      name,
      file: data && join(data, `${name}${FILE_ENDING}`),
      snapshotFolder: data && join(data, SNAPSHOTS, name),
      durability,
      from,
      carried,
      publicUrl,
      log,
    })
    const control = createControl(internals)
    internals.journal.watch(metrics.count)
    if (logFormat !== 'silent') internals.journal.watch((entry) => logAnswer(log, name, entry))
    sandboxes.set(name, { internals, control })
    byKey.set(config.apiKey, internals)
    if (config.expiresAt !== undefined) realTime.at(config.expiresAt, () => forget(name, internals))
    return control
  }

  function create({ name = nextName(), from, ttl, ...own }: NewSandbox): SandboxControl {
    sandboxName(name)
    const source = from === undefined ? undefined : readSource(from, (named) => find(named).internals)
    const config = sandboxConfig(name, { ...usual, ...source?.options, ...said(own) })
    if (ttl !== undefined) config.expiresAt = realTime.now() + duration(ttl, 'ttl')
    return add(name, config, source?.bytes, {
      clock: own.clock === undefined ? undefined : startOf(config.clock),
      random: own.seed === undefined ? undefined : new Random(own.seed).state(),
    })
  }

  function nextName(): string {
    for (let number = sandboxes.size; ; number += 1) {
      if (!sandboxes.has(`sandbox-${number}`)) return `sandbox-${number}`
    }
  }

  function find(name: string) {
    const found = sandboxes.get(name)
    if (!found) throw notFound('Sandbox')
    return found
  }

  /** An end that comes later than a new sandbox of the same name is not that one's end. */
  function forget(name: string, internals: Sandbox): void {
    if (sandboxes.get(name)?.internals !== internals) return
    sandboxes.delete(name)
    byKey.delete(internals.config.apiKey)
    internals.scenarios.close()
    internals.destroy()
  }

  function letGo(): void {
    realTime.stop()
    for (const { internals } of sandboxes.values()) internals.close()
    unlock()
  }

  try {
    add(DEFAULT_SANDBOX, sandboxConfig(DEFAULT_SANDBOX, options))
    for (const name of names) add(name, sandboxConfig(name, usual))
    for (const [name, config] of data === undefined ? [] : keptSandboxes(data)) {
      if (!sandboxes.has(name)) add(name, config)
    }
  } catch (cause) {
    letGo()
    throw cause
  }
  const byDefault = find(DEFAULT_SANDBOX).internals

  const logBug = (cause: unknown) => log('error', 'a request failed', { cause })
  /** A key that nobody has is still counted and journaled somewhere: in the sandbox `default`. */
  const answer = (request: PlatformRequest) => (byKey.get(request.apiKey ?? '') ?? byDefault).answer(request)

  const app = createApp({
    trustProxy,
    answer,
    logBug,
    lazyRoutes: [
      {
        paths: ['/openapi.json'],
        async load() {
          const { openApiDocument } = await import('./http/openapi.ts')
          return { fetch: ({ url }) => Response.json(openApiDocument(publicUrl ?? new URL(url).origin)) }
        },
      },
      {
        paths: ['/', '/_sim/ui', '/_sim/ui/*'],
        async load() {
          const [{ dashboard }, { inspect }, { fetch }] = await Promise.all([
            import('./dashboard/routes.tsx'),
            import('./control/inspector.ts'),
            loadTestersSide(),
          ])
          const bug = (cause: unknown) => log('error', 'a page of the dashboard failed', { cause })
          const { signal } = closing
          return dashboard({
            sandboxes: simulator,
            inspect: (name) => inspect(find(name).internals),
            scenarios: new URL('../scenarios/', import.meta.url),
            adminToken,
            publicUrl,
            steer: fetch,
            closing: signal,
            bug,
          })
        },
      },
      { paths: ['/_sim', '/_sim/*'], load: loadTestersSide },
      {
        paths: ['/checkout/*', '/sandboxes/:sandbox/checkout/*', '/assets/*'],
        async load() {
          const { buyerPages } = await import('./buyer/routes.tsx')
          return buyerPages(findGateServices, (cause) => log('error', 'a checkout page failed', { cause }))
        },
      },
    ],
  })

  async function loadTestersSide() {
    const { testersSide } = await import('./control/http.ts')
    const bug = (cause: unknown) => log('error', "the tester's side failed", { cause })
    return testersSide({ sandboxes: simulator, adminToken, publicUrl, bug })
  }

  function findGateServices(name = DEFAULT_SANDBOX, origin: string) {
    const internals = sandboxes.get(name)?.internals
    internals?.addressedAt(origin)
    return internals?.gateServices
  }

  const simulator: Simulator = {
    fetch: async (request) => app.fetch(request, {}),

    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      listening ??= await listen(app, { port, host }, logBug)
      return { url: listening.url }
    },

    sandbox: (name, own = {}) => sandboxes.get(name)?.control ?? create({ ...own, name }),
    create: (own = {}) => create(own),
    sandboxes: () => [...sandboxes.values()].map(({ control }) => control),

    find: (name) => find(name).control,
    metrics: () => metrics.text([...sandboxes.values()].map(({ internals }) => internals)),

    remove(name) {
      const { internals } = find(name)
      if (internals === byDefault) throw wrongState(`Sandbox ${name}`, 'always there')
      forget(name, internals)
    },

    async close() {
      closing.abort()
      await Promise.all([...sandboxes.values()].map(({ internals }) => internals.finish()))
      await listening?.close()
      letGo()
    },
  }
  return { simulator, internalsOf: (name: string) => find(name).internals }
}

/** By the request's id a tester finds why it was answered as it was. */
function logAnswer(log: Log, sandbox: string, entry: JournalEntry): void {
  const { id, method, target, status, fault, behaviors, durationMs } = entry
  const fired = behaviors.filter(({ fired }) => fired).map(({ behavior }) => behavior)
  log('info', `${method} ${target} ${status ?? 'not answered'}`, {
    sandbox,
    request: id,
    ms: Math.round(durationMs * 10) / 10,
    ...(fired.length > 0 && { behaviors: fired }),
    ...(fault !== null && { fault }),
  })
}

/** An option that is undefined was not said. */
const said = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

function openFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch {
    throw new WrongOption('data', folder, 'a folder that can be made and written to')
  }
  return lockFolder(folder)
}

/** What an earlier process kept, with the settings it had; where its webhooks go stands in the database itself. */
const keptSandboxes = (folder: string): [string, SandboxConfig][] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(FILE_ENDING))
    .map((file) => {
      const config = readSetting(join(folder, file), 'config') as SandboxConfig
      return [file.slice(0, -FILE_ENDING.length), { ...config, webhook: undefined }]
    })
