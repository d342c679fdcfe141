/** The sandboxes of one simulator: made, found by their name or their API key, and removed. */
import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { notFound, sandboxExists, wrongState } from './contract/errors.ts'
import { createControl, type NewSandbox, type SandboxControl, type Sandboxes } from './control/control.ts'
import { requireFixture } from './control/fixture.ts'
import { Metrics } from './control/metrics.ts'
import { readSource } from './control/state.ts'
import type { JournalEntry } from './gate/journal.ts'
import type { Log } from './log.ts'
import { WrongOption } from './options/read.ts'
import { DEFAULT_SANDBOX, type SandboxConfig, type SandboxOptions, sandboxConfig } from './options/sandbox.ts'
import { duration, sandboxName } from './options/values.ts'
import { type CarriedState, Sandbox, startOf } from './sandbox.ts'
import { type Durability, readSetting } from './store/database.ts'
import { lockFolder } from './store/lock.ts'
import { Clock } from './world/clock.ts'
import { Random } from './world/random.ts'

const FILE_ENDING = '.sqlite'
const SNAPSHOTS = 'snapshots'

export interface RegistrySettings {
  /** The folder that the sandboxes' databases are kept in; in memory without it. */
  data: string | undefined
  durability: Durability
  publicUrl: string | undefined
  log: Log
  /** What every new sandbox has, unless it is created with something else. */
  defaults: SandboxOptions
  /** Called with every request that a sandbox has answered. */
  onAnswer: ((sandbox: string, entry: JournalEntry) => void) | undefined
}

interface Registered {
  internals: Sandbox
  control: SandboxControl
}

export class SandboxRegistry implements Sandboxes {
  readonly #settings: RegistrySettings
  /** The machine's time, by which sandboxes expire. */
  readonly #clock = new Clock()
  readonly #metrics = new Metrics()
  readonly #byName = new Map<string, Registered>()
  readonly #byKey = new Map<string, Sandbox>()
  readonly #unlockFolder: () => void
  /** It cannot be removed. */
  readonly default: Sandbox

  /** Opens the sandbox `default`, those of these names, and those that the folder has kept. */
  constructor(settings: RegistrySettings, defaultConfig: SandboxConfig, names: readonly string[]) {
    this.#settings = settings
    const { data, defaults } = settings
    this.#unlockFolder = data === undefined ? () => {} : openFolder(data)
    try {
      this.#add(DEFAULT_SANDBOX, defaultConfig)
      for (const name of names) this.#add(name, sandboxConfig(name, defaults))
      for (const [name, config] of data === undefined ? [] : keptSandboxes(data)) {
        if (!this.#byName.has(name)) this.#add(name, config)
      }
    } catch (cause) {
      this.close()
      throw cause
    }
    this.default = this.internalsOf(DEFAULT_SANDBOX)
  }

  sandbox(name: string, options: Omit<NewSandbox, 'name'> = {}): SandboxControl {
    return this.#byName.get(name)?.control ?? this.create({ ...options, name })
  }

  create({ name = this.#nextName(), from, ttl, ...options }: NewSandbox = {}): SandboxControl {
    sandboxName(name)
    const source = from === undefined ? undefined : readSource(from, (named) => this.internalsOf(named))
    const config = sandboxConfig(name, {
      ...this.#settings.defaults,
      ...source?.options,
      ...withoutUndefined(options),
    })
    if (ttl !== undefined) config.expiresAt = this.#clock.now() + duration(ttl, 'ttl')
    return this.#add(name, config, source?.bytes, {
      clock: options.clock === undefined ? undefined : startOf(config.clock),
      random: options.seed === undefined ? undefined : new Random(options.seed).state(),
    })
  }

  sandboxes(): SandboxControl[] {
    return [...this.#byName.values()].map(({ control }) => control)
  }

  find(name: string): SandboxControl {
    return this.#require(name).control
  }

  internalsOf(name: string): Sandbox {
    return this.#require(name).internals
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  withKey(apiKey: string | undefined): Sandbox | undefined {
    return this.#byKey.get(apiKey ?? '')
  }

  remove(name: string): void {
    const internals = this.internalsOf(name)
    if (internals === this.default) throw wrongState(`Sandbox ${name}`, 'always there')
    this.#forget(name, internals)
  }

  metrics(): string {
    return this.#metrics.text([...this.#byName.values()].map(({ internals }) => internals))
  }

  /** Resolves once every request in flight is answered. */
  async finish(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(({ internals }) => internals.finish()))
  }

  close(): void {
    this.#clock.stop()
    for (const { internals } of this.#byName.values()) internals.close()
    this.#unlockFolder()
  }

  #add(name: string, config: SandboxConfig, from?: Buffer, carried?: CarriedState): SandboxControl {
    if (this.#byName.has(name)) throw sandboxExists(`There is a sandbox ${name} already`)
    const holder = this.#byKey.get(config.apiKey)
    if (holder) throw sandboxExists(`The sandbox ${holder.name} has this API key already`)
    if (config.fixture !== undefined) requireFixture(config.fixture)
    const { data, durability, publicUrl, log, onAnswer } = this.#settings
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
    internals.journal.watch(this.#metrics.count)
    if (onAnswer) internals.journal.watch((entry) => onAnswer(name, entry))
    this.#byName.set(name, { internals, control })
    this.#byKey.set(config.apiKey, internals)
    if (config.expiresAt !== undefined) {
      this.#clock.at(config.expiresAt, () => this.#forget(name, internals))
    }
    return control
  }

  /** The sandbox may have been removed before, and another one of the same name created. */
  #forget(name: string, internals: Sandbox): void {
    if (this.#byName.get(name)?.internals !== internals) return
    this.#byName.delete(name)
    this.#byKey.delete(internals.config.apiKey)
    internals.behaviors.close()
    internals.destroy()
  }

  #require(name: string): Registered {
    const found = this.#byName.get(name)
    if (!found) throw notFound('Sandbox')
    return found
  }

  #nextName(): string {
    for (let number = this.#byName.size; ; number += 1) {
      if (!this.#byName.has(`sandbox-${number}`)) return `sandbox-${number}`
    }
  }
}

const withoutUndefined = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

function openFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch {
    throw new WrongOption('data', 'must be a folder that can be made and written to', folder)
  }
  return lockFolder(folder)
}

/**
 * With the options that they were created with; an option that is newer than the file has its default. The database itself
 * keeps where their webhooks go.
 */
const keptSandboxes = (folder: string): [string, SandboxConfig][] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(FILE_ENDING))
    .map((file) => {
      const name = file.slice(0, -FILE_ENDING.length)
      const { webhook: _, expiresAt, ...kept } = readSetting(join(folder, file), 'config') as SandboxConfig
      return [name, { ...sandboxConfig(name, kept), expiresAt }]
    })
