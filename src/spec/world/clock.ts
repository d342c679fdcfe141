/**
 * The clock of a sandbox. It runs with the machine's, possibly ahead of it, or it is frozen. It only moves forward, except when a
 * sandbox is restored. An alarm calls back when the clock reaches its time, whether time passed or a tester moved the clock; a
 * frozen clock also rings the alarms due at its current time. Only this file uses the machine's clock and timers.
 */

import { setTimeout as timeout } from 'node:timers/promises'

/** A clock's state, as a value that can be stored and restored. */
export interface ClockState {
  /** The instant of a frozen clock, or null while it runs. */
  frozenAt: number | null
  /** How far a running clock is ahead of the machine's. */
  offsetMs: number
}

/** The machine's own time, for anything compared with other machines: a webhook's signed timestamp, a log line. */
export const wallClock = (): number => Date.now()

/** A monotonic count of milliseconds, for measuring durations. */
export const stopwatch = (): number => performance.now()

/** Waits on the machine's clock. */
export const sleep = (ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void> =>
  timeout(Math.min(ms, TIMER_MAX_MS), undefined, options)

/** Calls back after a time on the machine's clock; the returned function cancels it. */
export function callAfter(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, TIMER_MAX_MS))
  return () => clearTimeout(timer)
}

interface Alarm {
  instant: number
  ring: () => void
  keepsProcess: boolean
  cancel: () => void
}

/** Its instant moves when the clock is restored. */
export type SetAlarm = Readonly<Pick<Alarm, 'instant' | 'cancel'>>

/** The longest delay of a Node timer, 24 days; a longer one would fire immediately. A later alarm sets a new timer then. */
export const TIMER_MAX_MS = 2 ** 31 - 1

export class Clock {
  #frozenAt: number | null
  #offsetMs: number
  /** In the order in which they ring. */
  readonly #alarms: Alarm[] = []
  #timer: NodeJS.Timeout | undefined
  #latest = Number.NEGATIVE_INFINITY

  constructor({ frozenAt, offsetMs }: ClockState = { frozenAt: null, offsetMs: 0 }) {
    this.#frozenAt = frozenAt
    this.#offsetMs = offsetMs
  }

  /** When the machine's clock is set back, this one stays at its latest time until the machine has reached it. */
  now(): number {
    if (this.#frozenAt !== null) return this.#frozenAt
    this.#latest = Math.max(this.#latest, Date.now() + this.#offsetMs)
    return this.#latest
  }

  get frozen(): boolean {
    return this.#frozenAt !== null
  }

  get alarmCount(): number {
    return this.#alarms.length
  }

  /** The instant of the earliest alarm that is later than this. */
  nextAlarmAfter(instant: number): number | undefined {
    return this.#alarms.find((alarm) => alarm.instant > instant)?.instant
  }

  /**
   * Calls back once the clock has reached the instant; does not keep the process running. The returned function cancels the
   * alarm.
   */
  alarmWhileProcessRuns(instant: number, ring: () => void): () => void {
    return this.#addAlarm(instant, ring, false).cancel
  }

  /** The same, but keeps the process running until then. */
  alarmKeepingProcess(instant: number, ring: () => void): SetAlarm {
    return this.#addAlarm(instant, ring, true)
  }

  #addAlarm(instant: number, ring: () => void, keepsProcess: boolean): SetAlarm {
    requireInstant(instant)
    const cancel = () => {
      const index = this.#alarms.indexOf(alarm)
      if (index === -1) return
      this.#alarms.splice(index, 1)
      this.#schedule()
    }
    const alarm: Alarm = { instant, ring, keepsProcess, cancel }
    const later = this.#alarms.findIndex((pending) => pending.instant > instant)
    this.#alarms.splice(later === -1 ? this.#alarms.length : later, 0, alarm)
    this.#schedule()
    return alarm
  }

  freeze(): void {
    this.#frozenAt = this.now()
    this.#schedule()
  }

  resume(): void {
    if (this.#frozenAt === null) return
    this.#offsetMs = this.#frozenAt - Date.now()
    this.#frozenAt = null
    this.#schedule()
  }

  /** Forward only. Alarms on the way ring in order, each with the clock at the alarm's time. */
  moveTo(instant: number): void {
    requireInstant(instant)
    const next = () => this.#alarms[0]?.instant ?? Number.POSITIVE_INFINITY
    for (let at = next(); at <= instant; at = next()) {
      if (at > this.now()) this.#set(at)
      this.#ringDue(at)
    }
    if (instant > this.now()) this.#set(instant)
    this.#schedule()
  }

  state(): ClockState {
    return { frozenAt: this.#frozenAt, offsetMs: this.#offsetMs }
  }

  /** Sets the clock to a saved state, also backwards. Alarms move with it, so that each stays as far away. */
  restore({ frozenAt, offsetMs }: ClockState): void {
    requireInstant(frozenAt ?? 0)
    requireInstant(offsetMs)
    const before = this.now()
    this.#frozenAt = frozenAt
    this.#offsetMs = offsetMs
    this.#latest = Number.NEGATIVE_INFINITY
    const movedBy = this.now() - before
    for (const alarm of this.#alarms) alarm.instant += movedBy
    this.#schedule()
  }

  /** Cancels every alarm. */
  stop(): void {
    this.#alarms.length = 0
    this.#schedule()
  }

  #set(instant: number): void {
    this.#latest = instant
    if (this.#frozenAt !== null) this.#frozenAt = instant
    else this.#offsetMs = instant - Date.now()
  }

  #ringDue(until: number): void {
    for (
      let first = this.#alarms[0];
      first !== undefined && first.instant <= until;
      first = this.#alarms[0]
    ) {
      this.#alarms.shift()
      first.ring()
    }
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const first = this.#alarms[0]
    if (first === undefined) return
    if (this.#frozenAt !== null && first.instant > this.#frozenAt) return
    const delayMs = Math.min(Math.max(0, Math.ceil(first.instant - this.now())), TIMER_MAX_MS)
    this.#timer = setTimeout(() => this.#ringDue(this.now()), delayMs)
    if (!this.#alarms.some((alarm) => alarm.keepsProcess)) this.#timer.unref()
  }
}

/** An alarm at NaN would always stay first, so no other would ring again. */
function requireInstant(instant: number): void {
  if (!Number.isFinite(instant)) throw new RangeError(`${instant} is not an instant of a clock`)
}

/** The promise's result, or `late` if it takes longer than `durationMs` of the machine's time. */
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
