/**
 * §6: every event is delivered to the sandbox's endpoint, at least once. A delivery is a row written together with its event, and
 * an item of the agenda, which calls `attempt` after the commit. A failed attempt's result is written together with the next
 * item, due after the next pause; after the last attempt the delivery is `failed`. There are nine pauses by the sandbox's clock,
 * so ten attempts: `WEBHOOK_RETRY_DELAYS_MS` in `spec/contract/limits.ts` (D49), unless the profile has `webhooks.retries`. An
 * attempt fails unless it is answered 2xx within `WEBHOOK_ATTEMPT_TIMEOUT_MS`. A 410 ends the attempts and disables the endpoint;
 * without an endpoint the delivery is `failed` at its next attempt. Two kinds of attempts do not count and are made again: one
 * for which this machine lacked descriptors or memory (after a `Pause` of `agenda/agenda.ts`), and one that was in flight at a
 * stop (after the start).
 */

import { setMaxListeners } from 'node:events'
import { matchesEvent } from '../../spec/contract/event.ts'
import { isSuccess } from '../../spec/exchange.ts'
import { wallClock } from '../../spec/world/clock.ts'
import type { Unit } from '../operations/unit.ts'
import type { CurrentStore } from '../store/current-store.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { EventRow } from '../store/events.ts'
import type { Store } from '../store/store.ts'
import { type SendOutcome, sendWebhook } from './send.ts'
import type { Signer } from './sign.ts'

export interface Endpoint {
  url: string
  secret: string
  /** The previous secret, which also signs until that time on the sandbox's clock. */
  previous?: { secret: string; until: number } | null
  events: readonly string[]
  /** When the receiver answered 410; nothing is delivered from then on. */
  disabledAt: number | null
}

/** The inputs of a delivery's signature. */
export interface OutgoingWebhook {
  body: string
  id: string
  /** The endpoint's secret, and the previous one while secrets are being rotated. */
  secrets: readonly string[]
  at: number
  signer: Signer
}

/** The profile's rules for deliveries. */
interface DeliveryRules {
  readonly signer: Signer
  /** The pauses after failed attempts (D49). */
  readonly retryDelaysMs: readonly number[]
  readonly attemptTimeoutMs: number
  /** Signs while no endpoint with its own secret is set. */
  readonly secret: string
}

/** How behaviors change deliveries. */
export interface DeliveryFaults {
  /**
   * The deliveries to write for this event, each with its delay: any number of deliveries of the event, plus those of an earlier
   * event that waited for this one.
   */
  deliveries(event: EventRow): readonly { event: EventRow; afterMs: number }[]
  /** The headers and the body to send. */
  outgoing(event: EventRow, webhook: OutgoingWebhook): { body: string; headers: Record<string, string> }
  /** Sends the delivery, with the timing and repeats that a killed receiver needs. */
  sent(event: EventRow, send: () => Promise<SendOutcome>): Promise<SendOutcome>
}

export interface DeliveryResult {
  delivery: DeliveryRow
  /** What was attempted and the result, as text for a person. */
  text: string
  /** The pause before the next attempt; undefined after the last. */
  retryAfterMs: number | undefined
  /** The endpoint's URL, if this attempt has disabled it. */
  disabled: string | undefined
}

export class Webhooks {
  readonly #database: CurrentStore
  readonly #faults: DeliveryFaults
  readonly #rules: DeliveryRules
  readonly listeners = new Listeners()
  #stopped = stopOfAll()

  constructor(database: CurrentStore, faults: DeliveryFaults, rules: DeliveryRules) {
    this.#database = database
    this.#faults = faults
    this.#rules = rules
  }

  /** Ends the attempts in flight when the database that has their deliveries is replaced. */
  callOff(): void {
    this.#stopped.abort(new Error('the sandbox was reset'))
    this.#stopped = stopOfAll()
  }

  /** Where events are sent now: the latest listener, signed like the endpoint's, or the endpoint. */
  get endpoint(): Endpoint | undefined {
    return this.endpointIn(this.#database.store)
  }

  endpointIn(store: Store): Endpoint | undefined {
    const endpoint = ownEndpointIn(store)
    const listener = this.listeners.latest
    if (!listener) return endpoint
    const { url, events, disabledAt } = listener
    return { secret: this.#rules.secret, ...endpoint, url, events, disabledAt }
  }

  /** The current endpoint. */
  get ownEndpoint(): Endpoint | undefined {
    return ownEndpointIn(this.#database.store)
  }

  /** Inside a transaction, like every write. */
  setEndpoint(endpoint: Endpoint | undefined): void {
    this.#database.store.settings.put('webhook', endpoint ?? null)
  }

  /** Called for every event, in its transaction: writes its deliveries. */
  announce(unit: Unit, event: EventRow): void {
    const { endpoint } = this
    if (!endpoint || endpoint.disabledAt !== null) return
    if (!endpoint.events.some((pattern) => matchesEvent(pattern, event.type))) return
    for (const { event: delivered, afterMs } of this.#faults.deliveries(event)) {
      this.enqueue(unit, delivered, { afterMs })
    }
  }

  /** Why no attempt can be made now; undefined if one can. */
  get whyNowhere(): string | undefined {
    if (!this.endpoint) return 'there is no endpoint'
    return this.endpoint.disabledAt === null ? undefined : 'the endpoint is disabled'
  }

  enqueue(unit: Unit, event: EventRow, timing: { afterMs: number; isByHand?: boolean }): DeliveryRow {
    const { now } = unit
    const delivery: DeliveryRow = {
      id: unit.id('delivery'),
      eventId: event.id,
      status: 'pending',
      attempts: 0,
      createdAt: now,
      updatedAt: now,
      byHand: timing.isByHand ? 1 : 0,
    }
    unit.store.deliveries.insert(delivery)
    unit.schedule('webhook.deliver', delivery.id, timing)
    return delivery
  }

  /** Makes one attempt, outside of a transaction. The returned function writes the result and must be called in a transaction. */
  async attempt(
    delivery: DeliveryRow,
    event: EventRow,
    now: number,
  ): Promise<(unit: Unit) => DeliveryResult> {
    const { endpoint, whyNowhere } = this
    if (!endpoint || whyNowhere !== undefined)
      return (unit) => this.#giveUp(unit, delivery, event, whyNowhere!)
    // The machine's time, not the sandbox's, because a receiver compares it with its own (D38).
    const { signer, attemptTimeoutMs } = this.#rules
    const outgoing = {
      body: event.body,
      id: event.id,
      secrets: secretsOf(endpoint, now),
      at: wallClock(),
      signer,
    }
    const { body, headers } = this.#faults.outgoing(event, outgoing)
    const outcome = await this.#faults.sent(event, () =>
      sendWebhook(endpoint.url, body, headers, attemptTimeoutMs, this.#stopped.signal),
    )
    const signature = headers[signer.header] ?? ''
    return (unit) => this.#record(unit, delivery, event, endpoint, signature, outcome)
  }

  #record(
    unit: Unit,
    delivery: DeliveryRow,
    event: EventRow,
    endpoint: Endpoint,
    signature: string,
    outcome: SendOutcome,
  ): DeliveryResult {
    const number = delivery.attempts + 1
    const { store, now } = unit
    store.deliveries.insertAttempt({
      deliveryId: delivery.id,
      number,
      at: now,
      url: endpoint.url,
      signature,
      ...outcome,
    })
    const delivered = isSuccess(outcome)
    const gone = outcome.status === 410
    const retryAfterMs = delivered || gone ? undefined : this.#rules.retryDelaysMs[number - 1]
    const disables = gone && this.#disable(endpoint.url, now)
    if (retryAfterMs !== undefined) unit.schedule('webhook.deliver', delivery.id, { afterMs: retryAfterMs })
    const status = delivered ? 'delivered' : retryAfterMs === undefined ? 'failed' : 'pending'
    const attempted: DeliveryRow = { ...delivery, status, attempts: number, updatedAt: now }
    store.deliveries.update(attempted)
    return {
      delivery: attempted,
      text: textOf(attempted, event, outcome),
      retryAfterMs,
      disabled: disables ? endpoint.url : undefined,
    }
  }

  /** False if the address is out of use: another endpoint was set, or a listener left, during the attempt. */
  #disable(url: string, at: number): boolean {
    const listener = this.listeners.latest
    const endpoint = this.ownEndpoint
    if (listener?.url === url) listener.disabledAt = at
    else if (endpoint?.url === url) this.setEndpoint({ ...endpoint, disabledAt: at })
    else return false
    return true
  }

  #giveUp(unit: Unit, delivery: DeliveryRow, event: EventRow, error: string): DeliveryResult {
    const failed: DeliveryRow = { ...delivery, status: 'failed', updatedAt: unit.now }
    unit.store.deliveries.update(failed)
    const text = textOf(failed, event, { status: null, error })
    return { delivery: failed, text, retryAfterMs: undefined, disabled: undefined }
  }

  stop(): void {
    this.#stopped.abort(new Error('the simulator was closed'))
  }
}

/** One signal for all attempts. Node warns of a leak from eleven listeners on, so its limit is removed. */
function stopOfAll(): AbortController {
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  return stop
}

const secretsOf = ({ secret, previous }: Endpoint, now: number): string[] =>
  previous && now < previous.until ? [secret, previous.secret] : [secret]

const textOf = (
  { attempts }: DeliveryRow,
  event: EventRow,
  { status, error }: Pick<SendOutcome, 'status' | 'error'>,
): string =>
  `${event.type} of ${event.resourceId}, attempt ${attempts}: ${status === null ? error : `status ${status}`}`

interface Listener {
  url: string
  events: readonly string[]
  /** When it answered 410, which disabled it. */
  disabledAt: number | null
}

interface Lease extends Listener {
  /** By the machine's clock, which its process uses, because the sandbox's may be frozen. */
  until: number
}

/**
 * Receivers that temporarily replace the endpoint, such as `paysim listen`. Each renews its lease in time; the lease of a dead
 * process expires. The endpoint is kept, and gets events again when no listener is left.
 */
class Listeners {
  /** By name, oldest first. */
  readonly #leases = new Map<string, Lease>()
  readonly #dismissed = new Set<string>()

  /** The latest listener whose lease has not expired. */
  get latest(): Listener | undefined {
    for (const [name, { until }] of this.#leases) if (until <= wallClock()) this.#leases.delete(name)
    return [...this.#leases.values()].at(-1)
  }

  /** Renews a lease. Returns false for a listener that was dismissed because a tester has set an endpoint since. */
  keep(
    name: string,
    { url, events, forMs }: { url: string; events: readonly string[]; forMs: number },
  ): boolean {
    if (this.#dismissed.has(name)) return false
    const { disabledAt = null } = this.#leases.get(name) ?? {}
    this.#leases.set(name, { url, events, disabledAt, until: wallClock() + forMs })
    return true
  }

  leave(name: string): void {
    this.#leases.delete(name)
  }

  dismissAll(): void {
    for (const name of this.#leases.keys()) this.#dismissed.add(name)
    this.#leases.clear()
  }
}

/** Not cached outside of the store: a cached copy would be wrong after a failed commit. */
const ownEndpointIn = (store: Store) => store.settings.get<Endpoint | null>('webhook') ?? undefined
