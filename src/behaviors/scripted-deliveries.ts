/** Carries out the delivery plans of one sandbox: how many deliveries an event has, when, and how they are signed. */
import type { DeliveryFaults, OutgoingWebhook } from '../webhooks/webhooks.ts'
import type { DeliveryPlan, SignatureFault } from './delivery-plan.ts'
import { signWithFault } from './faults/webhook.ts'
import type { TakeBack } from './take-back.ts'
import type { DeliveredEvent } from './trigger.ts'

/** Signatures are looked up again at every retry, which goes on for days; older events are signed correctly. */
const REMEMBERED_SIGNATURES_MAX = 10_000

/** Deliveries that are due at the same millisecond may be made in either order. */
const REORDER_GAP_MS = 1

interface HeldBack {
  event: DeliveredEvent
  plan: DeliveryPlan
}

export class ScriptedDeliveries implements DeliveryFaults {
  readonly #planFor: (event: DeliveredEvent) => DeliveryPlan
  readonly #onRollback: (takeBack: TakeBack) => void
  #heldBack: HeldBack | undefined
  readonly #signatureFaults = new Map<string, SignatureFault>()

  constructor(planFor: (event: DeliveredEvent) => DeliveryPlan, onRollback: (takeBack: TakeBack) => void) {
    this.#planFor = planFor
    this.#onRollback = onRollback
  }

  deliveries(event: DeliveredEvent): { event: DeliveredEvent; afterMs: number }[] {
    const plan = this.#planFor(event)
    if (plan.sign !== undefined) this.#rememberSignature(event.id, plan.sign)
    const heldBack = this.#heldBack
    if (heldBack || plan.afterNextEvent) {
      this.#onRollback(() => {
        this.#heldBack = heldBack
      })
    }
    this.#heldBack = undefined
    if (heldBack) return [...copies(event, plan), ...copiesAfter(heldBack, event, plan)]
    if (!plan.afterNextEvent) return copies(event, plan)
    this.#heldBack = { event, plan }
    return []
  }

  outgoing(event: DeliveredEvent, webhook: OutgoingWebhook) {
    return signWithFault(webhook, this.#signatureFaults.get(event.id))
  }

  clear(): void {
    this.#heldBack = undefined
    this.#signatureFaults.clear()
  }

  #rememberSignature(eventId: string, sign: SignatureFault): void {
    const [oldest] = this.#signatureFaults.keys()
    if (this.#signatureFaults.size >= REMEMBERED_SIGNATURES_MAX) this.#signatureFaults.delete(oldest!)
    this.#signatureFaults.set(eventId, sign)
    this.#onRollback(() => this.#signatureFaults.delete(eventId))
  }
}

const copies = (event: DeliveredEvent, { copies, afterMs }: DeliveryPlan) =>
  Array.from({ length: copies }, () => ({ event, afterMs }))

/** Deliveries of the same resource are made one after another anyway, so they need no gap. */
function copiesAfter({ event, plan }: HeldBack, next: DeliveredEvent, { afterMs }: DeliveryPlan) {
  const gapMs = event.resourceId === next.resourceId ? 0 : REORDER_GAP_MS
  return copies(event, { ...plan, afterMs: Math.max(plan.afterMs, afterMs + gapMs) })
}
