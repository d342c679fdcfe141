/** Many sandboxes behind one address. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  DEFAULT_SANDBOX,
  readOptions,
  type SandboxConfig,
  type SandboxOptions,
  SIMULATOR_OPTIONS,
  type SimulatorOptions,
  sandboxConfig,
  sandboxName,
} from './config.ts'
import type { PlatformRequest } from './gate/request.ts'
import { createApp } from './http/app.ts'
import { type Listening, listen } from './http/listen.ts'
import { createLog } from './log.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { readSetting } from './store/database.ts'
import { lockFolder } from './store/lock.ts'

const FILE_ENDING = '.sqlite'

export type Simulator = ReturnType<typeof createSimulator>

/** Synchronous, listens to nothing, and touches no file unless `data` names a folder. */
export function createSimulator(options: SimulatorOptions = {}) {
  const {
    data,
    durability,
    publicUrl,
    trustProxy,
    log: logFormat,
    sandboxes: names,
  } = readOptions(SIMULATOR_OPTIONS, { ...options })
  const log = createLog(logFormat)
  const sandboxes = new Map<string, Sandbox>()
  const byKey = new Map<string, Sandbox>()
  const unlock = data === undefined ? () => {} : openFolder(data)
  let listening: Listening | undefined

  function add(name: string, config: SandboxConfig, from?: Buffer): Sandbox {
    if (sandboxes.has(name)) throw new Error(`There is a sandbox ${name} already.`)
    const holder = byKey.get(config.apiKey)
    if (holder)
      throw new Error(`The sandbox ${holder.name} has this API key already; give ${name} another one.`)
    const file = data === undefined ? undefined : join(data, `${name}${FILE_ENDING}`)
    const sandbox = createSandbox(config, { name, file, durability, from, publicUrl, log })
    sandboxes.set(name, sandbox)
    byKey.set(config.apiKey, sandbox)
    return sandbox
  }

  add(DEFAULT_SANDBOX, sandboxConfig(DEFAULT_SANDBOX, options))
  for (const name of names) add(name, sandboxConfig(name, {}))
  for (const [name, config] of data === undefined ? [] : keptSandboxes(data)) {
    if (!sandboxes.has(name)) add(name, config)
  }
  const byDefault = sandboxes.get(DEFAULT_SANDBOX)!

  const app = createApp({
    trustProxy,
    bug: (cause) => log('error', 'a request failed', { cause }),
    /** A key that nobody has is still counted and journaled somewhere: in the sandbox `default`. */
    answer: (request: PlatformRequest) => (byKey.get(request.apiKey ?? '') ?? byDefault).answer(request),
    faces: [
      {
        paths: ['/openapi.json'],
        async load() {
          const { openApiDocument } = await import('./http/openapi.ts')
          return { fetch: ({ url }) => Response.json(openApiDocument(publicUrl ?? new URL(url).origin)) }
        },
      },
      {
        paths: ['/checkout/*', '/sandboxes/:sandbox/checkout/*', '/assets/*'],
        async load() {
          const { buyerPages } = await import('./buyer/routes.tsx')
          return buyerPages(findPremises, (cause) => log('error', 'a checkout page failed', { cause }))
        },
      },
    ],
  })

  function findPremises(name = DEFAULT_SANDBOX, origin: string) {
    const sandbox = sandboxes.get(name)
    sandbox?.addressedAt(origin)
    return sandbox?.premises
  }

  return {
    fetch: (request: Request): Promise<Response> | Response => app.fetch(request),

    /** Resolves once it is listening; port 0, the default, takes a free one. */
    async listen({
      port = 0,
      host = '127.0.0.1',
    }: {
      port?: number
      host?: string
    } = {}): Promise<{ url: string }> {
      listening ??= await listen(app.fetch, { port, host })
      return { url: listening.url }
    },

    sandbox(name: string, sandboxOptions: SandboxOptions = {}): Sandbox {
      const existing = sandboxes.get(name)
      return existing ?? add(sandboxName(name), sandboxConfig(name, sandboxOptions))
    },

    sandboxes: (): Sandbox[] => [...sandboxes.values()],

    /** Finishes what is in flight, then lets everything go. */
    async close(): Promise<void> {
      await Promise.all([...sandboxes.values()].map((sandbox) => sandbox.finish()))
      await listening?.close()
      for (const sandbox of sandboxes.values()) sandbox.close()
      unlock()
    },
  }
}

function openFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  return lockFolder(folder)
}

/** What an earlier process kept, with the settings it had. */
const keptSandboxes = (folder: string): [string, SandboxConfig][] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(FILE_ENDING))
    .map((file) => [
      file.slice(0, -FILE_ENDING.length),
      readSetting(join(folder, file), 'config') as SandboxConfig,
    ])
