/** Executes the delivery plans of one sandbox: how many deliveries an event has, when, and how they are signed. */
import type { DeliveryFaults, OutgoingWebhook } from '../../service/webhooks/webhooks.ts'
import type { CrashableClient, DeliveryPlan, SignatureFault } from './faults/fault.ts'
import { signWithFault } from './faults/webhook.ts'
import type { Remembered, RememberedKind, RememberedMap } from './remembered.ts'
import type { DeliveredEvent } from './trigger.ts'

/** A retry days later still looks up how to sign. Beyond this many events, the oldest are signed correctly. */
const REMEMBERED_SIGNATURES_MAX = 10_000

/**
 * Two deliveries due at the same millisecond may be made in either order, so the second is due this much
 * later.
 */
const REORDER_GAP_MS = 1

interface DeliveryServices {
  planFor(event: DeliveredEvent): DeliveryPlan
  findEvent(id: string): DeliveredEvent | undefined
  client(): CrashableClient | undefined
}

/** The kind of the row that remembers a held back delivery. */
const HELD_BACK = 'held back delivery' satisfies RememberedKind

export class ScriptedDeliveries implements DeliveryFaults {
  readonly #services: DeliveryServices
  /** By event id; at most one is held back. */
  readonly #heldBack: RememberedMap<DeliveryPlan>
  /** By event id. */
  readonly #signatureFaults: RememberedMap<SignatureFault>
  /** The ids of events whose first response kills the receiver. In memory, because no copy of the sandbox has that receiver. */
  readonly #crashing = new Set<string>()

  constructor(remembered: Remembered, services: DeliveryServices) {
    this.#services = services
    this.#heldBack = remembered(HELD_BACK)
    this.#signatureFaults = remembered('signature fault')
  }

  deliveries(event: DeliveredEvent): { event: DeliveredEvent; afterMs: number }[] {
    const plan = this.#services.planFor(event)
    if (plan.sign !== undefined) this.#rememberSignature(event.id, plan.sign)
    if (plan.crash) this.#crashing.add(event.id)
    const [heldBack] = this.#heldBack
    if (heldBack) {
      const [id, planOfHeldBack] = heldBack
      this.#heldBack.delete(id)
      const before = this.#services.findEvent(id)!
      return [...copies(event, plan), ...copiesAfter(before, planOfHeldBack, event, plan)]
    }
    if (!plan.afterNextEvent) return copies(event, plan)
    this.#heldBack.set(event.id, plan)
    return []
  }

  outgoing(event: DeliveredEvent, webhook: OutgoingWebhook) {
    return signWithFault(webhook, this.signatureFaultOf(event.id))
  }

  /**
   * Deliveries to a killed receiver are sent again once it is back, because the pauses between attempts are longer than tests
   * wait.
   */
  async sent<Outcome extends { status: number | null }>(
    { id }: DeliveredEvent,
    send: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const client = this.#services.client()
    if (!client) return send()
    let outcome: Outcome
    let crashes: number
    do {
      await client.ready()
      crashes = client.crashes
      outcome = await send()
    } while (outcome.status === null && client.crashes > crashes)
    if (this.#crashing.delete(id)) await client.crash()
    return outcome
  }

  signatureFaultOf(eventId: string): SignatureFault {
    return this.#signatureFaults.get(eventId)
  }

  /** Called by a reset of the behaviors: no receiver is killed for an earlier event. */
  forgetCrashes(): void {
    this.#crashing.clear()
  }

  #rememberSignature(eventId: string, sign: SignatureFault): void {
    this.#signatureFaults.set(eventId, sign)
    this.#signatureFaults.keepNewest(REMEMBERED_SIGNATURES_MAX)
  }
}

const copies = (event: DeliveredEvent, { copies, afterMs }: DeliveryPlan) =>
  Array.from({ length: copies }, () => ({ event, afterMs }))

/** Deliveries of the same order are sequential anyway, so they need no gap. */
function copiesAfter(
  event: DeliveredEvent,
  plan: DeliveryPlan,
  next: DeliveredEvent,
  { afterMs }: DeliveryPlan,
) {
  const gapMs = event.belongsTo === next.belongsTo ? 0 : REORDER_GAP_MS
  return copies(event, { ...plan, afterMs: Math.max(plan.afterMs, afterMs + gapMs) })
}
