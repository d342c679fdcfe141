/**
 * Requests that wait for the sandbox's clock to reach a time, or for a tester to release a gate. `size` is exact at every moment:
 * before the clock moves, it waits until all other requests are answered.
 */
import { EventEmitter, once } from 'node:events'
import type { Clock, SetAlarm } from '../../spec/world/clock.ts'

export interface WaitingRequest {
  /** The request's id in the journal. */
  readonly request: string
  readonly gate: string | undefined
  readonly since: number
}

interface HeldRequest extends WaitingRequest {
  /** Resumes it when its time has passed; undefined if it only waits for a gate. */
  readonly alarm: SetAlarm | undefined
  readonly resume: () => void
  readonly fail: (cause: Error) => void
}

export class HeldRequests {
  readonly #clock: Clock
  readonly #held = new Set<HeldRequest>()
  readonly #events = new EventEmitter<{ held: [] }>().setMaxListeners(0)
  #closed = false
  #abandoned = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#held.size
  }

  has(request: string): boolean {
    return [...this.#held].some((held) => held.request === request)
  }

  get abandoned(): boolean {
    return this.#abandoned
  }

  /** Resolves when the gate is released or the time has passed, whichever comes first. */
  hold(request: string, { gate, forMs }: { gate?: string; forMs?: number | undefined }): Promise<void> {
    if (this.#abandoned) return Promise.reject(removed())
    if (this.#closed) return Promise.resolve()
    const since = this.#clock.now()
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        held.alarm?.cancel()
        this.#held.delete(held)
        settle()
      }
      const resume = () => end(resolve)
      const fail = (cause: Error) => end(() => reject(cause))
      const alarm = forMs === undefined ? undefined : this.#clock.alarmKeepingProcess(since + forMs, resume)
      const held: HeldRequest = { request, gate, since, alarm, resume, fail }
      this.#held.add(held)
      this.#events.emit('held')
    })
  }

  /** The requests held at this gate, or at any gate, in the order of arrival. */
  heldAt(gate?: string): WaitingRequest[] {
    return [...this.#held]
      .filter((held) => held.gate !== undefined && (gate === undefined || held.gate === gate))
      .map(({ request, gate, since }) => ({ request, gate, since }))
  }

  /** The requests that resume by themselves, each with its time. */
  timed(): { request: string; until: number }[] {
    return [...this.#held].flatMap(({ request, alarm }) =>
      alarm === undefined ? [] : { request, until: alarm.instant },
    )
  }

  /** Resolves once a request is held at the gate; rejects when the signal is aborted. */
  async whenHeld(gate: string, signal?: AbortSignal): Promise<WaitingRequest[]> {
    for (;;) {
      signal?.throwIfAborted()
      const held = this.heldAt(gate)
      if (held.length > 0) return held
      await once(this.#events, 'held', { signal })
    }
  }

  /** Resumes the requests held at this gate now; later ones are held again. */
  release(gate: string): WaitingRequest[] {
    const held = this.heldAt(gate)
    for (const request of this.#held) if (request.gate === gate) request.resume()
    return held
  }

  releaseAll(): void {
    for (const request of this.#held) request.resume()
  }

  /** Resumes every request and holds none from now on: the sandbox is closing. */
  close(): void {
    this.#closed = true
    this.releaseAll()
  }

  /**
   * Fails every held request and holds none from now on: the sandbox is removed, and its database with it.
   */
  abandon(): void {
    this.#abandoned = true
    for (const request of this.#held) request.fail(removed())
  }
}

const removed = () => new Error('the sandbox was removed while the request was in flight')
