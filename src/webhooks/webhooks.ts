/**
 * §6: every event is delivered to the sandbox's endpoint, at least once. A delivery is a row written with its event;
 * attempts are made after the commit, never inside a request, and each is recorded.
 */
import { matchesEvent } from '../contract/event.ts'
import { WEBHOOK_RETRY_DELAYS_MS } from '../contract/limits.ts'
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

/** What can be done to a delivery on purpose; nothing, unless a tester arranges it. */
export interface DeliveryFaults {
  /**
   * The deliveries to be made now that an event has happened, with how much later each is. Besides the event itself they
   * may tell of an earlier one, which was kept back.
   */
  deliveries(event: EventRow): readonly { event: EventRow; afterMs: number }[]
  /** The headers and the body that really leave. */
  outgoing(event: EventRow, letter: OutgoingWebhook): { body: string; headers: Partial<SignedHeaders> }
}

/** The part of a unit of work that a delivery needs. */
interface Cause {
  readonly store: Store
  readonly now: number
  readonly id: Ids
  later(kind: 'webhook.deliver', subject: string, timing: { afterMs: number }): void
}

export type DeliveryResult = { delivery: DeliveryRow; event: EventRow; outcome: SendOutcome }

export class Webhooks {
  readonly #store: () => Store
  readonly #tampering: DeliveryFaults
  #stopped = new AbortController()
  #endpoint: Endpoint | undefined

  constructor(store: () => Store, tampering: DeliveryFaults) {
    this.#store = store
    this.#tampering = tampering
    this.reload()
  }

  /** Starts again from a database that was put in another one's place: what that one had sent is called off. */
  reload(): void {
    this.#stopped.abort(new Error('the sandbox was reset'))
    this.#stopped = new AbortController()
    this.#endpoint = this.#store().settings.get<Endpoint | null>('webhook') ?? undefined
  }

  get endpoint(): Endpoint | undefined {
    return this.#endpoint
  }

  /** Inside a transaction, like every write. */
  setEndpoint(endpoint: Endpoint | undefined): void {
    this.#store().settings.put('webhook', endpoint ?? null)
    this.#endpoint = endpoint
  }

  /** Told of every event, in its transaction: leaves its deliveries for later. */
  announce(cause: Cause, event: EventRow): void {
    const endpoint = this.#endpoint
    if (!endpoint || endpoint.disabledAt !== null) return
    if (!endpoint.events.some((pattern) => matchesEvent(pattern, event.type))) return
    for (const { event: told, afterMs } of this.#tampering.deliveries(event)) {
      // What was kept back may have been taken back since, together with its transaction.
      if (told === event || cause.store.events.find(told.id)) this.enqueue(cause, told, { afterMs })
    }
  }

  enqueue(cause: Cause, event: EventRow, timing: { afterMs: number }): DeliveryRow {
    const { now } = cause
    const delivery: DeliveryRow = {
      id: cause.id('dlv'),
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

  /** Makes one attempt, outside every transaction, and answers with what to write about it. */
  async attempt(delivery: DeliveryRow, event: EventRow): Promise<(cause: Cause) => DeliveryResult> {
    const endpoint = this.#endpoint
    if (!endpoint || endpoint.disabledAt !== null) {
      return (cause) =>
        this.#giveUp(cause, delivery, event, endpoint ? 'the endpoint is disabled' : 'there is no endpoint')
    }
    // A receiver compares this timestamp with its own clock, so it is the machine's, whatever the sandbox's says (D38).
    const letter = { body: event.body, id: event.id, secret: endpoint.secret, at: wallClock() }
    const { body, headers } = this.#tampering.outgoing(event, letter)
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
    if (gone && this.#endpoint === endpoint) this.setEndpoint({ ...endpoint, disabledAt: now })
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
