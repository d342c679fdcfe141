import { notFound, sandboxExists, wrongState } from '../contract/errors.ts'
import { formatCursor } from '../contract/pages.ts'
import type {
  NewSandbox,
  OpenedSandbox,
  PageWindow,
  SandboxControl,
  Sandboxes,
  SandboxPage,
} from '../control/control.ts'
import { lazyControl } from '../control/lazy-control.ts'
import { type Measured, Metrics } from '../control/metrics.ts'
import type { SandboxDescription } from '../control/shapes.ts'
import type { Source } from '../control/state.ts'
import { atOnce, inTurns } from '../control/turns.ts'
import { type Environment, fullName, nameSeenAt, type Place, placeOf } from '../environments/environment.ts'
import type { JournalEntry } from '../gate/journal.ts'
import type { MemoryBound } from '../gate/memory-bound.ts'
import type { Log } from '../log.ts'
import { refuseUnknown, WrongOption } from '../options/read.ts'
import {
  DEFAULT_SANDBOX,
  SANDBOX_OPTIONS,
  type SandboxConfig,
  type SandboxOptions,
  sandboxConfig,
} from '../options/sandbox.ts'
import { duration, sandboxName } from '../options/values.ts'
import { endpointOf, Sandbox, type SandboxSetup, type SandboxSummary, startOf } from '../sandbox/sandbox.ts'
import type { Durability } from '../store/database.ts'
import { OpenDatabases } from '../store/open-databases.ts'
import { onDisk } from '../store/storage-failure.ts'
import { NO_WORK } from '../store/work-counts.ts'
import { Clock } from '../world/clock.ts'
import { Random } from '../world/random.ts'
import { configOfKept, DataFolder, type KeptSandbox, type KnownSandbox } from './data-folder.ts'

export interface RegistrySettings {
  /** The folder that the sandboxes' databases are kept in; in memory without it. */
  data: string | undefined
  durability: Durability
  /** How many are open at a time. */
  openDatabases: number | undefined
  publicUrl: Readonly<Record<Environment, string | undefined>>
  address(environment: Environment): string | undefined
  memory: MemoryBound
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

/** A sandbox that has been opened since the start, whether its database is open now or sleeps. */
interface Opened {
  internals: Sandbox
  /** Removes it, unless that is done. */
  remove: () => void
  /** By its full name, which is also its name at the address of staging; once a tester asks for it. */
  control?: SandboxControl
  /** By its name at the address of production, once it is asked for there. */
  seenInProduction?: SandboxControl
}

interface Registered {
  /** Its full name. */
  name: string
  apiKey: string
  /** Its place in the order in which they were made. */
  number: number
  /** Most are opened when they are first asked for, or when their work is due. */
  state: Opened | Unopened
  /** It is removed at the end of its time, unless this is called. */
  cancelRemoval: () => void
}

/** A sandbox that was kept, or one that is empty and in memory: its parts are 25 KB, and many are never asked. */
interface Unopened extends KnownSandbox {
  start: SandboxStart
}

const isOpened = (state: Opened | Unopened): state is Opened => 'internals' in state

/** How many databases are open at a time. A process may usually have 1,024 descriptors, and each file takes two. */
const OPEN_FILES_MAX = 256
const OPEN_IN_MEMORY_MAX = 1_000

type SandboxStart = Pick<SandboxSetup, 'isKept' | 'from' | 'carried'>

export class SandboxRegistry {
  readonly #settings: RegistrySettings
  /** The machine's time, by which sandboxes expire. */
  readonly #clock = new Clock()
  readonly #metrics = new Metrics()
  readonly #byName = new Map<string, Registered>()
  readonly #byKey = new Map<string, Registered>()
  readonly #openDatabases: OpenDatabases
  /** Undefined where all is in memory. */
  readonly #folder: DataFolder | undefined
  /** The names of kept sandboxes whose work is due. */
  readonly #due = new Set<string>()
  #registered = 0

  /** Opens the sandbox `default`, those of these names, and those that the folder has kept. */
  constructor(settings: RegistrySettings, names: readonly string[]) {
    this.#settings = settings
    const { data, defaults, production } = settings
    this.#folder = data === undefined ? undefined : new DataFolder(data, settings.log)
    const most = this.#folder ? OPEN_FILES_MAX : OPEN_IN_MEMORY_MAX
    this.#openDatabases = new OpenDatabases(settings.openDatabases ?? most)
    try {
      const kept = this.#folder?.read() ?? new Map<string, KeptSandbox>()
      this.#openOrAdd(DEFAULT_SANDBOX, this.#defaultConfig('staging'), kept)
      if (production) {
        this.#openOrAdd(fullName(DEFAULT_OF_PRODUCTION), this.#defaultConfig('production'), kept)
      }
      for (const place of names.map((name) => placeOf(name, 'staging'))) {
        const { environment, name } = place
        this.#requireServed(environment)
        this.#openOrAdd(fullName(place), sandboxConfig(name, { ...defaults, environment }), kept)
      }
      for (const [name, found] of kept) {
        if (!this.#byName.has(name)) this.#registerKept(name, found)
      }
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** As one address sees them: a plain name means a sandbox of its environment, and a new one is made there. */
  at(address: Environment): Sandboxes {
    const named = (name: string) => fullName(placeOf(name, address))
    const seen = (one: Opened) => seenAt(address, one)
    return {
      environment: address,
      addressOf: (environment) =>
        this.#settings.publicUrl[environment] ?? this.#settings.address(environment),
      sandbox: (name, options) => seen(this.#sandbox(address, name, options)),
      create: (options) => seen(this.#opened(this.#create(address, options))!),
      createUnopened: (options) => this.#describe(address, this.#create(address, options)),
      sandboxes: () => [...this.#byName.values()].map((one) => this.#seenUnopened(address, one)),
      list: (window) => this.#list(address, window),
      find: (name) => seen(this.#require(named(name))),
      remove: (name) => this.#remove(named(name)),
      metrics: () => atOnce(this.#metrics.text(this.#measured())),
      metricsInTurns: () => inTurns(() => this.#metrics.text(this.#measured())),
    }
  }

  *#measured(): Generator<Measured> {
    for (const one of this.#byName.values()) yield measuredOf(one)
  }

  /** Opened when more is asked of it than what is known. */
  #seenUnopened(address: Environment, one: Registered): SandboxControl {
    if (isOpened(one.state)) return seenAt(address, one.state)
    const known = {
      name: nameSeenAt(address, one.name),
      apiKey: one.apiKey,
      describe: () => this.#describe(address, one),
    }
    const open = () => seenAt(address, this.#require(one.name))
    return new Proxy(known as unknown as SandboxControl, {
      get: (_, property) => Reflect.get(property in known ? known : open(), property),
    })
  }

  #describe(address: Environment, one: Registered): SandboxDescription {
    const { state } = one
    if (isOpened(state)) return seenAt(address, state).describe()
    const { environment } = placeOf(one.name, 'staging')
    const url = this.#settings.publicUrl[environment] ?? this.#settings.address(environment)
    return lazyControl.loaded.describe(
      nameSeenAt(address, one.name),
      configOf(one.name, state),
      state.summary,
      url,
    )
  }

  /** The latest, in the order in which they were made; the next page has those before. */
  #list(address: Environment, { limit, cursor = this.#registered + 1 }: PageWindow): SandboxPage {
    const before = [...this.#byName.values()].filter(({ number }) => number < cursor)
    const page = before.slice(-limit)
    const hasMore = before.length > limit
    const nextCursor = hasMore ? formatCursor(page[0]!.number) : null
    return { data: page.map((one) => this.#describe(address, one)), hasMore, nextCursor }
  }

  #sandbox(address: Environment, given: string, options: OpenedSandbox = {}): Opened {
    refuseUnknown(options, NEW_SANDBOX_OPTIONS)
    if (typeof given !== 'string') sandboxName(given)
    const place = placeAsked(given, options.environment, address)
    const found = this.#find(fullName(place))
    if (!found) return this.#opened(this.#create(address, { ...options, name: given }))!
    requireSettings(found.internals, place, options)
    return found
  }

  #create(address: Environment, asked: NewSandbox = {}): Registered {
    refuseUnknown(asked, NEW_SANDBOX_OPTIONS)
    const { name: given, from, ttl, ...options } = asked
    const source =
      from === undefined
        ? undefined
        : lazyControl.loaded.readSource(
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
    if (from !== undefined) config.startedFrom = lazyControl.loaded.sourceText(from)
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
    const known = this.#byKey.get(apiKey ?? '')
    const found = known && this.#opened(known)?.internals
    return found?.config.environment === environment ? found : this.internalsAt(environment, DEFAULT_SANDBOX)!
  }

  #remove(name: string): void {
    if (!this.#byName.has(name)) throw notFound('Sandbox')
    if (isDefault(name)) throw wrongState(`Sandbox ${name}`, 'always there')
    this.#forget(name)
  }

  /** Resolves once every request in flight is answered. */
  async finish(): Promise<void> {
    await Promise.all(this.#allOpened().map(({ internals }) => internals.finish()))
  }

  /** Waits for the disk for several sandboxes at once, and closes them all. */
  async end(): Promise<void> {
    this.#stop()
    const open = this.#allOpened()
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
    this.#stop()
    try {
      for (const { internals } of this.#allOpened()) internals.close()
    } finally {
      this.#folder?.unlock()
    }
  }

  #stop(): void {
    this.#clock.stop()
    this.#due.clear()
  }

  #allOpened(): Opened[] {
    return [...this.#byName.values()].map(({ state }) => state).filter(isOpened)
  }

  #requireServed(environment: Environment): void {
    if (environment === 'staging' || this.#settings.production !== false) return
    throw new WrongOption('environment', 'must be staging here; paysim start --production serves production')
  }

  #openOrAdd(name: string, config: SandboxConfig, kept: ReadonlyMap<string, KeptSandbox>): void {
    const found = kept.get(name)
    if (found) this.#registerKept(name, { config: found.config })
    if (!this.#byName.has(name)) this.#add(name, config)
  }

  /** What the index knows is opened later. One that cannot be served is no reason not to serve the others. */
  #registerKept(name: string, { config, summary }: KeptSandbox): void {
    const start = { isKept: true }
    try {
      this.#requireFree(name, config.apiKey)
      if (summary) this.#register(name, config, { config, summary, start })
      else this.#register(name, config, this.#open(name, configOfKept(name, config), start))
    } catch (cause) {
      this.#folder!.cannotServe(name, cause)
    }
    const dueAt = summary && machineTimeOfDue(summary)
    if (dueAt !== undefined) this.#clock.at(dueAt, () => this.#openSoon(name))
  }

  /** Undefined for what was kept and turns out to be damaged, which is no sandbox any more. */
  #opened(one: Registered): Opened | undefined {
    const { name, state } = one
    if (isOpened(state)) return state
    try {
      const opened = this.#open(name, configOf(name, state), state.start)
      one.state = opened
      return opened
    } catch (cause) {
      if (!state.start.isKept) throw cause
      onDisk(() => this.#folder!.cannotServe(name, cause))
      this.#unregister(one)
      return undefined
    }
  }

  /** One in each turn of the event loop, so that requests are answered between them. */
  #openSoon(name: string): void {
    this.#due.add(name)
    if (this.#due.size === 1) setImmediate(() => this.#openDue())
  }

  #openDue(): void {
    const [name] = this.#due
    if (name === undefined) return
    try {
      this.#find(name)
    } catch (cause) {
      this.#settings.log('error', `the work of ${name} that is due waits until it is asked for`, { cause })
    }
    this.#due.delete(name)
    if (this.#due.size > 0) setImmediate(() => this.#openDue())
  }

  #add(name: string, config: SandboxConfig, start: SandboxStart = {}): Registered {
    this.#requireFree(name, config.apiKey)
    if (config.fixture !== undefined) lazyControl.loaded.requireFixture(config.fixture)
    this.#folder?.clearName(name)
    const isEmptyInMemory = !this.#folder && start.from === undefined && config.fixture === undefined
    const state = isEmptyInMemory ? unopened(config, start) : this.#open(name, config, start)
    return this.#register(name, config, state)
  }

  #requireFree(name: string, apiKey: string): void {
    if (this.#byName.has(name)) throw sandboxExists(`There is a sandbox ${name} already`)
    const holder = this.#byKey.get(apiKey)
    if (holder) throw sandboxExists(`The sandbox ${holder.name} has this API key already`)
  }

  #open(name: string, config: SandboxConfig, start: SandboxStart): Opened {
    const { durability, memory, log, onAnswer } = this.#settings
    const publicUrl = this.#settings.publicUrl[config.environment]
    const address = () => this.#settings.address(config.environment)
    const closed = (summary: SandboxSummary) => this.#folder?.closed(name, config, summary)
    const shared = { durability, publicUrl, address, memory, log, openDatabases: this.#openDatabases }
    const internals = new Sandbox(config, { name, folder: this.#folder?.path, closed, ...shared, ...start })
    const remove = () => {
      const state = this.#byName.get(name)?.state
      if (!isDefault(name) && state && isOpened(state) && state.internals === internals) this.#forget(name)
    }
    internals.journal.watch(this.#metrics.count)
    if (onAnswer) internals.journal.watch((entry) => onAnswer(name, entry))
    return { internals, remove }
  }

  #register(name: string, { apiKey, expiresAt }: SandboxConfig, state: Registered['state']): Registered {
    const cancelRemoval =
      expiresAt === undefined ? () => {} : this.#clock.at(expiresAt, () => this.#forget(name))
    this.#registered += 1
    const registered: Registered = { name, apiKey, number: this.#registered, state, cancelRemoval }
    this.#byName.set(name, registered)
    this.#byKey.set(apiKey, registered)
    return registered
  }

  #forget(name: string): void {
    const one = this.#byName.get(name)!
    this.#unregister(one)
    if (isOpened(one.state)) {
      one.state.internals.behaviors.abandon()
      one.state.internals.destroy()
    } else if (one.state.start.isKept) this.#folder!.remove(name)
  }

  #unregister(one: Registered): void {
    // The alarm would hold everything that the sandbox has in memory until its instant.
    one.cancelRemoval()
    this.#byName.delete(one.name)
    this.#byKey.delete(one.apiKey)
  }

  #require(name: string): Opened {
    const found = this.#find(name)
    if (!found) throw notFound('Sandbox')
    return found
  }

  /** Production's sandbox `default` is made once it is looked for, so a simulator without production does without it. */
  #find(name: string): Opened | undefined {
    const found = this.#byName.get(name)
    if (found) return this.#opened(found)
    if (name !== fullName(DEFAULT_OF_PRODUCTION) || this.#settings.production === false) return undefined
    return this.#opened(this.#add(name, this.#defaultConfig('production')))
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

const configOf = (name: string, { config, start }: Unopened): SandboxConfig =>
  start.isKept ? configOfKept(name, config) : config

/** A frozen clock stands at the instant at which the sandbox was made, not at that of its first request. */
function unopened(config: SandboxConfig, { carried, ...start }: SandboxStart): Unopened {
  const clock = carried?.clock ?? startOf(config.clock)
  const summary = { ...NO_WORK, clock, endpoint: endpointOf(config) ?? null }
  return { config, summary, start: { ...start, carried: { ...carried, clock } } }
}

/** When the machine's clock reaches what is due first; never where the sandbox's clock stands before it. */
function machineTimeOfDue({ clock, dueAt }: SandboxSummary): number | undefined {
  if (dueAt === null) return undefined
  if (clock.frozenAt === null) return dueAt - clock.offsetMs
  return dueAt <= clock.frozenAt ? 0 : undefined
}

const measuredOf = ({ state }: Registered): Measured =>
  isOpened(state)
    ? { inFlight: state.internals.journal.inFlight.length, counts: state.internals.counts }
    : { inFlight: 0, counts: state.summary }

/** The same sandbox under the name that this address gives it. */
function seenAt(address: Environment, one: Opened): SandboxControl {
  one.control ??= lazyControl.loaded.createControl(one.internals, one.remove)
  const { control } = one
  const name = nameSeenAt(address, control.name)
  if (name === control.name) return control
  one.seenInProduction ??= Object.create(control, {
    name: { value: name, enumerable: true },
    describe: { value: () => ({ ...control.describe(), name }), enumerable: true },
  }) as SandboxControl
  return one.seenInProduction
}

const DEFAULT_OF_PRODUCTION: Place = { environment: 'production', name: DEFAULT_SANDBOX }

/** It cannot be removed. */
const isDefault = (name: string) => placeOf(name, 'staging').name === DEFAULT_SANDBOX

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
    (from !== undefined && lazyControl.loaded.sourceText(from) !== config.startedFrom ? 'from' : undefined) ??
    (ttl !== undefined && duration(ttl, 'ttl') !== config.ttl ? 'ttl' : undefined)
  if (other !== undefined) throw sandboxExists(`There is a sandbox ${name} already, with another ${other}`)
}

const withoutUndefined = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
