/** The post of one sandbox: what behaviors make of the deliveries of its events. */
import type { DeliveryFaults, OutgoingWebhook } from '../webhooks/webhooks.ts'
import type { FaultWords } from './faults/fault.ts'
import { signed } from './faults/webhook.ts'

export type EventRow = Parameters<DeliveryFaults['deliveries']>[0]

export type SignatureFault = FaultWords<'webhook'>['webhook']['sign']

/** How an event is to be delivered. */
export interface DeliveryPlan {
  copies: number
  afterMs: number
  /** Whether the next delivery goes first. */
  letsOnePass: boolean
  sign: SignatureFault
}

const UNTOUCHED: DeliveryPlan = { copies: 1, afterMs: 0, letsOnePass: false, sign: undefined }

/** Retries go on for days, but not for this many events at once. */
const SPOILED_MAX_EVENTS = 10_000

/** So much later is what let another one pass, as deliveries that are due at once may overtake each other. */
const BEHIND_MS = 1

export class ScriptedDeliveries implements DeliveryFaults {
  readonly #spoil: (event: EventRow, untouched: DeliveryPlan) => DeliveryPlan
  /** A delivery that lets the next one pass. */
  #kept: { event: EventRow; mail: DeliveryPlan } | undefined
  readonly #signs = new Map<string, SignatureFault>()

  constructor(spoil: (event: EventRow, untouched: DeliveryPlan) => DeliveryPlan) {
    this.#spoil = spoil
  }

  deliveries(event: EventRow): { event: EventRow; afterMs: number }[] {
    const mail = this.#spoil(event, UNTOUCHED)
    if (mail.sign !== undefined) this.#remember(event.id, mail.sign)
    const kept = this.#kept
    this.#kept = undefined
    if (kept) return [...copies(event, mail), ...behind(kept, event, mail)]
    if (!mail.letsOnePass) return copies(event, mail)
    this.#kept = { event, mail }
    return []
  }

  outgoing(event: EventRow, letter: OutgoingWebhook) {
    return signed(letter, this.#signs.get(event.id))
  }

  clear(): void {
    this.#kept = undefined
    this.#signs.clear()
  }

  #remember(eventId: string, sign: SignatureFault): void {
    const [oldest] = this.#signs.keys()
    if (this.#signs.size >= SPOILED_MAX_EVENTS) this.#signs.delete(oldest!)
    this.#signs.set(eventId, sign)
  }
}

const copies = (event: EventRow, { copies, afterMs }: DeliveryPlan) =>
  Array.from({ length: copies }, () => ({ event, afterMs }))

/** Deliveries of one resource keep their order by themselves. */
function behind(kept: { event: EventRow; mail: DeliveryPlan }, passed: EventRow, { afterMs }: DeliveryPlan) {
  const gapMs = kept.event.resourceId === passed.resourceId ? 0 : BEHIND_MS
  return copies(kept.event, { ...kept.mail, afterMs: Math.max(kept.mail.afterMs, afterMs + gapMs) })
}
