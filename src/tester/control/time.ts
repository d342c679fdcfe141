/** Moves the sandbox's clock, forward only; work due on the way runs at its time. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { invalidField } from '../../spec/contract/errors.ts'
import { CLOCK_MAX_MS } from '../../spec/contract/limits.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { type DurationOrMs, duration, instant } from '../../spec/options/values.ts'
import { runUnit } from './run-unit.ts'
import { ClockReading, Happening } from './shapes.ts'

export const readClock = ({ clock }: Sandbox): ClockReading =>
  z.encode(ClockReading, { now: clock.now(), frozen: clock.frozen })

/** A commit writes the clock's state to the database, so an empty commit is made. */
function keep(internals: Sandbox): ClockReading {
  runUnit(internals, () => {})
  return readClock(internals)
}

export function freeze(internals: Sandbox): ClockReading {
  internals.clock.freeze()
  return keep(internals)
}

export function resume(internals: Sandbox): ClockReading {
  internals.clock.resume()
  return keep(internals)
}

export async function advance(internals: Sandbox, by: DurationOrMs): Promise<Happening[]> {
  const ms = duration(by, 'advance')
  return move(internals, 'advance', (now) => now + ms)
}

export async function setClock(internals: Sandbox, to: string | number | Date): Promise<Happening[]> {
  const at = instant(to, 'set')
  return move(internals, 'set', (now) => {
    if (at < now)
      throw invalidField('set', `must lead forward from the sandbox's time, ${formatInstant(now)}`)
    return at
  })
}

async function move(
  internals: Sandbox,
  field: string,
  target: (now: number) => number,
): Promise<Happening[]> {
  const happened = await internals.agenda.advanceTo((now) => {
    const instant = target(now)
    if (instant > CLOCK_MAX_MS) throw invalidField(field, 'must not lead beyond the year 9000')
    return instant
  })
  keep(internals)
  return z.encode(z.array(Happening), happened)
}
