/**
 * The sandboxes of one simulator: made, found by their name or their API key, and removed. Those of both environments have
 * one list, under their full names (D61); `at` gives it as the address of one environment sees it.
 */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ApiError, NotStored, notFound, sandboxExists, wrongState } from './contract/errors.ts'
import {
  createControl,
  type NewSandbox,
  type OpenedSandbox,
  type SandboxControl,
  type Sandboxes,
} from './control/control.ts'
import { requireFixture } from './control/fixture.ts'
import { Metrics } from './control/metrics.ts'
import { readSource, type Source, sourceText } from './control/state.ts'
import { type Environment, fullName, nameSeenAt, type Place, placeOf } from './environments/environment.ts'
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
  publicUrl: Readonly<Record<Environment, string | undefined>>
  address(environment: Environment): string | undefined
  memory: KeptMemory
  log: Log
  /** What every new sandbox has, unless it is created with something else. */
  defaults: SandboxOptions
  /** What the sandbox `default` of each environment has. */
  ofDefault: Readonly<Record<Environment, SandboxOptions>>
  /** Whether there is production from the start; false where there is no address for it. */
  production: boolean | undefined
  /** Called with every request that a sandbox has answered. */
  onAnswer: ((sandbox: string, entry: JournalEntry) => void) | undefined
}

interface Registered {
  internals: Sandbox
  /** By its full name, which is also its name at the address of staging. */
  control: SandboxControl
  /** By its name at the address of production, once it is asked for there. */
  seenInProduction?: SandboxControl
  /** Cancels its removal at the end of its time. */
  keep: () => void
}

type SandboxStart = Pick<SandboxSetup, 'isKept' | 'from' | 'carried'>

export class SandboxRegistry {
  readonly #settings: RegistrySettings
  /** The machine's time, by which sandboxes expire. */
  readonly #clock = new Clock()
  readonly #metrics = new Metrics()
  readonly #byName = new Map<string, Registered>()
  readonly #byKey = new Map<string, Sandbox>()
  readonly #unlockFolder: () => void
  /** Opens the sandbox `default`, those of these names, and those that the folder has kept. */
  constructor(settings: RegistrySettings, names: readonly string[]) {
    this.#settings = settings
    const { data, defaults, production } = settings
    this.#unlockFolder = data === undefined ? () => {} : openFolder(data)
    try {
      const kept = data === undefined ? new Map<string, SandboxConfig>() : this.#keptIn(data)
      this.#openOrAdd(DEFAULT_SANDBOX, this.#defaultConfig('staging'), kept)
      if (production) {
        this.#openOrAdd(fullName(DEFAULT_OF_PRODUCTION), this.#defaultConfig('production'), kept)
      }
      for (const place of names.map((name) => placeOf(name, 'staging'))) {
        const { environment, name } = place
        this.#requireServed(environment)
        this.#openOrAdd(fullName(place), sandboxConfig(name, { ...defaults, environment }), kept)
      }
      for (const [name, config] of kept) {
        if (!this.#byName.has(name)) this.#openKept(name, config)
      }
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** As one address sees them: a plain name means a sandbox of its environment, and a new one is made there. */
  at(address: Environment): Sandboxes {
    const named = (name: string) => fullName(placeOf(name, address))
    const seen = (one: Registered) => seenAt(address, one)
    return {
      environment: address,
      addressOf: (environment) =>
        this.#settings.publicUrl[environment] ?? this.#settings.address(environment),
      sandbox: (name, options) => seen(this.#sandbox(address, name, options)),
      create: (options) => seen(this.#create(address, options)),
      sandboxes: () => [...this.#byName.values()].map(seen),
      find: (name) => seen(this.#require(named(name))),
      remove: (name) => this.#remove(named(name)),
      metrics: () => this.#metrics.text([...this.#byName.values()].map(({ internals }) => internals)),
    }
  }

  #sandbox(address: Environment, given: string, options: OpenedSandbox = {}): Registered {
    refuseUnknown(options, NEW_SANDBOX_OPTIONS)
    if (typeof given !== 'string') sandboxName(given)
    const place = placeAsked(given, options.environment, address)
    const found = this.#find(fullName(place))
    if (!found) return this.#create(address, { ...options, name: given })
    requireSettings(found.internals, place, options)
    return found
  }

  #create(address: Environment, asked: NewSandbox = {}): Registered {
    refuseUnknown(asked, NEW_SANDBOX_OPTIONS)
    const { name: given, from, ttl, ...options } = asked
    const source =
      from === undefined
        ? undefined
        : readSource(
            this.#asName(from, address),
            (named) => this.internalsOf(fullName(placeOf(named, address))),
            placeAsked(given ?? '', options.environment, address).environment,
          )
    const copied = source?.options?.environment
    const place = placeAsked(given ?? '', options.environment, copied ?? address)
    if (copied !== undefined && copied !== place.environment) {
      throw new WrongOption('from', `must be a sandbox of ${place.environment}: its data goes nowhere else`)
    }
    this.#requireServed(place.environment)
    if (given === undefined) place.name = this.#nextName(place.environment)
    sandboxName(place.name)
    const config = sandboxConfig(place.name, {
      ...this.#settings.defaults,
      ...source?.options,
      ...withoutUndefined(options),
      environment: place.environment,
    })
    if (ttl !== undefined) {
      config.ttl = duration(ttl, 'ttl')
      config.expiresAt = this.#clock.now() + config.ttl
    }
    if (from !== undefined) config.startedFrom = sourceText(from)
    return this.#add(fullName(place), config, {
      from: source?.from,
      carried: {
        clock: options.clock === undefined ? undefined : startOf(config.clock),
        random: options.seed === undefined ? undefined : new Random(options.seed).state(),
      },
    })
  }

  /** A sandbox's object is known by its key: its name depends on the address that it was asked for at. */
  #asName(from: Source, address: Environment): Source {
    if (typeof from !== 'object' || !('apiKey' in from)) return from
    const found = this.#byKey.get(from.apiKey)
    return found ? nameSeenAt(address, found.name) : from
  }

  /** By its full name. */
  internalsOf(name: string): Sandbox {
    return this.#require(name).internals
  }

  /** One of this environment, by its plain name. */
  internalsAt(environment: Environment, name: string): Sandbox | undefined {
    const found = this.#find(fullName({ environment, name }))?.internals
    // At staging's address the plain name production.shop is the full name of another sandbox.
    return found?.config.environment === environment ? found : undefined
  }

  /**
   * The one that answers: a key of the other environment is as unknown as any other, and a request with an unknown key is
   * counted and journaled in the sandbox `default`.
   */
  answering(environment: Environment, apiKey: string | undefined): Sandbox {
    const found = this.#byKey.get(apiKey ?? '')
    return found?.config.environment === environment ? found : this.internalsAt(environment, DEFAULT_SANDBOX)!
  }

  #remove(name: string): void {
    const { internals } = this.#require(name)
    if (isDefault(internals)) throw wrongState(`Sandbox ${name}`, 'always there')
    this.#forget(name)
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
        const {
          webhook: _,
          expiresAt,
          ttl,
          startedFrom,
          ...options
        } = readSetting(file, 'config') as SandboxConfig
        const place = placeOf(name, 'staging')
        const config = sandboxConfig(sandboxName(place.name), { ...options, environment: place.environment })
        kept.set(name, { ...config, expiresAt, ttl, startedFrom })
      } catch (cause) {
        if (isHeld(cause)) throw folderInUse(folder)
        this.#setAside(file, cause)
      }
    }
    sweep(folder)
    return kept
  }

  #requireServed(environment: Environment): void {
    if (environment === 'staging' || this.#settings.production !== false) return
    throw new WrongOption('environment', 'must be staging here; paysim start --production serves production')
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

  #add(name: string, config: SandboxConfig, start: SandboxStart = {}): Registered {
    if (this.#byName.has(name)) throw sandboxExists(`There is a sandbox ${name} already`)
    const holder = this.#byKey.get(config.apiKey)
    if (holder) throw sandboxExists(`The sandbox ${holder.name} has this API key already`)
    if (config.fixture !== undefined) requireFixture(config.fixture)
    const { data: folder, durability, memory, log, onAnswer } = this.#settings
    const publicUrl = this.#settings.publicUrl[config.environment]
    const address = () => this.#settings.address(config.environment)
    if (folder !== undefined && !start.isKept) this.#clearName(databaseFile(folder, name))
    const shared = { durability, publicUrl, address, memory, log }
    const internals = new Sandbox(config, { name, folder, ...shared, ...start })
    const control = createControl(internals, () => {
      if (!isDefault(internals) && this.#byName.get(name)?.internals === internals) this.#forget(name)
    })
    internals.journal.watch(this.#metrics.count)
    if (onAnswer) internals.journal.watch((entry) => onAnswer(name, entry))
    const { expiresAt } = config
    const keep = expiresAt === undefined ? () => {} : this.#clock.at(expiresAt, () => this.#forget(name))
    const registered: Registered = { internals, control, keep }
    this.#byName.set(name, registered)
    this.#byKey.set(config.apiKey, internals)
    return registered
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
    const found = this.#find(name)
    if (!found) throw notFound('Sandbox')
    return found
  }

  /** Production's sandbox `default` is made once it is looked for, so a simulator without production does without it. */
  #find(name: string): Registered | undefined {
    const isMissing = name === fullName(DEFAULT_OF_PRODUCTION) && !this.#byName.has(name)
    if (isMissing && this.#settings.production !== false) this.#add(name, this.#defaultConfig('production'))
    return this.#byName.get(name)
  }

  #defaultConfig(environment: Environment): SandboxConfig {
    return sandboxConfig(DEFAULT_SANDBOX, { ...this.#settings.ofDefault[environment], environment })
  }

  #nextName(environment: Environment): string {
    for (let number = this.#byName.size; ; number += 1) {
      const name = `sandbox-${number}`
      if (!this.#byName.has(fullName({ environment, name }))) return name
    }
  }
}

/** Each holds a file open. */
const FLUSHED_AT_ONCE = 16

const NEW_SANDBOX_OPTIONS = ['name', 'from', 'ttl', ...Object.keys(SANDBOX_OPTIONS)]

/** The same sandbox under the name that this address gives it. */
function seenAt(address: Environment, one: Registered): SandboxControl {
  const name = nameSeenAt(address, one.control.name)
  if (name === one.control.name) return one.control
  one.seenInProduction ??= Object.create(one.control, {
    name: { value: name, enumerable: true },
    describe: { value: () => ({ ...one.control.describe(), name }), enumerable: true },
  }) as SandboxControl
  return one.seenInProduction
}

const DEFAULT_OF_PRODUCTION: Place = { environment: 'production', name: DEFAULT_SANDBOX }

/** It cannot be removed. */
const isDefault = ({ name, config }: Sandbox) =>
  name === fullName({ environment: config.environment, name: DEFAULT_SANDBOX })

/** Where a name and an option say that a sandbox is; without either it is in the environment of the address. */
function placeAsked(given: string, asked: Environment | undefined, address: Environment): Place {
  const place = placeOf(given, asked ?? address)
  if (asked === undefined || asked === place.environment) return place
  throw new WrongOption('environment', `must be ${place.environment} for the sandbox ${given}`, asked)
}

/** A sandbox that is there already was made with its own settings; others that are asked for would be ignored. */
function requireSettings(
  { name, config }: Sandbox,
  place: Place,
  { from, ttl, ...asked }: OpenedSandbox,
): void {
  const given = withoutUndefined(asked)
  const wanted = sandboxConfig(place.name, { ...config, ...given })
  const other =
    (Object.keys(given) as (keyof SandboxOptions)[]).find(
      (option) => JSON.stringify(wanted[option]) !== JSON.stringify(config[option]),
    ) ??
    (from !== undefined && sourceText(from) !== config.startedFrom ? 'from' : undefined) ??
    (ttl !== undefined && duration(ttl, 'ttl') !== config.ttl ? 'ttl' : undefined)
  if (other !== undefined) throw sandboxExists(`There is a sandbox ${name} already, with another ${other}`)
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
