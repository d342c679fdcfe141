import type { Sandbox } from '../../sandbox/sandbox.ts'
import { Unit } from '../../service/operations/unit.ts'

/** A tester's unit of work: a separate transaction, committed when this returns. */
export const runUnit = <Result>(internals: Sandbox, work: (unit: Unit) => Result): Result =>
  internals.committedStore().transactNow(() => work(new Unit(internals.services, internals.clock.now())))
