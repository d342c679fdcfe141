/** One sandbox: the whole state of a platform, and the parts that work on it. */
import { Agenda } from '../service/agenda/agenda.ts'
import { type DoorServices, handleRequest } from '../service/door/door.ts'
import { Idempotency } from '../service/door/idempotency.ts'
import { Journal, type MemoryBound } from '../service/door/journal.ts'
import { RateLimit, rateLimitHeaders } from '../service/door/rate-limit.ts'
import { ReadCache } from '../service/door/read-cache.ts'
import { type Answer, fromProxy, type PlatformRequest } from '../service/door/request.ts'
import { rulesOf } from '../service/environments/rules-of.ts'
import { routesUnder } from '../service/operations/table.ts'
import { SandboxAddress, UnitServices } from '../service/operations/unit.ts'
import { CurrentStore } from '../service/store/current-store.ts'
import type { SandboxFiles } from '../service/store/files.ts'
import type { OpenDatabases } from '../service/store/open-databases.ts'
import { ClockAndRandom, initialClock } from '../service/store/settings.ts'
import { type Snapshots, snapshots } from '../service/store/snapshots.ts'
import type { DatabaseSource } from '../service/store/source.ts'
import type { Store } from '../service/store/store.ts'
import type { AttemptSlots } from '../service/webhooks/attempt-slots.ts'
import { signerOf } from '../service/webhooks/sign.ts'
import { Webhooks } from '../service/webhooks/webhooks.ts'
import { type Contract, contractOf } from '../spec/contract/contract.ts'
import { RATE_LIMIT_REQUESTS } from '../spec/contract/limits.ts'
import type { Log } from '../spec/log.ts'
import type { SandboxConfig } from '../spec/options/sandbox.ts'
import { Clock, type ClockState } from '../spec/world/clock.ts'
import { Random } from '../spec/world/random.ts'
import { withStubs } from './behaviors/armed-behaviors.ts'
import { BehaviorEngine } from './behaviors/engine.ts'
import { type CarriedState, completeStore } from './complete-store.ts'
import { type SandboxLog, sandboxLog } from './log.ts'
import { emptySummary, endpointOf, type SandboxSummary, type StoredSummary } from './summary.ts'

export interface SandboxSetup {
  name: string
  /** Its files; without them its database and snapshots are in memory. */
  files?: SandboxFiles | undefined
  /** Whether its files exist already. */
  isKept?: boolean
  /** The database to copy for a new sandbox, and the state that replaces parts of it. */
  from?: DatabaseSource | undefined
  carried?: CarriedState | undefined
  /** The base of the URLs that it hands out; default: the origin of the latest request. */
  publicUrl?: string | undefined
  /** The simulator's address, if it listens: for URLs before the first request. */
  address(): string | undefined
  /** Shared by all sandboxes of a simulator. */
  memory: MemoryBound
  openDatabases: OpenDatabases
  /** Whether the simulator is behind a proxy. Taken from the current start, also for a kept sandbox. */
  trustProxy: boolean | undefined
  slots: AttemptSlots
  /** Called before part of the state is removed. The returned function is called afterwards. */
  forgetting?: ((what: Forgotten) => () => void) | undefined
  log: Log
}

/** `state`: the database is replaced; `journal`: its entries are removed. */
export type Forgotten = 'state' | 'journal'

/** The number of the seed's stream for chances: ids are drawn from stream 1. */
const CHANCES = 2

export class Sandbox {
  readonly name: string
  readonly config: SandboxConfig
  readonly contract: Contract
  /** The clock's initial state. */
  readonly initialClock: ClockState
  readonly clock: Clock
  readonly journal: Journal
  readonly rateLimit: RateLimit
  readonly snapshots: Snapshots
  readonly behaviors: BehaviorEngine
  readonly webhooks: Webhooks
  readonly services: UnitServices
  readonly agenda: Agenda
  readonly doorServices: DoorServices
  readonly address: SandboxAddress
  readonly #clockAndRandom = new ClockAndRandom()
  readonly #trustProxy: boolean
  readonly #database: CurrentStore
  readonly #files: SandboxFiles | undefined
  readonly #forgetting: (what: Forgotten) => () => void
  /** The summary of the database when it was last read; a sleeping one is not woken for it. */
  #stored: StoredSummary | undefined

  /**
   * Creates the parts in the order of their dependencies: each uses those above it. The calls in the other direction are in
   * `#watchedDatabase` and `completeRefundsWith`.
   */
  constructor(config: SandboxConfig, setup: SandboxSetup) {
    const { name, files, memory } = setup
    this.name = name
    this.config = config
    const contract = contractOf(config.profile)
    this.contract = contract
    this.initialClock = setup.carried?.clock ?? initialClock(config.clock)
    const { clock } = this.#clockAndRandom
    this.clock = clock
    this.address = new SandboxAddress(
      { name, environment: config.environment },
      setup.publicUrl,
      setup.address,
    )
    this.#files = files
    this.#forgetting = setup.forgetting ?? (() => () => {})
    const log = sandboxLog(name, contract, config.environment, setup.log)

    this.#trustProxy = config.trustProxy || setup.trustProxy === true
    this.journal = new Journal({ memory, moreHeaders: config.journal.headers })
    this.rateLimit = new RateLimit(config.rateLimit ?? RATE_LIMIT_REQUESTS, {
      windowMs: contract.rateWindowMs,
      // D60: a frozen clock never ends a window, so without an explicit limit it would refuse forever.
      refuses: () => config.rateLimit !== undefined || !clock.frozen,
    })
    this.snapshots = snapshots(files, memory)
    const database = this.#watchedDatabase(setup)
    this.#database = database

    const rules = rulesOf(config, contract.currency)
    const behaviors = new BehaviorEngine({
      ...{ clock, contract, database },
      rateLimit: this.rateLimit,
      chances: new Random(config.seed, CHANCES),
      faultsOnRequest: rules.faultsOnRequest,
    })
    this.behaviors = behaviors
    const webhooks = new Webhooks(database, behaviors.deliveryFaults, {
      signer: signerOf(contract.profile.webhooks.signature),
      retryDelaysMs: contract.retryDelaysMs,
      attemptTimeoutMs: contract.attemptTimeoutMs,
      secret: config.signingSecret,
    })
    this.webhooks = webhooks
    const { random } = this.#clockAndRandom
    const { address } = this
    this.services = new UnitServices({
      ...{ database, config, contract, random, rules, address, behaviors, webhooks },
    })
    this.agenda = this.#makeAgenda(log, setup.slots)
    behaviors.completeRefundsWith((id, write) => this.agenda.completeNow(id, write))
    this.doorServices = this.#makeDoorServices(log)

    this.#startOn(setup)
  }

  /** The database is opened after all parts are made, so the hooks may use each of them. */
  #watchedDatabase({ files, openDatabases }: SandboxSetup): CurrentStore {
    const database = new CurrentStore({
      file: files?.database,
      durability: files?.durability,
      among: openDatabases,
      isAtRest: () => this.journal.inFlight.length === 0 && this.agenda.isAtRest,
    })
    database.watch(this.#clockAndRandom)
    database.watch({ closing: (store) => this.#summarize(store) })
    return database
  }

  #makeAgenda(log: SandboxLog, slots: AttemptSlots): Agenda {
    const { services, clock, webhooks } = this
    return new Agenda({
      database: this.#database,
      services,
      clock,
      machine: new Clock(),
      webhooks,
      slots,
      requestsAnswered: () => this.#requestsAnswered(),
      attempted: (result) => log.attempted(result),
      bug: (cause, work) => log.workFailed(cause, work),
      diskFailed: (cause) => log.notStored(cause),
    })
  }

  #makeDoorServices(log: SandboxLog): DoorServices {
    const { config, clock, services, rateLimit, contract, journal, behaviors } = this
    return {
      routeOf: withStubs(routesUnder(contract), behaviors.armed),
      apiKey: config.apiKey,
      clock,
      services,
      rateLimit,
      addRateLimitHeaders: rateLimitHeaders(contract.profile.rateLimit),
      idempotency: new Idempotency(contract.keyRetentionMs),
      readCache: new ReadCache(),
      journal,
      interruptions: behaviors,
      requireFile: () => this.requireFile(),
      report: log,
    }
  }

  /** Opens or creates the database that the setup describes. An empty one in memory is created at its first use. */
  #startOn({ files, isKept, from, carried }: SandboxSetup): void {
    const webhook = endpointOf(this.config)
    const state: CarriedState = { ...carried, ...(webhook && { webhook }) }
    if (!files && !from && !this.config.fixture) {
      this.#beginAsleep(state)
      return
    }
    if (isKept) this.#database.open((store) => completeStore(store, this, state))
    else this.#database.replace(from, (store) => completeStore(store, this, state))
    this.#begin(carried?.random !== undefined)
  }

  /**
   * Starts without a database until it is first used; clock, random numbers and summary are known already.
   */
  #beginAsleep({ clock = this.initialClock, random, webhook }: CarriedState): void {
    this.#clockAndRandom.restore(clock, random ?? new Random(this.config.seed).state())
    this.#stored = emptySummary(webhook)
    this.#database.openLater((store) => {
      completeStore(store, this, { ...this.#clockAndRandom.state(), webhook })
      this.#clockAndRandom.load(store)
    })
  }

  /** The sandbox in lists. Commits first, and wakes no sleeping database. */
  committedSummary(): SandboxSummary {
    const { storeIfOpen } = this.#database
    if (storeIfOpen) this.#summarize(storeIfOpen)
    return { ...this.#stored!, clock: this.clock.state() }
  }

  #summarize(store: Store): void {
    this.#stored = { dueAt: store.committedDueAt(), endpoint: this.webhooks.endpointIn(store) ?? null }
  }

  /**
   * The database for testers' reads. Commits first, so that a read sees no rows that are rolled back later. Call it for every
   * use, because the database may be replaced.
   */
  committedStore(): Store {
    this.requireFile()
    const { store } = this.#database
    store.flush()
    return store
  }

  /** Throws if the file of its database was moved or removed. */
  requireFile(): void {
    this.#database.requireFile()
  }

  answer(request: PlatformRequest): Promise<Answer> {
    return handleRequest(this.doorServices, this.#trustProxy ? fromProxy(request) : request)
  }

  /** Replaces the database by a copy of `source`, or by an empty one. If that fails, nothing changes. */
  exchange(source: DatabaseSource | undefined, carried: CarriedState = {}): void {
    const forgotten = this.#forgetting('state')
    const behaviors = source ? [] : this.behaviors.stayingArmed()
    this.#database.replace(source, (store) => completeStore(store, this, { ...carried, behaviors }))
    this.journal.stateReplaced()
    this.webhooks.callOff()
    this.#begin(false)
    forgotten()
  }

  clearJournal(): void {
    const forgotten = this.#forgetting('journal')
    this.journal.clear()
    forgotten()
  }

  /** Resumes every held request, and resolves when the requests in flight have been answered. */
  async finish(): Promise<void> {
    this.behaviors.close()
    await this.#requestsAnswered()
  }

  close(): void {
    this.agenda.stop()
    this.webhooks.stop()
    this.clock.stop()
    this.#database.close()
  }

  /** Closes the sandbox and removes its files. */
  destroy(): void {
    this.close()
    this.journal.clear()
    this.snapshots.clear()
    this.#files?.remove()
  }

  /**
   * Continues from the database's state: the clock first, then behaviors, which use its time, then the agenda, whose work they
   * may change.
   */
  #begin(reseeded: boolean): void {
    this.#clockAndRandom.load(this.committedStore())
    this.behaviors.load({ reseeded })
    this.agenda.startOver()
  }

  /**
   * Waits for the requests in flight now, not for later ones, which under load never end. A request that is not held is answered
   * within a few turns of the event loop; held ones are not waited for.
   */
  async #requestsAnswered(): Promise<void> {
    const { journal, behaviors } = this
    const latest = journal.arrived
    const waiting = () =>
      journal.inFlight.some(({ id, number }) => number <= latest && !behaviors.heldRequests.has(id))
    while (waiting()) await new Promise(setImmediate)
  }
}
