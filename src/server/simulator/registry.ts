import { type Forgotten, Sandbox } from '../../sandbox/sandbox.ts'
import type { SandboxSummary } from '../../sandbox/summary.ts'
import type { Answer, PlatformRequest } from '../../service/door/request.ts'
import { OpenDatabases } from '../../service/store/open-databases.ts'
import { onDisk } from '../../service/store/storage-failure.ts'
import { AttemptSlots } from '../../service/webhooks/attempt-slots.ts'
import { found, notFound, sandboxExists, wrongState } from '../../spec/contract/errors.ts'
import { bothProfiles } from '../../spec/contract/profile.ts'
import {
  apiKeyOf,
  type Environment,
  fullName,
  type QualifiedName,
  qualifiedName,
} from '../../spec/environments/environment.ts'
import { WrongOption } from '../../spec/options/read.ts'
import {
  DEFAULT_SANDBOX,
  type SandboxConfig,
  type SandboxOptions,
  sandboxConfig,
} from '../../spec/options/sandbox.ts'
import { Clock } from '../../spec/world/clock.ts'
import { requireFixture } from '../../tester/control/fixture.ts'
import { DataFolder, type KnownSandbox } from './data-folder.ts'
import {
  configOfUnopened,
  Opened,
  type Registered,
  type RegistrySettings,
  type SandboxStart,
  unopened,
  withOwnKey,
} from './registered.ts'

/** How many databases are open at a time. A process may usually have 1,024 descriptors, and each file takes two. */
const OPEN_FILES_MAX = 256
const OPEN_IN_MEMORY_MAX = 1_000

/** The sandboxes of a simulator, by full name and by key. They are opened at first use and closed with the simulator. */
export class SandboxRegistry {
  readonly #settings: RegistrySettings
  /** The machine's clock, by which sandboxes expire. */
  readonly #clock = new Clock()
  readonly #byName = new Map<string, Registered>()
  readonly #byKey = new Map<string, Registered>()
  readonly #openDatabases: OpenDatabases
  readonly #slots = new AttemptSlots()
  /** Undefined if everything is in memory. */
  readonly #folder: DataFolder | undefined
  #registered = 0
  /** Kept sandboxes whose work is due are opened one at a time. */
  #opening: Promise<void> = Promise.resolve()
  #isClosed = false

  /** Opens the sandbox `default` and the named ones, and registers those stored in the folder. */
  constructor(settings: RegistrySettings, names: readonly string[]) {
    this.#settings = settings
    const { data, production } = settings
    this.#folder = data === undefined ? undefined : new DataFolder(data, settings.durability, settings.log)
    const most = this.#folder ? OPEN_FILES_MAX : OPEN_IN_MEMORY_MAX
    this.#openDatabases = new OpenDatabases(settings.openDatabases ?? most)
    try {
      const kept = this.#folder?.read() ?? new Map<string, undefined>()
      this.#openKeptOrAdd(DEFAULT_SANDBOX, this.#defaultConfig('staging'), kept)
      if (production) {
        this.#openKeptOrAdd(fullName(DEFAULT_OF_PRODUCTION), this.#defaultConfig('production'), kept)
      }
      for (const qualified of names.map((name) => qualifiedName(name, 'staging'))) {
        this.requireServed(qualified.environment)
        this.#openKeptOrAdd(fullName(qualified), this.newConfig(qualified), kept)
      }
      for (const [name, found] of originalsFirst(kept)) {
        if (this.#byName.has(name)) continue
        if (found) this.#registerKept(name, found)
        else this.#replaceUnreadable(name)
      }
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** Throws if the data folder or the file of an open sandbox is missing, or the folder is not writable. */
  requireWritable(): void {
    this.#folder?.requireWritable()
    for (const { internals } of this.#allOpened()) internals.requireFile()
  }

  /**
   * Finds a sandbox by its full name. Production's sandbox `default` is created at its first lookup, so a simulator without
   * production has none.
   */
  find(name: string): Opened | undefined {
    const found = this.#byName.get(name)
    if (found) return this.opened(found)
    if (name !== fullName(DEFAULT_OF_PRODUCTION) || this.#settings.production === false) return undefined
    return this.opened(this.add(name, this.#defaultConfig('production')))
  }

  require(name: string): Opened {
    return found(this.find(name), 'Sandbox')
  }

  /** Opens a sandbox. If it cannot be read, a new, empty one replaces it; undefined if that is refused. */
  opened(registered: Registered): Opened | undefined {
    const { name, state } = registered
    if (state instanceof Opened) return state
    this.#folder?.requireThere()
    try {
      const opened = this.#open(name, configOfUnopened(name, state), state.start)
      registered.state = opened
      return opened
    } catch (cause) {
      if (!state.start.isKept) throw cause
      onDisk(() => this.#folder!.setAside(name, cause))
      this.#unregister(registered)
      const replaced = this.#replaceUnreadable(name)
      return replaced && this.opened(replaced)
    }
  }

  /** In order of creation. */
  all(): Registered[] {
    return [...this.#byName.values()]
  }

  holderOf(apiKey: string): Registered | undefined {
    return this.#byKey.get(apiKey)
  }

  /**
   * Answers a platform at an address by the sandbox of its key. A key of the other environment counts as unknown; a request with
   * an unknown key is counted and journaled in the sandbox `default`.
   */
  answering(environment: Environment): (request: PlatformRequest) => Promise<Answer> {
    return (request) => {
      const known = this.#byKey.get(request.apiKey ?? '')
      const found = known && this.opened(known)?.internals
      const isServedHere = found?.config.environment === environment
      return (isServedHere ? found : this.internalsAt(environment, DEFAULT_SANDBOX)!).answer(request)
    }
  }

  /** By full name. */
  internalsOf(name: string): Sandbox {
    return this.require(name).internals
  }

  /** One of this environment, by its plain name. */
  internalsAt(environment: Environment, name: string): Sandbox | undefined {
    const found = this.find(fullName({ environment, name }))?.internals
    // At staging's address the plain name production.shop is the full name of another sandbox.
    return found?.config.environment === environment ? found : undefined
  }

  /** Creates a sandbox. An empty one in memory is opened at its first use. */
  add(name: string, config: SandboxConfig, start: SandboxStart = {}): Registered {
    this.#requireFree(name, config.apiKey)
    if (config.fixture !== undefined) requireFixture(config.fixture)
    this.#folder?.requireThere()
    this.#folder?.clearName(name)
    const isEmptyInMemory = !this.#folder && start.from === undefined && config.fixture === undefined
    const state = isEmptyInMemory ? unopened(config, start) : this.#open(name, config, start)
    return this.#register(name, config, state)
  }

  requireServed(environment: Environment): void {
    if (environment === 'staging' || this.#settings.production !== false) return
    throw new WrongOption('environment', 'must be staging here; paysim start --production serves production')
  }

  nextName(environment: Environment): string {
    for (let number = this.#byName.size; ; number += 1) {
      const name = `sandbox-${number}`
      if (!this.#byName.has(fullName({ environment, name }))) return name
    }
  }

  /** The defaults of every new sandbox. */
  newConfig({ environment, name }: QualifiedName, options: SandboxOptions = {}): SandboxConfig {
    return this.#configOf(name, { ...this.#settings.defaults, ...options, environment })
  }

  #defaultConfig(environment: Environment): SandboxConfig {
    return this.#configOf(DEFAULT_SANDBOX, { ...this.#settings.ofDefault[environment], environment })
  }

  #configOf(name: string, options: SandboxOptions): SandboxConfig {
    const profile = bothProfiles(options.profile, this.#settings.attendant?.profile)
    return withOwnKey(sandboxConfig(name, { ...options, ...(profile && { profile }) }))
  }

  #requireFree(name: string, apiKey: string): void {
    if (this.#byName.has(name)) throw sandboxExists(`The sandbox ${name} already exists`)
    const holder = this.#byKey.get(apiKey)
    if (holder) throw sandboxExists(`The sandbox ${holder.name} already has this API key`)
  }

  #register(name: string, { apiKey, expiresAt }: SandboxConfig, state: Registered['state']): Registered {
    const cancelRemoval =
      expiresAt === undefined
        ? () => {}
        : this.#clock.alarmWhileProcessRuns(expiresAt, () => this.#expire(name))
    this.#registered += 1
    const registered: Registered = { name, apiKey, number: this.#registered, state, cancelRemoval }
    this.#byName.set(name, registered)
    this.#byKey.set(apiKey, registered)
    return registered
  }

  #open(name: string, config: SandboxConfig, start: SandboxStart): Opened {
    const { memory, log, onAnswer, attendant } = this.#settings
    const publicUrl = this.#settings.publicUrl[config.environment]
    const address = () => this.#settings.address(config.environment)
    const { trustProxy } = this.#settings.defaults
    const shared = { openDatabases: this.#openDatabases, slots: this.#slots, memory, trustProxy }
    const internals: Sandbox = new Sandbox(config, {
      ...{ name, files: this.#folder?.filesOf(name), publicUrl, address, log },
      ...shared,
      ...(attendant && { forgetting: (what: Forgotten) => attendant.forgetting(internals, what) }),
      ...start,
    })
    const remove = () => {
      const state = this.#byName.get(name)?.state
      if (!isDefault(name) && state instanceof Opened && state.internals === internals) this.#forget(name)
    }
    if (onAnswer) internals.journal.watch((entry) => onAnswer(internals, entry))
    const opened = new Opened(internals, remove)
    attendant?.opened(opened)
    return opened
  }

  #openKeptOrAdd(name: string, config: SandboxConfig, kept: Kept): void {
    const found = kept.get(name)
    // A kept sandbox keeps the options of its creation, not those given now.
    if (!found) this.add(name, config)
    else {
      this.#registerKept(name, found)
      this.find(name)
    }
  }

  #registerKept(name: string, { config, summary }: KnownSandbox): void {
    try {
      this.#requireFree(name, config.apiKey)
      this.#register(name, config, { config, summary, start: { isKept: true } })
      this.#openWhenDue(name, summary)
    } catch (cause) {
      this.#folder!.setAside(name, cause)
      this.#replaceUnreadable(name)
    }
  }

  /** Creates a sandbox with the default options to replace one whose file was set aside. */
  #replaceUnreadable(name: string): Registered | undefined {
    const qualified = qualifiedName(name, 'staging')
    try {
      const config = isDefault(name) ? this.#defaultConfig(qualified.environment) : this.newConfig(qualified)
      return this.add(name, config)
    } catch (cause) {
      this.#settings.log('error', `${name} cannot be created again`, { cause })
      return undefined
    }
  }

  /** Opens a kept sandbox when its first work is due, in its own turn of the event loop, so that requests are handled in between. */
  #openWhenDue(name: string, { clock, dueAt }: SandboxSummary): void {
    if (dueAt === null || (clock.frozenAt !== null && clock.frozenAt < dueAt)) return
    const machineTime = clock.frozenAt === null ? dueAt - clock.offsetMs : 0
    this.#clock.alarmWhileProcessRuns(machineTime, () => {
      this.#opening = this.#opening.then(() => new Promise(setImmediate)).then(() => this.#openDue(name))
    })
  }

  #openDue(name: string): void {
    if (this.#isClosed) return
    try {
      this.find(name)
    } catch (cause) {
      this.#settings.log('error', `the pending work of ${name} waits for its next request`, { cause })
    }
  }

  remove(name: string): void {
    if (!this.#byName.has(name)) throw notFound('Sandbox')
    if (isDefault(name)) throw wrongState(`Sandbox ${name}`, 'always there')
    this.#forget(name)
  }

  #expire(name: string): void {
    try {
      this.#forget(name)
    } catch (cause) {
      this.#settings.log('error', `the files of ${name}, whose time is over, cannot be removed`, { cause })
    }
  }

  #forget(name: string): void {
    const entry = this.#byName.get(name)!
    const { state } = entry
    this.#folder?.requireThere()
    if (state instanceof Opened) this.#settings.attendant?.ending(state.internals)
    if (state instanceof Opened) this.#destroy(entry, state.internals)
    else if (state.start.isKept) this.#folder!.filesOf(name).remove()
    this.#unregister(entry)
  }

  /** If removing fails, it becomes a kept sandbox that is not open again, so that the removal can be repeated. */
  #destroy(entry: Registered, internals: Sandbox): void {
    internals.behaviors.abandon()
    try {
      internals.destroy()
    } catch (cause) {
      const { config } = internals
      entry.state = { config, summary: internals.committedSummary(), start: { isKept: true } }
      throw cause
    }
  }

  #unregister(entry: Registered): void {
    // Cancels the alarm, which would keep the sandbox in memory until its time.
    entry.cancelRemoval()
    this.#byName.delete(entry.name)
    this.#byKey.delete(entry.apiKey)
  }

  /** Where the sandboxes of an environment are served, if they are. */
  urlOf(environment: Environment): string | undefined {
    return this.#settings.publicUrl[environment] ?? this.#settings.address(environment)
  }

  /** The machine's time. */
  now(): number {
    return this.#clock.now()
  }

  /** Resolves when no request is in flight. */
  async finish(): Promise<void> {
    await Promise.all(this.#allOpened().map(({ internals }) => internals.finish()))
  }

  /** Ends all sandboxes. */
  end(): void {
    for (const { internals } of this.#allOpened()) this.#settings.attendant?.ending(internals)
    this.close()
  }

  /** Closes all databases, even if some fail, and throws the first failure. */
  close(): void {
    this.#isClosed = true
    this.#clock.stop()
    const failures: unknown[] = []
    for (const { internals } of this.#allOpened()) {
      try {
        internals.close()
      } catch (cause) {
        failures.push(cause)
      }
    }
    this.#folder?.unlock()
    if (failures.length > 0) throw failures[0]
  }

  #allOpened(): Opened[] {
    return this.all()
      .map(({ state }) => state)
      .filter((state) => state instanceof Opened)
  }
}

const DEFAULT_OF_PRODUCTION: QualifiedName = { environment: 'production', name: DEFAULT_SANDBOX }

/** The sandbox `default`, which cannot be removed. */
const isDefault = (name: string) => qualifiedName(name, 'staging').name === DEFAULT_SANDBOX

type Kept = ReadonlyMap<string, KnownSandbox | undefined>

/** A copy, such as `shop-backup`, has the API key of its original and is refused, so it must come later. */
const originalsFirst = (kept: Kept) => {
  const all = [...kept]
  return [...all.filter((entry) => !hasOtherKey(entry)), ...all.filter(hasOtherKey)]
}

function hasOtherKey([name, found]: [string, KnownSandbox | undefined]): boolean {
  const qualified = qualifiedName(name, 'staging')
  return found?.config.apiKey !== apiKeyOf(qualified.environment, qualified.name)
}
