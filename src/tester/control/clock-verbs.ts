/** Verbs that move the sandbox's clock, forward only, and wait for the effects: work due on the way runs at its time. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { invalidField } from '../../spec/contract/errors.ts'
import { CLOCK_MAX_MS } from '../../spec/contract/limits.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import { type DurationOrMs, duration, instant } from '../../spec/options/values.ts'
import { durationText, type SettleOptions } from './inputs.ts'
import { runUnit } from './run-unit.ts'
import { settle } from './settle.ts'
import { ClockReading, Happening } from './shapes.ts'
import { methodOnly, routeOnly, verb, WaitingText } from './steered.ts'

export const readClock = ({ clock }: Sandbox): ClockReading =>
  z.encode(ClockReading, { now: clock.now(), frozen: clock.frozen })

/** A commit writes the clock's state to the database, so an empty commit is made. */
const keep = (internals: Sandbox) => runUnit(internals, () => {})

function switchClock(internals: Sandbox, how: 'freeze' | 'resume'): ClockReading {
  internals.clock[how]()
  keep(internals)
  return readClock(internals)
}

async function advance(internals: Sandbox, by: DurationOrMs): Promise<Happening[]> {
  const ms = duration(by, 'advance')
  return move(internals, 'advance', (now) => now + ms)
}

async function setClock(internals: Sandbox, to: string | number | Date): Promise<Happening[]> {
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

const timeText = z
  .union([z.string(), z.int().min(0)], { error: 'must be a time such as 2026-01-01T00:00:00Z' })
  .describe('A time such as 2026-01-01T00:00:00Z, or milliseconds since 1970')

export const CLOCK_VERBS = {
  /** The sandbox's clock. Over HTTP one route moves, freezes and resumes it. */
  clock: {
    now: methodOnly<() => number>()('GET /clock', {
      read: 'time',
      summary: 'The time of the sandbox, in milliseconds since 1970',
      does: ({ internals }) => internals.clock.now(),
    }),
    read: verb<() => ClockReading>()('GET /clock', {
      id: 'clock.get',
      summary: 'Read the clock',
      answer: ClockReading,
      does: ({ internals }) => readClock(internals),
    }),
    freeze: methodOnly<() => ClockReading>()('POST /clock', {
      args: [],
      always: { body: { freeze: true } },
      read: 'clock',
      summary: 'Freeze the clock: nothing falls due until it is moved',
      does: ({ internals }) => switchClock(internals, 'freeze'),
    }),
    resume: methodOnly<() => ClockReading>()('POST /clock', {
      args: [],
      always: { body: { resume: true } },
      read: 'clock',
      summary: 'Let the clock run from its current time',
      does: ({ internals }) => switchClock(internals, 'resume'),
    }),
    advance: methodOnly<(by: DurationOrMs) => Promise<Happening[]>>()('POST /clock', {
      args: ['body.advance'],
      read: 'happened',
      summary: 'Advance the clock, such as by `2d`',
      more: 'Resolves with what happened on the way, after its deliveries too',
      does: ({ internals }, by) => advance(internals, by),
    }),
    set: methodOnly<(to: string | number | Date) => Promise<Happening[]>>()('POST /clock', {
      args: ['body.set'],
      read: 'happened',
      summary: 'Move the clock to a time that is not before now',
      more: 'Resolves as `advance` does',
      does: ({ internals }, to) => setClock(internals, to),
    }),
  },
  settle: verb<(options?: SettleOptions) => Promise<void>>()('POST /settle', {
    args: ['query'],
    summary: 'Wait until nothing is in flight and nothing is due',
    more: 'Refused after `within` (4s if left out), and the refusal says what still goes on. With `held: false` it does not wait for held requests',
    query: WaitingText.extend({
      held: oneOf(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .describe('false: requests that are held are not waited for'),
    }),
    refusals: [408],
    does: ({ internals }, options = {}) => settle(internals, options),
  }),
}

const CLOCK_RULE =
  'must be one of { advance: 2d }, { set: 2026-01-01T00:00:00Z }, { freeze: true } and { resume: true }'

const ClockChange = z
  .union(
    [
      z.strictObject({ advance: durationText }),
      z.strictObject({ set: timeText }),
      z.strictObject({ freeze: z.literal(true) }),
      z.strictObject({ resume: z.literal(true) }),
    ],
    { error: CLOCK_RULE },
  )
  .meta({ id: 'ClockChange' })

async function changeClock(internals: Sandbox, change: z.input<typeof ClockChange>): Promise<Happening[]> {
  if ('advance' in change) return advance(internals, change.advance)
  if ('set' in change) return setClock(internals, change.set)
  switchClock(internals, 'freeze' in change ? 'freeze' : 'resume')
  return []
}

export const CLOCK_ROUTE = routeOnly('POST /clock', {
  id: 'clock.advance',
  summary: 'Move, freeze or resume the clock; answers when all that it brings about is done',
  body: ClockChange,
  answer: ClockReading.extend({ happened: z.array(Happening) }).meta({ id: 'ClockChanged' }),
  async run({ internals }, { body }) {
    const happened = await changeClock(internals, body)
    return { ...readClock(internals), happened }
  },
})
