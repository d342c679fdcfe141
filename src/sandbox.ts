/** One sandbox: one platform's whole world, composed in the order in which its parts depend on each other. */
import { Agenda } from './agenda/agenda.ts'
import type { ClockStart, SandboxConfig } from './config.ts'
import { type Premises, pass } from './gate/gate.ts'
import { Idempotency } from './gate/idempotency.ts'
import { Journal } from './gate/journal.ts'
import { RateLimit } from './gate/rate-limit.ts'
import type { Answer, PlatformRequest } from './gate/request.ts'
import type { Log } from './log.ts'
import type { World } from './operations/unit.ts'
import { Scenarios } from './scenarios/scenarios.ts'
import { stagingBank } from './staging/bank.ts'
import type { Durability } from './store/database.ts'
import { openStore, type Store } from './store/store.ts'
import { Webhooks } from './webhooks/webhooks.ts'
import { type ClockState, createClock, wallClock } from './world/clock.ts'
import { createIds } from './world/ids.ts'
import { createRandom, type RandomState } from './world/random.ts'

export interface Surroundings {
  name: string
  /** Where its database is kept; in memory without it. */
  file: string | undefined
  durability: Durability
  /** The bytes of the database to start from. */
  from: Buffer | undefined
  /** The base of the URLs that it hands out; without it, what the latest request addressed. */
  publicUrl: string | undefined
  log: Log
}

/** The seed's second stream: ids are drawn from the first. */
const CHANCES = 2

export type Sandbox = ReturnType<typeof createSandbox>

export function createSandbox(config: SandboxConfig, surroundings: Surroundings) {
  const { name, file, durability, from, log } = surroundings

  const clock = createClock()
  const random = createRandom(config.seed)
  const firstDraw = random.state()
  const ids = createIds(random)

  const watching = {
    beforeCommit: (store: Store) => store.settings.put('random', random.state()),
    workAdded: (dueAt: number) => agenda.added(dueAt),
  }
  let store = openStore({ file, durability, from }, watching)
  let origin = surroundings.publicUrl ?? ''

  const rateLimit = new RateLimit(config.rateLimit)
  const scenarios = new Scenarios({
    clock,
    rateLimit,
    chances: createRandom(config.seed, CHANCES),
    checkout: (id) => store.checkouts.find(id),
    completeRefund: (id) => agenda.completeNow(id),
  })
  const webhooks = new Webhooks(() => store, scenarios.tampering)
  const world: World = {
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
    world,
    clock,
    webhooks,
    requestsAnswered,
    bug: (work, cause) => log('error', 'later work failed', { sandbox: name, ...work, cause }),
  })

  let saidHowToChangeTheLimit = false
  const premises: Premises = {
    apiKey: config.apiKey,
    clock,
    world,
    rateLimit,
    idempotency,
    journal,
    interruptions: scenarios,
    report: {
      rateLimited(ip, limit) {
        if (saidHowToChangeTheLimit) return
        saidHowToChangeTheLimit = true
        log(
          'warn',
          `429 for ${ip}: more than ${limit} requests in a minute, like staging. --rate-limit N or off changes it.`,
          { sandbox: name },
        )
      },
      bug(entry, cause) {
        entry.bug = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
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

  /** What the database knows of the world it was left in comes before what the options say. */
  function settleIn(): void {
    const { settings } = store
    clock.restore(settings.get<ClockState>('clock') ?? startOf(config.clock))
    random.restore(settings.get<RandomState>('random') ?? firstDraw)
    settings.put('clock', clock.state())
    settings.put('config', config)
    webhooks.reload()
  }

  settleIn()
  if (config.webhook)
    webhooks.setEndpoint({ ...config.webhook, secret: config.signingSecret, disabledAt: null })
  agenda.wake()

  return {
    name,
    config,
    clock,
    agenda,
    webhooks,
    scenarios,
    journal,
    rateLimit,
    premises,
    world,
    addressedAt,
    get store() {
      return store
    },

    answer(request: PlatformRequest): Promise<Answer> {
      addressedAt(request.origin)
      return pass(premises, request)
    },

    /** Exchanges the database under the sandbox for another one, and goes on from there. */
    exchange(bytes: Buffer | undefined): void {
      store.destroy()
      store = openStore({ file, durability, from: bytes }, watching)
      settleIn()
      agenda.wake()
    },

    /** Resolves once what is in flight has been answered; nobody waits for the clock or at a gate any more. */
    async finish(): Promise<void> {
      scenarios.letGo()
      await requestsAnswered()
    },

    close(): void {
      agenda.stop()
      webhooks.stop()
      clock.stop()
      store.close()
    },
  }
}

const startOf = (start: ClockStart): ClockState => ({
  frozenAt: start.mode === 'frozen' ? (start.at ?? wallClock()) : null,
  offsetMs: 0,
})
