/** A sandbox from inside, as far as a tester's hands reach. None of this is ever handed out. */
import type { Agenda } from '../agenda/agenda.ts'
import type { SandboxConfig } from '../config.ts'
import type { Journal } from '../gate/journal.ts'
import type { RateLimit } from '../gate/rate-limit.ts'
import { Unit, type UnitServices } from '../operations/unit.ts'
import type { Snapshots } from '../store/snapshots.ts'
import type { Store } from '../store/store.ts'
import type { Endpoint, Webhooks } from '../webhooks/webhooks.ts'
import type { Clock, ClockState } from '../world/clock.ts'
import type { BehaviorControls } from './behaviors.ts'

export interface SandboxInternals {
  readonly name: string
  readonly config: SandboxConfig
  readonly clock: Clock
  /** The clock as it was when the sandbox was made. */
  readonly start: ClockState
  readonly agenda: Agenda
  readonly webhooks: Webhooks
  readonly journal: Journal
  readonly rateLimit: RateLimit
  readonly scenarios: BehaviorControls
  readonly snapshots: Snapshots
  readonly services: UnitServices
  readonly store: Store
  /** Exchanges the database for another one, or an empty one, and takes along what is carried. */
  exchange(bytes: Buffer | undefined, carried?: { clock?: ClockState; webhook?: Endpoint | null }): void
}

/** The tester's door: a unit of work in a transaction of its own, committed when this returns. */
export const runUnit = <Result>(
  { store, services, clock }: SandboxInternals,
  work: (unit: Unit) => Result,
): Result => store.transactNow(() => work(new Unit(services, clock.now())))
