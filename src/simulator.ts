/** Many sandboxes behind one address: their registry, what is served of them, and the simulator's start and end. */
import type { Sandboxes } from './control/control.ts'
import type { JournalEntry } from './gate/journal.ts'
import { KeptMemory } from './gate/kept-memory.ts'
import { createApp, type LazyRoute } from './http/app.ts'
import { type Certificate, certificateFor } from './http/certificate.ts'
import { type Listening, listen } from './http/listen.ts'
import { createLog, type Log } from './log.ts'
import { readOptions, refuseUnknown } from './options/read.ts'
import { DEFAULT_SANDBOX, SANDBOX_OPTIONS, sandboxConfig, sharedOptions } from './options/sandbox.ts'
import {
  LISTEN_OPTIONS,
  type ListenOptions,
  ListenSettings,
  SIMULATOR_OPTIONS,
  type SimulatorOptions,
  SimulatorSettings,
} from './options/simulator.ts'
import { SandboxRegistry } from './sandbox-registry.ts'
import { wallClock } from './world/clock.ts'

/** Two simulators share nothing. */
export interface Simulator extends Sandboxes {
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>
  /** Resolves once it is listening; port 0, the default, takes a free one. */
  listen(where?: ListenOptions): Promise<{ url: string; fingerprint?: string }>
  /** Answers the requests in flight, then closes the socket and the databases. */
  close(): Promise<void>
}

/** Synchronous, listens to nothing, and touches no file unless `data` names a folder. */
export const createSimulator = (options: SimulatorOptions = {}): Simulator =>
  composeSimulator(options).simulator

/** A simulator, and for its own tests the internals of each of its sandboxes. */
export function composeSimulator(options: SimulatorOptions) {
  refuseUnknown(options, Object.keys({ ...SANDBOX_OPTIONS, ...SIMULATOR_OPTIONS }))
  const {
    adminToken,
    data,
    durability,
    publicUrl,
    trustProxy,
    log: logFormat,
    memory: memoryMegabytes,
    sandboxes: names,
  } = readOptions(SimulatorSettings, options)
  const log = createLog(logFormat)
  /** Reading the body of a client that has left fails, which is not a bug: its request's signal is aborted. */
  const logBug = (message: string) => (cause: unknown, client?: AbortSignal) => {
    if (!client?.aborted) log('error', message, { cause })
  }

  const memory = new KeptMemory(memoryMegabytes * 1024 ** 2, () =>
    log(
      'warn',
      `The ${memoryMegabytes} MB for requests and snapshots are full: from now on the oldest are forgotten. --memory MB changes it.`,
    ),
  )
  let listening: Listening | undefined
  let certificate: Certificate | undefined
  const registry = new SandboxRegistry(
    {
      data,
      durability,
      publicUrl,
      address: () => listening?.url,
      memory,
      log,
      defaults: sharedOptions(options),
      onAnswer: logFormat === 'silent' ? undefined : (sandbox, entry) => logAnswer(log, sandbox, entry),
    },
    sandboxConfig(DEFAULT_SANDBOX, options),
    names,
  )
  /** Ends the event streams of open dashboards. */
  const closing = new AbortController()

  const simulator: Simulator = {
    fetch: async (request) => app.fetch(request, {}),

    async listen(where = {}) {
      refuseUnknown(where, Object.keys(LISTEN_OPTIONS))
      const { port, host, ...tls } = readOptions(ListenSettings, { port: 0, ...where })
      const hosts = [host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])]
      certificate ??= await certificateFor(tls, hosts, wallClock())
      listening ??= await listen(app, { port, host, certificate }, logBug('a request failed'))
      return { url: listening.url, ...(certificate && { fingerprint: certificate.fingerprint }) }
    },

    sandbox: (name, options) => registry.sandbox(name, options),
    create: (options) => registry.create(options),
    sandboxes: () => registry.sandboxes(),
    find: (name) => registry.find(name),
    remove: (name) => registry.remove(name),
    metrics: () => registry.metrics(),

    async close() {
      closing.abort()
      const answered = registry.finish()
      await (listening?.close(answered) ?? answered)
      await registry.end()
    },
  }

  const openApi: LazyRoute = {
    paths: ['/openapi.json'],
    async load() {
      const { openApiDocument } = await import('./http/openapi.ts')
      return { fetch: ({ url }) => Response.json(openApiDocument(publicUrl ?? new URL(url).origin)) }
    },
  }

  const testersSide: LazyRoute = {
    paths: ['/_sim', '/_sim/*'],
    async load() {
      const { testersSide } = await import('./control/http.ts')
      const bug = logBug("the tester's side failed")
      return testersSide({ sandboxes: simulator, adminToken, publicUrl, bug })
    },
  }

  const mcp: LazyRoute = {
    paths: ['/_sim/mcp'],
    async load() {
      const [{ mcpSide }, { fetch }] = await Promise.all([import('./mcp/http.ts'), testersSide.load()])
      const guard = { adminToken, publicUrl }
      return mcpSide({ guard, root: new URL('../', import.meta.url), testersSide: fetch })
    },
  }

  const dashboard: LazyRoute = {
    paths: ['/', '/_sim/ui', '/_sim/ui/*'],
    async load() {
      const [{ dashboard }, { fetch }] = await Promise.all([
        import('./dashboard/routes.tsx'),
        testersSide.load(),
      ])
      return dashboard({
        sandboxes: simulator,
        scenarios: new URL('../scenarios/', import.meta.url),
        adminToken,
        publicUrl,
        testersSide: fetch,
        closing: closing.signal,
        bug: logBug('a page of the dashboard failed'),
      })
    },
  }

  const buyerPages: LazyRoute = {
    paths: ['/checkout/*', '/sandboxes/:sandbox/checkout/*', '/assets/*'],
    async load() {
      const { buyerPages } = await import('./buyer/routes.tsx')
      return buyerPages(findGateServices, logBug('a checkout page failed'))
    },
  }

  function findGateServices(name = DEFAULT_SANDBOX) {
    if (!registry.has(name)) return undefined
    return registry.internalsOf(name).gateServices
  }

  const app = createApp({
    trustProxy,
    // A request with an unknown key is counted and journaled too: in the sandbox `default`.
    answer: (request) => (registry.withKey(request.apiKey) ?? registry.default).answer(request),
    lazyRoutes: [openApi, mcp, dashboard, testersSide, buyerPages],
    logBug: logBug('a request failed'),
  })

  return { simulator, internalsOf: (name: string) => registry.internalsOf(name) }
}

/** With the request's id, by which a tester finds in the journal why it was answered like this. */
function logAnswer(log: Log, sandbox: string, entry: JournalEntry): void {
  const { id, method, target, status, fault, clientLeftWhen, behaviors, durationMs } = entry
  const fired = behaviors.filter(({ fired }) => fired).map(({ behavior }) => behavior)
  log('info', `${method} ${target} ${status ?? 'not answered'}`, {
    sandbox,
    request: id,
    ms: Math.round(durationMs * 10) / 10,
    ...(fired.length > 0 && { behaviors: fired }),
    ...(fault !== null && { fault }),
    ...(clientLeftWhen !== null && { clientLeft: clientLeftWhen }),
  })
}
