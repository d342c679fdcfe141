/** The sandbox's clock in a tester's hand. It goes forward only; what is due on the way happens on the way. */
import { z } from 'zod'
import { duration, instant } from '../config.ts'
import { invalidField } from '../contract/errors.ts'
import { CLOCK_MAX_MS } from '../contract/limits.ts'
import { formatInstant } from '../contract/wire.ts'
import { runUnit, type SandboxInternals } from './internals.ts'
import { ClockReading, Happening } from './shapes.ts'

export interface ClockControl {
  /** Milliseconds since 1970, like `Date.now()`. */
  now(): number
  read(): ClockReading
  /** Nothing happens by itself any more. */
  freeze(): ClockReading
  /** The clock runs on from where it stands. */
  resume(): ClockReading
  /** Moves the clock, such as by `2d`; resolves with what happened on the way when all of it is done, deliveries too. */
  advance(by: string | number): Promise<Happening[]>
  /** Moves the clock to a time that is not before now. */
  set(to: string | number | Date): Promise<Happening[]>
}

export function clockControl(internals: SandboxInternals): ClockControl {
  const { agenda, clock } = internals

  const read = (): ClockReading => z.encode(ClockReading, { now: clock.now(), frozen: clock.frozen })

  /** The commit keeps the clock, so even one that moves nothing else is worth making. */
  const kept = () => {
    runUnit(internals, () => {})
    return read()
  }

  async function move(field: string, target: (now: number) => number): Promise<Happening[]> {
    const happened = await agenda.advanceTo((now) => {
      const instant = target(now)
      if (instant > CLOCK_MAX_MS) throw invalidField(field, 'must not lead beyond the year 9000')
      return instant
    })
    kept()
    return z.encode(z.array(Happening), happened)
  }

  return {
    now: () => clock.now(),
    read,
    freeze() {
      clock.freeze()
      return kept()
    },
    resume() {
      clock.resume()
      return kept()
    },
    async advance(by) {
      const ms = duration(by, 'advance')
      return move('advance', (now) => now + ms)
    },
    async set(to) {
      const at = instant(to, 'set')
      return move('set', (now) => {
        if (at < now)
          throw invalidField('set', `must lead forward from the sandbox's time, ${formatInstant(now)}`)
        return at
      })
    },
  }
}
