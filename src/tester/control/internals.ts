/** A sandbox as the tester's verbs see it from inside. None of this is handed out. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { Unit } from '../../service/operations/unit.ts'

export type SandboxInternals = Sandbox

/** A tester's unit of work: a transaction of its own, committed when this returns. */
export const runUnit = <Result>(internals: SandboxInternals, work: (unit: Unit) => Result): Result =>
  internals.committedStore().transactNow(() => work(new Unit(internals.services, internals.clock.now())))
