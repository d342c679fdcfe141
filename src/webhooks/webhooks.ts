/**
 * §6: every event is delivered to the sandbox's endpoint, at least once. A delivery is a row written with its event;
 * attempts are made after the commit, never inside a request, and each is recorded.
 */
import { isDeepStrictEqual } from 'node:util'
import { matchesEvent } from '../contract/event.ts'
import type { IdKind } from '../contract/ids.ts'
import { WEBHOOK_RETRY_DELAYS_MS } from '../contract/limits.ts'
import type { CurrentStore } from '../store/current-store.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { EventRow } from '../store/events.ts'
import type { Store } from '../store/store.ts'
import { wallClock } from '../world/clock.ts'
import type { Ids } from '../world/ids.ts'
import { type SendOutcome, sendWebhook } from './send.ts'
import type { SignedHeaders } from './sign.ts'

export interface Endpoint {
  url: string
  secret: string
  events: readonly string[]
  /** Since when nothing is delivered any more, because the receiver answered 410. */
  disabledAt: number | null
}

/** What a delivery is signed from. */
export interface OutgoingWebhook {
  body: string
  id: string
  secret: string
  at: number
}

/** What behaviors do to deliveries. */
export interface DeliveryFaults {
  /**
   * The deliveries to make now that an event was written, and how much later each is. Besides the event's own they may be
   * those of an earlier event, which was kept back.
   */
  deliveries(event: EventRow): readonly { event: EventRow; afterMs: number }[]
  /** The headers and the body that really leave. */
  outgoing(event: EventRow, webhook: OutgoingWebhook): { body: string; headers: Partial<SignedHeaders> }
}

/** The part of a unit of work that a delivery needs. */
interface Cause {
  readonly store: Store
  readonly now: number
  readonly id: Ids<IdKind>
  later(kind: 'webhook.deliver', subject: string, timing: { afterMs: number }): void
}

export type DeliveryResult = { delivery: DeliveryRow; event: EventRow; outcome: SendOutcome }

export class Webhooks {
  readonly #database: CurrentStore
  readonly #faults: DeliveryFaults
  #stopped = new AbortController()

  constructor(database: CurrentStore, faults: DeliveryFaults) {
    this.#database = database
    this.#faults = faults
  }

  /** Ends every attempt under way: its delivery is in a database that is not the sandbox's any more. */
  callOff(): void {
    this.#stopped.abort(new Error('the sandbox was reset'))
    this.#stopped = new AbortController()
  }

  /** Read from its row every time: a copy in memory would differ from it after a commit that failed. */
  get endpoint(): Endpoint | undefined {
    return this.#database.store.settings.get<Endpoint | null>('webhook') ?? undefined
  }

  /** Inside a transaction, like every write. */
  setEndpoint(endpoint: Endpoint | undefined): void {
    this.#database.store.settings.put('webhook', endpoint ?? null)
  }

  /** Called for every event, in its transaction: writes its deliveries. */
  announce(cause: Cause, event: EventRow): void {
    const { endpoint } = this
    if (!endpoint || endpoint.disabledAt !== null) return
    if (!endpoint.events.some((pattern) => matchesEvent(pattern, event.type))) return
    for (const { event: delivered, afterMs } of this.#faults.deliveries(event)) {
      this.enqueue(cause, delivered, { afterMs })
    }
  }

  enqueue(cause: Cause, event: EventRow, timing: { afterMs: number }): DeliveryRow {
    const { now } = cause
    const delivery: DeliveryRow = {
      id: cause.id('delivery'),
      eventId: event.id,
      status: 'pending',
      attempts: 0,
      createdAt: now,
      updatedAt: now,
    }
    cause.store.deliveries.insert(delivery)
    cause.later('webhook.deliver', delivery.id, timing)
    return delivery
  }

  /** Makes one attempt, outside every transaction, and returns what writes its result inside one. */
  async attempt(delivery: DeliveryRow, event: EventRow): Promise<(cause: Cause) => DeliveryResult> {
    const { endpoint } = this
    if (!endpoint || endpoint.disabledAt !== null) {
      return (cause) =>
        this.#giveUp(cause, delivery, event, endpoint ? 'the endpoint is disabled' : 'there is no endpoint')
    }
    // A receiver compares this timestamp with its own clock, so it is the machine's, whatever the sandbox's says (D38).
    const outgoing = { body: event.body, id: event.id, secret: endpoint.secret, at: wallClock() }
    const { body, headers } = this.#faults.outgoing(event, outgoing)
    const outcome = await sendWebhook(endpoint.url, body, headers, this.#stopped.signal)
    const signature = headers['webhook-signature'] ?? ''
    return (cause) => this.#record(cause, delivery, event, endpoint, signature, outcome)
  }

  #record(
    cause: Cause,
    delivery: DeliveryRow,
    event: EventRow,
    endpoint: Endpoint,
    signature: string,
    outcome: SendOutcome,
  ): DeliveryResult {
    const number = delivery.attempts + 1
    const { store, now } = cause
    store.deliveries.insertAttempt({
      deliveryId: delivery.id,
      number,
      at: now,
      url: endpoint.url,
      signature,
      ...outcome,
    })
    const delivered = outcome.status !== null && outcome.status >= 200 && outcome.status < 300
    const gone = outcome.status === 410
    const retryAfterMs = delivered || gone ? undefined : WEBHOOK_RETRY_DELAYS_MS[number - 1]
    if (gone && isDeepStrictEqual(this.endpoint, endpoint)) this.setEndpoint({ ...endpoint, disabledAt: now })
    if (retryAfterMs !== undefined) cause.later('webhook.deliver', delivery.id, { afterMs: retryAfterMs })
    const status = delivered ? 'delivered' : retryAfterMs === undefined ? 'failed' : 'pending'
    const attempted: DeliveryRow = { ...delivery, status, attempts: number, updatedAt: now }
    store.deliveries.update(attempted)
    return { delivery: attempted, event, outcome }
  }

  #giveUp(cause: Cause, delivery: DeliveryRow, event: EventRow, error: string): DeliveryResult {
    const failed: DeliveryRow = { ...delivery, status: 'failed', updatedAt: cause.now }
    cause.store.deliveries.update(failed)
    return { delivery: failed, event, outcome: { status: null, durationMs: 0, response: null, error } }
  }

  stop(): void {
    this.#stopped.abort(new Error('the simulator was closed'))
  }
}
