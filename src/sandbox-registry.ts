/** The sandboxes of one simulator: made, found by their name or their API key, and removed. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ApiError, NotStored, notFound, sandboxExists, wrongState } from './contract/errors.ts'
import { createControl, type NewSandbox, type SandboxControl, type Sandboxes } from './control/control.ts'
import { requireFixture } from './control/fixture.ts'
import { Metrics } from './control/metrics.ts'
import { readSource } from './control/state.ts'
import type { JournalEntry } from './gate/journal.ts'
import type { KeptMemory } from './gate/kept-memory.ts'
import type { Log } from './log.ts'
import { refuseUnknown, WrongOption } from './options/read.ts'
import {
  DEFAULT_SANDBOX,
  SANDBOX_OPTIONS,
  type SandboxConfig,
  type SandboxOptions,
  sandboxConfig,
} from './options/sandbox.ts'
import { duration, sandboxName } from './options/values.ts'
import { Sandbox, type SandboxSetup, startOf } from './sandbox.ts'
import { type Durability, readSetting } from './store/database.ts'
import { databaseFile, databasesIn, setAside, sweep } from './store/files.ts'
import { folderInUse, isHeld, lockFolder } from './store/lock.ts'
import { asStorageFailure } from './store/storage-failure.ts'
import { Clock } from './world/clock.ts'
import { Random } from './world/random.ts'

export interface RegistrySettings {
  /** The folder that the sandboxes' databases are kept in; in memory without it. */
  data: string | undefined
  durability: Durability
  publicUrl: string | undefined
  address(): string | undefined
  memory: KeptMemory
  log: Log
  /** What every new sandbox has, unless it is created with something else. */
  defaults: SandboxOptions
  /** Called with every request that a sandbox has answered. */
  onAnswer: ((sandbox: string, entry: JournalEntry) => void) | undefined
}

interface Registered {
  internals: Sandbox
  control: SandboxControl
  /** Cancels its removal at the end of its time. */
  keep: () => void
}

type SandboxStart = Pick<SandboxSetup, 'isKept' | 'from' | 'carried'>

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
      const kept = data === undefined ? new Map<string, SandboxConfig>() : this.#keptIn(data)
      this.#openOrAdd(DEFAULT_SANDBOX, defaultConfig, kept)
      for (const name of names) this.#openOrAdd(name, sandboxConfig(name, defaults), kept)
      for (const [name, config] of kept) {
        if (!this.#byName.has(name)) this.#openKept(name, config)
      }
    } catch (cause) {
      this.close()
      throw cause
    }
    this.default = this.internalsOf(DEFAULT_SANDBOX)
  }

  sandbox(name: string, options: Omit<NewSandbox, 'name'> = {}): SandboxControl {
    refuseUnknown(options, NEW_SANDBOX_OPTIONS)
    const found = this.#byName.get(name)
    if (!found) return this.create({ ...options, name })
    requireSettings(found.internals, options)
    return found.control
  }

  create({ name = this.#nextName(), from, ttl, ...options }: NewSandbox = {}): SandboxControl {
    refuseUnknown(options, NEW_SANDBOX_OPTIONS)
    sandboxName(name)
    const source = from === undefined ? undefined : readSource(from, (named) => this.internalsOf(named))
    const config = sandboxConfig(name, {
      ...this.#settings.defaults,
      ...source?.options,
      ...withoutUndefined(options),
    })
    if (ttl !== undefined) config.expiresAt = this.#clock.now() + duration(ttl, 'ttl')
    return this.#add(name, config, {
      from: source?.from,
      carried: {
        clock: options.clock === undefined ? undefined : startOf(config.clock),
        random: options.seed === undefined ? undefined : new Random(options.seed).state(),
      },
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
    this.#forget(name)
  }

  metrics(): string {
    return this.#metrics.text([...this.#byName.values()].map(({ internals }) => internals))
  }

  /** Resolves once every request in flight is answered. */
  async finish(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(({ internals }) => internals.finish()))
  }

  /** Waits for the disk for several sandboxes at once, and closes them all. */
  async end(): Promise<void> {
    this.#clock.stop()
    const open = [...this.#byName.values()]
    const failures: unknown[] = []
    const work = async () => {
      for (let next = open.pop(); next; next = open.pop())
        await next.internals.readyToClose().catch((cause) => failures.push(cause))
    }
    await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, work))
    this.close()
    if (failures.length > 0) throw failures[0]
  }

  close(): void {
    this.#clock.stop()
    try {
      for (const { internals } of this.#byName.values()) internals.close()
    } finally {
      this.#unlockFolder()
    }
  }

  /**
   * The kept sandboxes, with the options that they were created with; an option that is newer than the file has its
   * default. The database itself keeps where their webhooks go. Every file is tried before anything is removed: SQLite's
   * locks on them hold even where the folder's lock file is gone.
   */
  #keptIn(folder: string): Map<string, SandboxConfig> {
    const kept = new Map<string, SandboxConfig>()
    for (const name of databasesIn(folder)) {
      const file = databaseFile(folder, name)
      try {
        const { webhook: _, expiresAt, ...options } = readSetting(file, 'config') as SandboxConfig
        kept.set(sandboxName(name), { ...sandboxConfig(name, options), expiresAt })
      } catch (cause) {
        if (isHeld(cause)) throw folderInUse(folder)
        this.#setAside(file, cause)
      }
    }
    sweep(folder)
    return kept
  }

  #openOrAdd(name: string, config: SandboxConfig, kept: Map<string, SandboxConfig>): void {
    if (!kept.has(name) || !this.#openKept(name, config)) this.#add(name, config)
  }

  /** Whether it could be opened; one that cannot is no reason not to open the others. */
  #openKept(name: string, config: SandboxConfig): boolean {
    try {
      this.#add(name, config, { isKept: true })
      return true
    } catch (cause) {
      // A wrong option says nothing about the file.
      if (cause instanceof ApiError && cause.status === 400) throw cause
      this.#setAside(databaseFile(this.#settings.data!, name), cause)
      return false
    }
  }

  /** A file whose disk fails stays where it is: there is no telling what is in it. */
  #setAside(file: string, cause: unknown): void {
    if (!(cause instanceof Error) || asStorageFailure(cause) instanceof NotStored) throw cause
    const aside = setAside(file)
    this.#settings.log('error', `${file} cannot be served and is now ${aside}: ${cause.message}`)
  }

  #add(name: string, config: SandboxConfig, start: SandboxStart = {}): SandboxControl {
    if (this.#byName.has(name)) throw sandboxExists(`There is a sandbox ${name} already`)
    const holder = this.#byKey.get(config.apiKey)
    if (holder) throw sandboxExists(`The sandbox ${holder.name} has this API key already`)
    if (config.fixture !== undefined) requireFixture(config.fixture)
    const { address, data: folder, durability, memory, publicUrl, log, onAnswer } = this.#settings
    if (folder !== undefined && !start.isKept) this.#clearName(databaseFile(folder, name))
    const shared = { durability, publicUrl, address, memory, log }
    const internals = new Sandbox(config, { name, folder, ...shared, ...start })
    const control = createControl(internals, () => {
      if (internals !== this.default && this.#byName.get(name)?.internals === internals) this.#forget(name)
    })
    internals.journal.watch(this.#metrics.count)
    if (onAnswer) internals.journal.watch((entry) => onAnswer(name, entry))
    const { expiresAt } = config
    const keep = expiresAt === undefined ? () => {} : this.#clock.at(expiresAt, () => this.#forget(name))
    this.#byName.set(name, { internals, control, keep })
    this.#byKey.set(config.apiKey, internals)
    return control
  }

  /** Another program has put a file there since the start. */
  #clearName(file: string): void {
    if (existsSync(file)) this.#setAside(file, new Error('it was not there when paysim was started'))
  }

  #forget(name: string): void {
    const { internals, keep } = this.#require(name)
    // The alarm would hold everything that the sandbox has in memory until its instant.
    keep()
    this.#byName.delete(name)
    this.#byKey.delete(internals.config.apiKey)
    internals.behaviors.abandon()
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

/** Each holds a file open. */
const FLUSHED_AT_ONCE = 16

const NEW_SANDBOX_OPTIONS = ['name', 'from', 'ttl', ...Object.keys(SANDBOX_OPTIONS)]

/** A sandbox that is there already was made with its own settings; others that are asked for would be ignored. */
function requireSettings({ name, config }: Sandbox, { from: _, ttl: __, ...asked }: NewSandbox): void {
  const given = withoutUndefined(asked)
  const wanted = sandboxConfig(name, { ...config, ...given })
  for (const option of Object.keys(given) as (keyof SandboxOptions)[]) {
    if (JSON.stringify(wanted[option]) === JSON.stringify(config[option])) continue
    throw sandboxExists(`There is a sandbox ${name} already, with another ${option}`)
  }
}

const withoutUndefined = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

/** One by one: Node's recursive mkdir tries for ever where a folder cannot be made, such as below /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

function openFolder(folder: string): () => void {
  try {
    makeFolder(resolve(folder))
    accessSync(folder, constants.W_OK)
  } catch {
    throw new WrongOption('data', 'must be a folder that can be made and written to', folder)
  }
  return lockFolder(folder)
}
