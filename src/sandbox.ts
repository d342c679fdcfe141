/** One sandbox: one platform's whole world, composed in the order in which its parts depend on each other. */

import { Agenda } from './agenda/agenda.ts'
import { BehaviorEngine } from './behaviors/engine.ts'
import type { ClockStart, SandboxConfig } from './config.ts'
import { seedFixture } from './control/fixture.ts'
import { type GateServices, handleRequest } from './gate/gate.ts'
import { Idempotency } from './gate/idempotency.ts'
import { Journal } from './gate/journal.ts'
import type { MaybePromise } from './gate/maybe-promise.ts'
import { RateLimit } from './gate/rate-limit.ts'
import { ReadCache } from './gate/read-cache.ts'
import type { Answer, PlatformRequest } from './gate/request.ts'
import type { Log } from './log.ts'
import { Unit, type UnitServices } from './operations/unit.ts'
import { stagingBank } from './staging/bank.ts'
import type { Durability } from './store/database.ts'
import { snapshots } from './store/snapshots.ts'
import { openStore, type Store } from './store/store.ts'
import { type Endpoint, Webhooks } from './webhooks/webhooks.ts'
import { type ClockState, createClock, wallClock } from './world/clock.ts'
import { createIds } from './world/ids.ts'
import { createRandom, type RandomState } from './world/random.ts'

export interface SandboxSetup {
  name: string
  /** Where its database is kept; in memory without it. */
  file?: string | undefined
  durability?: Durability | undefined
  /** The bytes of the database to start from, and what of it is to be otherwise. */
  from?: Buffer | undefined
  carried?: CarriedState | undefined
  /** The base of the URLs that it hands out; without it, what the latest request addressed. */
  publicUrl?: string | undefined
  /** Where its snapshots are kept; in memory without it. */
  snapshotFolder?: string | undefined
  log: Log
}

/** What a sandbox takes along from one database to another. */
export interface CarriedState {
  clock?: ClockState | undefined
  random?: RandomState | undefined
  webhook?: Endpoint | null | undefined
}

/** The seed's second stream: ids are drawn from the first. */
const CHANCES = 2

export type Sandbox = ReturnType<typeof createSandbox>

export function createSandbox(config: SandboxConfig, surroundings: SandboxSetup) {
  const { name, file, durability, from, log } = surroundings

  const clock = createClock()
  const start = startOf(config.clock)
  const random = createRandom()
  const ids = createIds(random)

  const watching = {
    /** Chance and time are kept with every commit, so whoever opens the database goes on from the same place. */
    beforeCommit({ settings }: Store): void {
      settings.put('random', random.state())
      const { frozenAt, offsetMs } = clock.state()
      if (frozenAt === keptClock.frozenAt && offsetMs === keptClock.offsetMs) return
      keptClock = { frozenAt, offsetMs }
      settings.put('clock', keptClock)
    },
    workAdded: (dueAt: number) => agenda.added(dueAt),
  }
  let keptClock: ClockState = start
  let store = openStore({ file, durability, from }, watching)
  let origin = surroundings.publicUrl ?? ''

  const rateLimit = new RateLimit(config.rateLimit)
  const scenarios = new BehaviorEngine({
    clock,
    rateLimit,
    chances: createRandom(config.seed, CHANCES),
    checkout: (id) => store.checkouts.find(id),
    completeRefund: (id) => agenda.completeNow(id),
  })
  const webhooks = new Webhooks(() => store, scenarios.deliveryFaults)
  const kept = snapshots(surroundings.snapshotFolder)
  const services: UnitServices = {
    get store() {
      return store
    },
    ids,
    staging: config.staging,
    bank: stagingBank(config.staging, (question) => scenarios.declines(question)),
    requireApproval: config.requireApproval,
    refundTiming: (refund) => scenarios.refundTiming(refund) ?? { afterMs: config.refundDelayMs },
    checkoutUrl: (id) => `${origin}${name === 'default' ? '' : `/sandboxes/${name}`}/checkout/${id}`,
    announce: (unit, event) => webhooks.announce(unit, event),
  }

  const journal = new Journal()
  const idempotency = new Idempotency()
  const agenda = new Agenda({
    services,
    clock,
    webhooks,
    requestsAnswered,
    bug: (work, cause) => log('error', 'later work failed', { sandbox: name, ...work, cause }),
  })

  let saidHowToChangeTheLimit = false
  const gateServices: GateServices = {
    apiKey: config.apiKey,
    clock,
    services,
    rateLimit,
    idempotency,
    reads: new ReadCache(),
    journal,
    interruptions: scenarios,
    addressedAt,
    report: {
      rateLimited({ id, ip }, limit) {
        if (saidHowToChangeTheLimit) return
        saidHowToChangeTheLimit = true
        log(
          'warn',
          `429 for ${ip}: more than ${limit} requests in a minute, like staging. --rate-limit N or off changes it.`,
          { sandbox: name, request: id },
        )
      },
      bug(entry, cause) {
        log('error', `500 for ${entry.method} ${entry.target}`, { sandbox: name, request: entry.id, cause })
      },
    },
  }

  function addressedAt(address: string): void {
    if (surroundings.publicUrl === undefined) origin = address
  }

  /** A request that was woken is answered within a few turns of the event loop; a parked one waits for somebody. */
  async function requestsAnswered(): Promise<void> {
    while (journal.inFlight.size > scenarios.parked) await new Promise(setImmediate)
  }

  /** What is carried along comes before what the database knows of the world it was left in, and that before the options. */
  function settleIn(carried: CarriedState): void {
    const { settings } = store
    const isNew = settings.get('config') === undefined
    keptClock = carried.clock ?? settings.get<ClockState>('clock') ?? start
    clock.restore(keptClock)
    random.restore(carried.random ?? settings.get<RandomState>('random') ?? createRandom(config.seed).state())
    // What was there from the start is news to nobody: it is planted before there is an endpoint.
    webhooks.reload()
    store.transactNow(() => {
      settings.put('clock', keptClock)
      settings.put('config', config)
      if (isNew && config.fixture) seedFixture(new Unit(services, clock.now()), config.fixture)
      if (carried.webhook !== undefined) settings.put('webhook', carried.webhook)
    })
    webhooks.reload()
    agenda.startOver()
  }

  const { webhook, signingSecret } = config
  try {
    settleIn({
      ...surroundings.carried,
      ...(webhook && { webhook: { ...webhook, secret: signingSecret, disabledAt: null } }),
    })
  } catch (cause) {
    stop()
    store.close()
    throw cause
  }

  return {
    name,
    config,
    clock,
    agenda,
    webhooks,
    scenarios,
    journal,
    rateLimit,
    snapshots: kept,
    gateServices,
    services,
    addressedAt,
    get store() {
      return store
    },

    answer: (request: PlatformRequest): MaybePromise<Answer> => handleRequest(gateServices, request),

    /** The clock as it was when the sandbox was made. */
    start,

    /** Exchanges the database under the sandbox for another one, or an empty one, and goes on from there. */
    exchange(bytes: Buffer | undefined, carried: CarriedState = {}): void {
      store.destroy()
      store = openStore({ file, durability, from: bytes }, watching)
      scenarios.clearPendingEffects()
      settleIn(carried)
    },

    /** Resolves once what is in flight has been answered; nobody waits for the clock or at a gate any more. */
    async finish(): Promise<void> {
      scenarios.close()
      await requestsAnswered()
    },

    close(): void {
      stop()
      store.close()
    },

    /** Closes, and leaves nothing behind. */
    destroy(): void {
      stop()
      store.destroy()
      kept.clear()
    },
  }

  function stop(): void {
    agenda.stop()
    webhooks.stop()
    clock.stop()
  }
}

export const startOf = (start: ClockStart): ClockState => ({
  frozenAt: start.mode === 'frozen' ? (start.at ?? wallClock()) : null,
  offsetMs: 0,
})
