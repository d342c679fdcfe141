/**
 * The one clock of a sandbox. It runs with the machine's, may be ahead of it, or stands still; it never goes back.
 * Whoever waits for an instant sets an alarm and is called when the clock gets there, whether time passed or a
 * tester moved it. A clock that stands still makes nothing due, but what is due at the very instant it stands at
 * happens. The system clock and its timers are used in this file and nowhere else.
 */

/** What a clock is, as a value that can be kept and restored. */
export interface ClockState {
  /** The instant at which the clock stands, or null while it runs. */
  frozenAt: number | null
  /** How far a running clock is ahead of the machine's. */
  offsetMs: number
}

export interface Clock {
  now(): number
  readonly frozen: boolean
  /** The earliest instant somebody waits for. */
  nextAlarm(): number | undefined
  /** Calls back once the clock has reached the instant; the answer takes the alarm back. */
  at(instant: number, ring: () => void, options?: { keepsProcess?: boolean }): () => void
  /** Resolves after that much of this clock's time. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void>
  freeze(): void
  resume(): void
  /** Forward only. Alarms on the way ring in order, each with the clock standing at its own instant. */
  moveTo(instant: number): void
  state(): ClockState
  restore(state: ClockState): void
  /** Forgets every alarm; nothing rings any more. */
  stop(): void
}

/** The machine's own time, for what has to agree with other machines: a webhook's signed timestamp, a log line. */
export const wallClock = (): number => Date.now()

/** A steady count of milliseconds, for how long something took. */
export const stopwatch = (): number => performance.now()

interface Alarm {
  instant: number
  ring: () => void
  keepsProcess: boolean
}

/** The longest a timer of this platform can run; a later alarm is looked at again then. */
const TIMER_MAX_MS = 2 ** 31 - 1

export function createClock({ frozenAt, offsetMs }: ClockState = { frozenAt: null, offsetMs: 0 }): Clock {
  const alarms: Alarm[] = []
  let timer: NodeJS.Timeout | undefined
  let latest = Number.NEGATIVE_INFINITY

  /** A machine's clock can be set back; ours then stands until it has been caught up with. */
  function now(): number {
    if (frozenAt !== null) return frozenAt
    latest = Math.max(latest, Date.now() + offsetMs)
    return latest
  }

  function set(instant: number): void {
    latest = instant
    if (frozenAt !== null) frozenAt = instant
    else offsetMs = instant - Date.now()
  }

  function ringDue(until: number): void {
    for (let first = alarms[0]; first !== undefined && first.instant <= until; first = alarms[0]) {
      alarms.shift()
      first.ring()
    }
    schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    timer = undefined
    const first = alarms[0]
    if (first === undefined) return
    if (frozenAt !== null && first.instant > frozenAt) return
    const delayMs = Math.min(Math.max(0, Math.ceil(first.instant - now())), TIMER_MAX_MS)
    timer = setTimeout(() => ringDue(now()), delayMs)
    if (!alarms.some((alarm) => alarm.keepsProcess)) timer.unref()
  }

  function at(instant: number, ring: () => void, { keepsProcess = false } = {}): () => void {
    const alarm = { instant, ring, keepsProcess }
    const later = alarms.findIndex((other) => other.instant > instant)
    alarms.splice(later === -1 ? alarms.length : later, 0, alarm)
    schedule()
    return () => {
      const index = alarms.indexOf(alarm)
      if (index === -1) return
      alarms.splice(index, 1)
      schedule()
    }
  }

  return {
    now,
    at,
    get frozen() {
      return frozenAt !== null
    },
    nextAlarm: () => alarms[0]?.instant,
    wait: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const cancel = at(now() + durationMs, done, { keepsProcess: true })
        signal?.addEventListener('abort', abort, { once: true })
        function done() {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        function abort() {
          cancel()
          reject(signal?.reason)
        }
      }),
    freeze() {
      frozenAt = now()
      schedule()
    },
    resume() {
      if (frozenAt === null) return
      offsetMs = frozenAt - Date.now()
      frozenAt = null
      schedule()
    },
    moveTo(instant) {
      for (let next = alarms[0]?.instant; next !== undefined && next <= instant; next = alarms[0]?.instant) {
        if (next > now()) set(next)
        ringDue(next)
      }
      if (instant > now()) set(instant)
      schedule()
    },
    state: () => ({ frozenAt, offsetMs }),
    restore(state) {
      ;({ frozenAt, offsetMs } = state)
      latest = Number.NEGATIVE_INFINITY
      schedule()
    },
    stop() {
      alarms.length = 0
      schedule()
    },
  }
}

/** What a promise comes to, or `late` when it takes longer than that by the machine's time. */
export async function within<Result, Late>(
  durationMs: number,
  promise: Promise<Result>,
  late: Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, Math.min(durationMs, TIMER_MAX_MS), late)
  })
  return Promise.race([promise, timeUp]).finally(() => clearTimeout(timer))
}
