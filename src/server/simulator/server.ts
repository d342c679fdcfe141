import { setMaxListeners } from 'node:events'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { MemoryBound } from '../../service/door/journal.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import { createLog, type Log } from '../../spec/log.ts'
import { readOptions, refuseUnknown } from '../../spec/options/read.ts'
import { SANDBOX_OPTIONS, sharedOptions } from '../../spec/options/sandbox.ts'
import {
  LISTEN_OPTIONS,
  type ListenOptions,
  ListenSettings,
  SIMULATOR_OPTIONS,
  type SimulatorOptions,
  SimulatorSettings,
} from '../../spec/options/simulator.ts'
import { shownTarget } from '../../spec/secrets.ts'
import { wallClock } from '../../spec/world/clock.ts'
import type { Sandboxes } from '../../tester/control/control.ts'
import { tokenGuesses } from '../../tester/control/token-guesses.ts'
import { createApp } from '../http/app.ts'
import { type Certificate, certificateFor } from '../http/certificate.ts'
import { type Listening, listen } from '../http/listen.ts'
import { lazyRoutes } from './lazy-routes.ts'
import type { Attendant } from './registered.ts'
import { SandboxRegistry } from './registry.ts'

/** One environment at its address. */
export interface ServedAddress {
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>
  /** Resolves once it is listening; port 0, the default, takes a free one. */
  listen(where?: ListenOptions): Promise<{ url: string; fingerprint?: string }>
}

/** Settings from code, besides the options. */
export interface ServerParts {
  /** How many databases may be open. */
  openDatabases?: number | undefined
  /** The port's flag, for the error about a port in use. */
  portFlag?: string
  attendant?: Attendant | undefined
  /** See {@link Where} of http/listen.ts. */
  ownsProcess?: boolean
}

/**
 * Staging at one address, and production at another. The tester's API is loaded at its first request, because platforms do not
 * need it.
 */
export function buildServer(
  options: SimulatorOptions,
  { openDatabases, portFlag, attendant, ownsProcess = false }: ServerParts = {},
) {
  refuseUnknown(options, Object.keys({ ...SANDBOX_OPTIONS, ...SIMULATOR_OPTIONS }))
  const {
    adminToken,
    data,
    durability,
    publicUrl,
    production: hasProduction,
    productionPublicUrl,
    productionSandbox,
    log: logFormat = 'silent',
    memory: memoryMegabytes,
    sandboxes: names,
  } = readOptions(SimulatorSettings, options)
  const log = createLog(logFormat)
  /** Not logged for a client that has left: reading its body fails, and its request's signal is aborted. */
  const logBug = (message: string) => (cause: unknown, client?: AbortSignal) => {
    if (!client?.aborted) log('error', message, { cause })
  }

  const memory = new MemoryBound(memoryMegabytes * 1024 ** 2, () =>
    log(
      'warn',
      `The ${memoryMegabytes} MB for requests and snapshots are full: the oldest are now dropped. Change the limit with --memory MB.`,
    ),
  )
  const publicUrls = { staging: publicUrl, production: productionPublicUrl }
  const listening: Partial<Record<Environment, Listening>> = {}
  /** One certificate for both addresses. */
  let certificate: Promise<Certificate | undefined> | undefined
  const defaults = sharedOptions(options)
  const registry = new SandboxRegistry(
    {
      data,
      durability,
      openDatabases,
      publicUrl: publicUrls,
      address: (environment) => listening[environment]?.url,
      memory,
      log,
      defaults,
      ofDefault: {
        // The simulator options that a sandbox also has.
        staging: Object.fromEntries(Object.entries(options).filter(([name]) => name in SANDBOX_OPTIONS)),
        production: { ...defaults, ...productionSandbox },
      },
      production: hasProduction,
      onAnswer: logFormat === 'silent' ? undefined : (sandbox, entry) => logAnswer(log, sandbox, entry),
      attendant,
    },
    names,
  )
  /** Counts wrong tokens at both addresses together. */
  const guesses = tokenGuesses({ trustProxy: defaults.trustProxy })
  /** Ends the event streams of open dashboards. */
  const closing = new AbortController()
  // Every open page listens to it, and Node warns about more than ten listeners.
  setMaxListeners(0, closing.signal)

  /** Production's address is created at its first use. */
  const addresses: Partial<Record<Environment, ServedAddress>> = {}
  const at = (environment: Environment) => (addresses[environment] ??= addressOf(environment))

  return {
    at,
    registry,
    internalsOf: (name: string) => registry.internalsOf(name),

    sandboxesOf,
    /** Answers the requests in flight, then closes the sockets and the databases. */
    async close(): Promise<void> {
      closing.abort()
      const answered = registry.finish()
      await Promise.all(Object.values(listening).map((listener) => listener.close(answered)))
      await answered
      registry.end()
    },
  }

  /** The sandboxes as testers see them at the address of that environment. */
  async function sandboxesOf(environment: Environment): Promise<Sandboxes> {
    const { sandboxesAt } = await import('./sandboxes-at.ts')
    return sandboxesAt(environment, registry)
  }

  /** What is served at the address of one environment. Platforms reach only its sandboxes; testers see the sandboxes of both. */
  function addressOf(environment: Environment): ServedAddress {
    const app = createApp({
      answer: registry.answering(environment),
      requireReady: () => registry.requireWritable(),
      lazyRoutes: lazyRoutes({
        environment,
        sandboxes: () => sandboxesOf(environment),
        urlOf: (of) => registry.urlOf(of),
        find: (name) => registry.internalsAt(environment, name),
        adminToken,
        guesses,
        publicUrl: publicUrls[environment],
        closing: closing.signal,
        platformSide: (of, request) => at(of).fetch(request),
        logBug,
      }),
      logBug: logBug('a request failed'),
    })

    return {
      fetch: async (request) => app.fetch(request, {}),
      async listen(where = {}) {
        refuseUnknown(where, Object.keys(LISTEN_OPTIONS))
        const { port, host, ...tls } = readOptions(ListenSettings, { ...where, port: where.port ?? 0 })
        const named = Object.values(publicUrls).flatMap((url) =>
          url === undefined ? [] : new URL(url).hostname,
        )
        certificate ??= certificateFor(tls, [host, ...named], wallClock())
        const place = {
          port,
          host,
          certificate: await certificate,
          portFlag: portFlag ?? PORT_FLAGS[environment],
          ownsProcess,
        }
        listening[environment] ??= await listen(app, place, logBug('a request failed'))
        const { fingerprint } = place.certificate ?? {}
        return { url: listening[environment].url, ...(fingerprint !== undefined && { fingerprint }) }
      },
    }
  }
}

export type SimulatorServer = ReturnType<typeof buildServer>

const PORT_FLAGS = { staging: '--port', production: '--production-port' } as const

/** With the request's id, which the journal explains. */
function logAnswer(log: Log, { name: sandbox, config }: Sandbox, entry: JournalEntry): void {
  const { id, asked, status, fault, clientLeftWhen, behaviors, took } = entry
  const { method, target } = asked
  const fields: Record<string, unknown> = { sandbox, request: id, ms: Math.round(took * 10) / 10 }
  if (behaviors.length > 0) {
    const fired = behaviors.filter(({ fired }) => fired).map(({ behavior }) => behavior)
    if (fired.length > 0) fields.behaviors = fired
  }
  if (fault !== null) fields.fault = fault
  if (clientLeftWhen !== null) fields.clientLeft = clientLeftWhen
  log('info', `${method} ${shownTarget(target, config.apiKey)} ${status ?? 'not answered'}`, fields)
}
