/** Completes a database so that a sandbox can use it: settings, clock, random numbers, seed data. */

import { isDeepStrictEqual } from 'node:util'
import { tableOf, Unit, UnitServices } from '../service/operations/unit.ts'
import type { RememberedRow } from '../service/store/behavior-state.ts'
import type { Store } from '../service/store/store.ts'
import type { Endpoint } from '../service/webhooks/webhooks.ts'
import { RESOURCE_NAMES, type ResourceName } from '../spec/contract/resources/index.ts'
import type { SandboxConfig } from '../spec/options/sandbox.ts'
import { Clock, type ClockState } from '../spec/world/clock.ts'
import { Random, type RandomState } from '../spec/world/random.ts'
import { seedFixture } from './seed-fixture.ts'

/** The setting with the ids of seed resources, which no platform requested. */
export const SEEDED = 'seeded'

/** State that a sandbox keeps when its database is replaced. */
export interface CarriedState {
  clock?: ClockState | undefined
  random?: RandomState | undefined
  webhook?: Endpoint | null | undefined
  behaviors?: readonly RememberedRow[] | undefined
}

/** The sandbox that will use the database. */
interface Completed {
  config: SandboxConfig
  services: UnitServices
  /** Used if neither the carried state nor the database has a clock. */
  initialClock: ClockState
}

/**
 * For each setting the carried state wins over the database, and the database over the options. Without changes nothing is
 * written, so a complete database opens on a full disk.
 */
export function completeStore(store: Store, sandbox: Completed, carried: CarriedState): void {
  const { settings } = store
  // The webhook is a separate setting, because a tester may change it later.
  const { webhook: _, ...config } = sandbox.config
  const isNew = settings.get('config') === undefined
  const clock = carried.clock ?? settings.get<ClockState>('clock') ?? sandbox.initialClock
  const random = new Random(config.seed)
  const drawn = carried.random ?? settings.get<RandomState>('random')
  if (drawn) random.restore(drawn)

  const { webhook, behaviors = [] } = carried
  const wanted = { clock, config, random: random.state(), ...(webhook !== undefined && { webhook }) }
  const isThere = ([name, value]: [string, unknown]) =>
    isDeepStrictEqual(settings.get(name), JSON.parse(JSON.stringify(value)))
  if (behaviors.length === 0 && Object.entries(wanted).every(isThere)) return
  store.transactNow(() => {
    if (isNew) seed(store, sandbox, clock, random)
    for (const [name, value] of Object.entries({ ...wanted, random: random.state() })) {
      settings.put(name, value)
    }
    for (const { kind, name, value } of behaviors) store.behaviorState.put(kind, name, JSON.parse(value))
  })
}

/** Creates the seed data. No webhook is sent for it, and no behavior acts on it. */
function seed(store: Store, { config, services }: Completed, clock: ClockState, random: Random): void {
  const { fixture } = config
  if (!fixture) return
  const { contract, rules, address } = services
  const seeding = new UnitServices({ database: { store }, config, contract, random, rules, address })
  seedFixture(new Unit(seeding, new Clock(clock).now()), fixture)
  const seeded = RESOURCE_NAMES.flatMap((kind) =>
    tableOf<ResourceName>(store, kind)
      .newest({ limit: Number.MAX_SAFE_INTEGER })
      .map(({ id }) => id),
  )
  store.settings.put(SEEDED, seeded)
}
