/** One sandbox: a platform's whole state, and the parts that work on it. */

import { isDeepStrictEqual } from 'node:util'
import { Agenda } from './agenda/agenda.ts'
import { BehaviorEngine } from './behaviors/engine.ts'
import { requireReadableMemory } from './behaviors/readable.ts'
import { type Contract, contractOf, DEFAULT_CONTRACT } from './contract/contract.ts'
import { RATE_LIMIT_REQUESTS } from './contract/limits.ts'
import { lazyControl } from './control/lazy-control.ts'
import { bankOf } from './environments/bank.ts'
import { placeOf } from './environments/environment.ts'
import { rulesOf } from './environments/rules-of.ts'
import { type GateServices, handleRequest } from './gate/gate.ts'
import { Idempotency } from './gate/idempotency.ts'
import { Journal } from './gate/journal.ts'
import { KeptMemory } from './gate/kept-memory.ts'
import type { MaybePromise } from './gate/maybe-promise.ts'
import { RateLimit, rateLimitHeaders } from './gate/rate-limit.ts'
import { ReadCache } from './gate/read-cache.ts'
import type { Answer, PlatformRequest } from './gate/request.ts'
import { router } from './gate/routes.ts'
import type { Log } from './log.ts'
import { operationsUnder } from './operations/table.ts'
import { Unit, type UnitServices } from './operations/unit.ts'
import type { SandboxConfig } from './options/sandbox.ts'
import type { ClockStart } from './options/values.ts'
import { SandboxLog } from './sandbox-log.ts'
import { CurrentStore } from './store/current-store.ts'
import type { Durability } from './store/database.ts'
import { databaseFile, removeSandboxFiles, snapshotFolder } from './store/files.ts'
import type { OpenDatabases } from './store/open-databases.ts'
import { type Snapshots, snapshots } from './store/snapshots.ts'
import type { DatabaseSource } from './store/source.ts'
import type { Store } from './store/store.ts'
import { NO_WORK, type WorkCounts } from './store/work-counts.ts'
import { signerOf } from './webhooks/sign.ts'
import { type Endpoint, Webhooks } from './webhooks/webhooks.ts'
import { Clock, type ClockState, wallClock } from './world/clock.ts'
import { createIds } from './world/ids.ts'
import { Random, type RandomState } from './world/random.ts'

export interface SandboxSetup {
  name: string
  /** The folder that its database and its snapshots are kept in; they are in memory without it. */
  folder?: string | undefined
  durability?: Durability | undefined
  /** It is in the folder already. */
  isKept?: boolean
  /** The database that a new one starts from, and what of it is to be otherwise. */
  from?: DatabaseSource | undefined
  carried?: CarriedState | undefined
  /** The base of the URLs that it hands out; without it, the origin of the latest request. */
  publicUrl?: string | undefined
  /** Where the simulator listens, if it does: for URLs before the first request. */
  address?: (() => string | undefined) | undefined
  /** Shared by all sandboxes of a simulator. */
  memory?: KeptMemory | undefined
  openDatabases?: OpenDatabases | undefined
  /** Called when its file has been closed, with what was in it. */
  closed?: ((summary: SandboxSummary) => void) | undefined
  log: Log
}

/** What is known of a sandbox without its database, so that lists and metrics wake none. */
export interface SandboxSummary extends WorkCounts {
  clock: ClockState
  endpoint: Endpoint | null
}

/** What a sandbox takes along from one database to another. */
export interface CarriedState {
  clock?: ClockState | undefined
  random?: RandomState | undefined
  webhook?: Endpoint | null | undefined
}

/** The seed's second stream: ids are drawn from the first. */
const CHANCES = 2

/** No version of a database. */
const NONE = -1

export class Sandbox {
  readonly name: string
  readonly config: SandboxConfig
  readonly contract: Contract
  /** The clock as it was when the sandbox was made. */
  readonly start: ClockState
  readonly clock = new Clock()
  readonly journal: Journal
  readonly rateLimit: RateLimit
  readonly snapshots: Snapshots
  readonly behaviors: BehaviorEngine
  readonly webhooks: Webhooks
  readonly services: UnitServices
  readonly agenda: Agenda
  readonly gateServices: GateServices
  readonly #random = new Random()
  readonly #routed: (request: PlatformRequest) => PlatformRequest
  readonly #database: CurrentStore
  readonly #folder: string | undefined
  readonly #publicUrl: string | undefined
  readonly #address: () => string | undefined
  /** The origin of the latest request, for a sandbox without a public URL. */
  #origin: string | undefined
  /** The clock as the database has it. */
  #keptClock: ClockState
  /** The summary of the database as it was at this version. */
  #summed: { version: number; summary: SandboxSummary } | undefined

  /** Where its buyers' pages are, below the base. */
  readonly #pages: string

  /** Makes the parts in the order in which they depend on each other: each uses only the ones above it. */
  constructor(config: SandboxConfig, setup: SandboxSetup) {
    this.name = setup.name
    this.config = config
    this.contract = contractOf(config.profile)
    this.#routed = routedUnder(this.contract)
    this.start = setup.carried?.clock ?? startOf(config.clock)
    this.#keptClock = this.start
    // The address of an environment serves the pages of its own sandboxes alone, so the plain name is enough.
    const plainName = placeOf(setup.name, config.environment).name
    this.#pages = `${plainName === 'default' ? '' : `/sandboxes/${plainName}`}/checkout/`
    this.#publicUrl = setup.publicUrl
    this.#address = setup.address ?? (() => undefined)
    // D60: the window of a frozen clock never ends, so a limit that was not asked for would refuse for ever.
    this.rateLimit = new RateLimit(config.rateLimit ?? RATE_LIMIT_REQUESTS, {
      windowMs: this.contract.rateWindowMs,
      refuses: () => config.rateLimit !== undefined || !this.clock.frozen,
    })
    const { name, folder, durability } = setup
    this.#folder = folder
    const memory = setup.memory ?? new KeptMemory()
    this.journal = new Journal(undefined, undefined, memory, config.journal.headers)
    this.snapshots = snapshots(folder && snapshotFolder(folder, name), durability !== 'process', memory)

    const { clock, contract, journal, rateLimit } = this
    const log = new SandboxLog(name, contract, setup.log)
    const database = new CurrentStore({
      file: folder && databaseFile(folder, name),
      durability,
      among: setup.openDatabases,
      isAtRest: () => journal.inFlight.length === 0 && this.agenda.isAtRest,
    })
    this.#database = database
    database.watch({
      closing: (store) => this.#sumUp(store),
      closed: () => setup.closed?.(this.summary),
      beforeCommit: (store) => {
        this.#keepClockAndRandom(store)
        this.behaviors.write(store)
      },
      rolledBack: (store) => {
        this.#reloadClockAndRandom(store)
        this.behaviors.rolledBack()
      },
    })

    const rules = rulesOf(config.environment, config.staging, config.seed)
    const behaviors = new BehaviorEngine({
      clock,
      contract,
      rateLimit,
      chances: new Random(config.seed, CHANCES),
      faultsOnRequest: rules.faultsOnRequest,
      database,
    })
    this.behaviors = behaviors
    const webhooks = new Webhooks(database, behaviors.deliveryFaults, {
      signer: signerOf(contract.profile.webhooks.signature),
      retryDelaysMs: contract.retryDelaysMs,
      attemptTimeoutMs: contract.attemptTimeoutMs,
    })
    this.webhooks = webhooks

    const services = new CurrentServices(database, config, {
      contract,
      ids: createIds(this.#random, contract.idPrefixes, contract.profile.ids.length),
      rules,
      bank: bankOf(rules, (question) => behaviors.decides(question)),
      newCode: () => rules.newCode(this.#random),
      refundTiming: (refund) => behaviors.refundTiming(refund) ?? { afterMs: config.refundDelay },
      checkoutUrl: (id) => this.#checkoutUrl(id),
      announce: (unit, event) => webhooks.announce(unit, event),
    })
    this.services = services

    this.agenda = new Agenda({
      database,
      services,
      clock,
      machine: new Clock(),
      webhooks,
      requestsAnswered: () => this.#requestsAnswered(),
      attempted: (result) => log.attempted(result),
      bug: (cause, work) => log.workFailed(cause, work),
      diskFailed: (cause) => log.notStored(cause),
    })

    behaviors.completeRefundsWith((id) => this.agenda.completeNow(id))

    this.gateServices = {
      apiKey: config.apiKey,
      clock,
      services,
      rateLimit,
      rateLimitHeaders: rateLimitHeaders(contract.profile.rateLimit),
      idempotency: new Idempotency(contract.keyRetentionMs),
      reads: new ReadCache(),
      journal,
      interruptions: behaviors,
      addressedAt: (origin) => this.addressedAt(origin),
      report: log,
    }

    const webhook = endpointOf(config)
    const carried: CarriedState = { ...setup.carried, ...(webhook && { webhook }) }
    const complete = (store: Store) => this.#complete(store, carried)
    if (folder === undefined && !setup.from && !config.fixture) {
      this.#beginAsleep(carried)
      return
    }
    if (setup.isKept) database.open(complete)
    else database.replace(setup.from, complete)
    this.#begin(() => behaviors.load({ reseeded: setup.carried?.random !== undefined }))
  }

  /** Without a database until one is asked for: what it will have is known. */
  #beginAsleep({ clock = this.start, random, webhook }: CarriedState): void {
    this.clock.restore(clock)
    this.#random.restore(random ?? new Random(this.config.seed).state())
    this.#summed = { version: NONE, summary: { ...NO_WORK, clock, endpoint: webhook ?? null } }
    this.#database.openLater((store) => {
      const present = { clock: this.clock.state(), random: this.#random.state() }
      this.#keptClock = present.clock
      this.#complete(store, { ...present, webhook })
    })
  }

  /** What lists and metrics say of it. A database that sleeps is not woken. */
  get summary(): SandboxSummary {
    const summary = this.#database.isOpen ? this.#sumUp(this.store) : this.#summed!.summary
    return { ...summary, clock: this.clock.state() }
  }

  /** What metrics say of it. */
  get counts(): WorkCounts {
    return this.#database.isOpen ? this.#database.store.counts() : this.#summed!.summary
  }

  #sumUp(store: Store): SandboxSummary {
    if (this.#summed?.version !== store.version) {
      const { clock, webhooks } = this
      this.#summed = {
        version: store.version,
        summary: { ...store.counts(), clock: clock.state(), endpoint: webhooks.endpoint ?? null },
      }
    }
    return this.#summed.summary
  }

  /**
   * For testers: what a request has written is committed first, so that nothing is read of one that fails. Read this
   * anew for every use, because another database may be put in its place.
   */
  get store(): Store {
    const { store } = this.#database
    store.flush()
    return store
  }

  answer(request: PlatformRequest): MaybePromise<Answer> {
    return handleRequest(this.gateServices, this.#routed(request))
  }

  /** Called with the origin of every request with the right key, before its operation: URLs begin with it. */
  addressedAt(origin: string): void {
    this.#origin = origin
  }

  /** Puts another database in this one's place, or an empty one, and goes on from there. Where that fails, nothing changes. */
  exchange(source: DatabaseSource | undefined, carried: CarriedState = {}): void {
    this.#database.replace(source, (store) => this.#complete(store, carried))
    this.journal.stateReplaced()
    this.webhooks.callOff()
    this.#begin(() => (source ? this.behaviors.load({ reseeded: false }) : this.behaviors.startEmpty()))
  }

  /** Ends every wait at a gate or for the clock, and resolves once what is in flight has been answered. */
  async finish(): Promise<void> {
    this.behaviors.close()
    await this.#requestsAnswered()
  }

  /** Stops its own work, and resolves once everything is on the disk: `close` would have to wait for that. */
  async readyToClose(): Promise<void> {
    this.#stop()
    await this.#database.readyToClose()
  }

  close(): void {
    this.#stop()
    this.#database.close()
  }

  /** Closes, and removes its files. */
  destroy(): void {
    this.close()
    this.journal.clear()
    this.snapshots.clear()
    if (this.#folder !== undefined) removeSandboxFiles(this.#folder, this.name)
  }

  #stop(): void {
    this.agenda.stop()
    this.webhooks.stop()
    this.clock.stop()
  }

  /**
   * Writes what a database needs before it is this sandbox's. What is carried along counts before what the database has,
   * and that before the options. One that has it all already is not written to, so that it opens on a full disk.
   */
  #complete(store: Store, { webhook, ...carried }: CarriedState): void {
    requireReadableMemory(store)
    const { services } = this
    // Where webhooks go can be changed later, so it is a setting of its own.
    const { webhook: _, ...config } = this.config
    const { settings } = store
    const isNew = settings.get('config') === undefined
    const clock = carried.clock ?? settings.get<ClockState>('clock') ?? this.start
    const random = new Random(config.seed)
    const drawn = carried.random ?? settings.get<RandomState>('random')
    if (drawn) random.restore(drawn)

    const wanted = { clock, config, random: random.state(), ...(webhook !== undefined && { webhook }) }
    const isThere = ([name, value]: [string, unknown]) =>
      isDeepStrictEqual(settings.get(name), JSON.parse(JSON.stringify(value)))
    if (Object.entries(wanted).every(isThere)) return
    store.transactNow(() => {
      // Seed data is no news, so no webhook tells of it and no behavior sees it.
      if (isNew && config.fixture) {
        const seeding: UnitServices = {
          contract: services.contract,
          store,
          ids: createIds(random, services.contract.idPrefixes, services.contract.profile.ids.length),
          rules: services.rules,
          bank: services.bank,
          requireApproval: services.requireApproval,
          newCode: () => services.rules.newCode(random),
          refundTiming: () => ({ afterMs: config.refundDelay }),
          checkoutUrl: services.checkoutUrl,
          announce() {},
        }
        lazyControl.loaded.seedFixture(new Unit(seeding, new Clock(clock).now()), config.fixture)
      }
      for (const [name, value] of Object.entries({ ...wanted, random: random.state() })) {
        settings.put(name, value)
      }
    })
  }

  /** Goes on from where the database is: behaviors with its time, and what is due with those behaviors. */
  #begin(startBehaviors: () => void): void {
    this.#reloadClockAndRandom(this.store)
    startBehaviors()
    this.agenda.startOver()
  }

  /** With every commit, so that a restart and a restored snapshot go on from the same time and the same next id. */
  #keepClockAndRandom({ settings }: Store): void {
    settings.put('random', this.#random.state())
    const state = this.clock.state()
    if (isSame(state, this.#keptClock)) return
    this.#keptClock = state
    settings.put('clock', state)
  }

  /** A commit failed: ids that it drew are in no row, and a clock that was moved goes back, like everything else. */
  #reloadClockAndRandom({ settings }: Store): void {
    const random = settings.get<RandomState>('random')
    const clock = settings.get<ClockState>('clock')
    if (!random || !clock) return
    this.#random.restore(random)
    this.#keptClock = clock
    if (!isSame(clock, this.clock.state())) this.clock.restore(clock)
  }

  /** The base of what it serves: as it was told, as the latest request wrote it, or where the simulator listens. */
  url(): string | undefined {
    return this.#publicUrl ?? this.#origin ?? this.#address()
  }

  #checkoutUrl(id: string): string {
    return `${this.url() ?? ''}${this.#pages}${id}`
  }

  /**
   * Those in flight now: under load there is always a later one. A request that goes on is answered within a few turns of
   * the event loop; one that is held may wait for a tester.
   */
  async #requestsAnswered(): Promise<void> {
    const { journal, behaviors } = this
    const latest = journal.arrived
    const waiting = () => journal.inFlight.some(({ id, number }) => number <= latest && !behaviors.isHeld(id))
    while (waiting()) await new Promise(setImmediate)
  }
}

/** What a unit of work uses, with the database and the option as they are when it asks. */
class CurrentServices implements UnitServices {
  readonly contract: UnitServices['contract']
  readonly ids: UnitServices['ids']
  readonly rules: UnitServices['rules']
  readonly bank: UnitServices['bank']
  readonly newCode: UnitServices['newCode']
  readonly refundTiming: UnitServices['refundTiming']
  readonly checkoutUrl: UnitServices['checkoutUrl']
  readonly announce: UnitServices['announce']
  readonly #database: CurrentStore
  readonly #config: SandboxConfig

  constructor(
    database: CurrentStore,
    config: SandboxConfig,
    others: Omit<UnitServices, 'store' | 'requireApproval'>,
  ) {
    this.#database = database
    this.#config = config
    this.contract = others.contract
    this.ids = others.ids
    this.rules = others.rules
    this.bank = others.bank
    this.newCode = others.newCode
    this.refundTiming = others.refundTiming
    this.checkoutUrl = others.checkoutUrl
    this.announce = others.announce
  }

  get store(): Store {
    return this.#database.store
  }

  get requireApproval(): boolean {
    return this.#config.requireApproval || this.rules.needsApproval
  }
}

/** Where webhooks go at first. */
export const endpointOf = ({ webhook, signingSecret }: SandboxConfig): Endpoint | undefined =>
  webhook && { ...webhook, secret: signingSecret, disabledAt: null }

/** The app has routed the request under the defaults. */
function routedUnder(contract: Contract): (request: PlatformRequest) => PlatformRequest {
  if (contract === DEFAULT_CONTRACT) return (request) => request
  const routeOf = router(operationsUnder(contract))
  return (request) => ({ ...request, route: routeOf(request) })
}

const isSame = (one: ClockState, other: ClockState) =>
  one.frozenAt === other.frozenAt && one.offsetMs === other.offsetMs

export const startOf = (start: ClockStart): ClockState => ({
  frozenAt: start.mode === 'frozen' ? (start.at ?? wallClock()) : null,
  offsetMs: 0,
})
