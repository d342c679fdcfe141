/**
 * What a tester may do to a sandbox, as one plain object. Whoever embeds the simulator holds it, and `/_sim` is the same
 * over HTTP. What has not to be waited for is answered at once; amounts are decimal and times ISO 8601, as under `/v1`.
 *
 * Lists are in the order in which things happened. A refusal is thrown, with the `status` that HTTP would answer.
 */
import { z } from 'zod'
import { approveAsBuyer, type BuyerOptions, declineAsBuyer } from '../buyer/flow.ts'
import type { SandboxOptions } from '../config.ts'
import { Checkout } from '../contract/checkout.ts'
import { DECISIONS, type Decision } from '../contract/decisions.ts'
import { notFound } from '../contract/errors.ts'
import type { Event, EventType } from '../contract/event.ts'
import { PaymentMethod, type PaymentMethodType } from '../contract/payment-method.ts'
import { Refund } from '../contract/refund.ts'
import { findCheckout, withUrl } from '../operations/checkouts.ts'
import { findCustomer } from '../operations/customers.ts'
import { attach, testMeans } from '../operations/payment-methods.ts'
import { finishRefund } from '../operations/refunds.ts'
import type { BehaviorInput } from '../scenario-file/behavior.ts'
import { type MagicValue, magicValues } from '../staging/rules.ts'
import { describeBehaviors, releaseGate, waitForHeld } from './behaviors.ts'
import { explain, explanationText, journalText } from './explain.ts'
import {
  type DeliveryFilter,
  deliveries,
  type EventFilter,
  emit,
  events,
  ledger,
  outbox,
  redeliver,
} from './history.ts'
import { runUnit, type SandboxInternals } from './internals.ts'
import { findEntry, pickRequests, type RequestFilter } from './requests.ts'
import { settle } from './settle.ts'
import {
  type BehaviorDescription,
  type Delivery,
  type HeldRequest,
  type Ledger,
  type Message,
  type RequestExplained,
  type RequestSummary,
  type ResetKind,
  SandboxDescription,
  type SnapshotDescription,
} from './shapes.ts'
import { reset, restore, type SnapshotControl, type Source, snapshotControl, takeSnapshot } from './state.ts'
import { type ClockControl, clockControl } from './time.ts'
import { type RequestExpectation, type VerifiedRequests, verify } from './verify.ts'
import { endpointOf, secretOf, type WebhookControl, webhookControl } from './webhook.ts'

/** How long to wait, in real time. */
export interface WaitOptions {
  within?: string | number | undefined
}

export interface SandboxControl {
  readonly name: string
  /** What its platform sends as `x-api-key`. */
  readonly apiKey: string
  /** What its webhooks are signed with. */
  readonly signingSecret: string
  describe(): SandboxDescription

  readonly clock: ClockControl
  /** Resolves once nothing is in flight and nothing is due; refused with what still goes on after `within`, 4s. */
  settle(options?: WaitOptions): Promise<void>

  /** The money that production would have moved, and the sums. */
  ledger(): Ledger
  /** The e-mails and SMS that production would have sent. */
  outbox(): Message[]
  clearOutbox(): void
  events(filter?: EventFilter): Event[]
  /** Tells of a resource as it is now, under the name of something that may have happened to it. */
  emit(event: { type: EventType; resourceId: string }): Event

  readonly webhook: WebhookControl
  deliveries(filter?: DeliveryFilter): Delivery[]
  /** One more delivery of the same event, due at once. */
  redeliver(deliveryId: string): Delivery

  /** What was asked under `/v1`, whatever became of it. */
  requests(filter?: RequestFilter): RequestSummary[]
  /** One request explained: the steps it passed, who answered and why, what it changed and what followed. */
  request(id: string): RequestExplained
  /** The same as text for a terminal. Without an id: every request in a line, and the refused ones in full. */
  explain(id?: string): string
  /**
   * Counts the requests that are as expected: at least one, unless `count` says otherwise. Resolves as soon as it is
   * true; after `within` a miss is refused with the nearest requests and how they differ.
   */
  verify(expectation: RequestExpectation, options?: WaitOptions): Promise<VerifiedRequests>
  clearRequests(): void

  readonly refunds: {
    /** Now, whenever it was due. */
    complete(refundId: string): z.input<typeof Refund>
  }
  readonly paymentMethods: {
    /** Attaches staging's test card, or its test bank account. */
    attach(
      customerId: string,
      method?: { type?: PaymentMethodType | undefined },
    ): z.input<typeof PaymentMethod>
  }
  /** The buyer's part, without a browser. */
  readonly buyer: {
    approve(checkoutId: string, wish?: BuyerOptions): z.input<typeof Checkout>
    /** The bank says no; the checkout stays as it was. */
    decline(checkoutId: string, wish?: BuyerOptions): z.input<typeof Checkout>
  }

  /** Arms the behaviors of a scenario that was read, after those that are armed already. */
  arm(scenario: BehaviorInput): BehaviorDescription[]
  /** Arms the behaviors of a scenario, and no others. */
  replaceBehaviors(scenario: BehaviorInput): BehaviorDescription[]
  behaviors(): BehaviorDescription[]
  /** Takes one behavior back, or all of them. */
  disarm(behaviorId?: string): void
  /** Lets go the requests that stand at a gate, and tells which. */
  release(gate: string): HeldRequest[]
  /** Resolves once a request stands at the gate, with all that do. */
  held(gate: string, options?: WaitOptions): Promise<HeldRequest[]>

  /** Starts over, as a whole or in part. The keys, the settings and the webhook endpoint stay. */
  reset(options?: { what?: readonly ResetKind[] | undefined }): void
  /** Keeps the state under a name, to be restored or to start another sandbox from. */
  snapshot(name?: string): SnapshotDescription
  restore(name: string): void
  readonly snapshots: SnapshotControl

  /** What can be typed in staging to get a known outcome. */
  magic(): MagicValue[]
  /** What the spec leaves open, and what was chosen. */
  decisions(): readonly Decision[]
}

export function createControl(internals: SandboxInternals): SandboxControl {
  const { config, journal, name, scenarios, services } = internals

  return {
    name,
    apiKey: config.apiKey,
    get signingSecret() {
      return secretOf(internals)
    },
    describe: () => describe(internals),

    clock: clockControl(internals),
    settle: ({ within } = {}) => settle(internals, within),

    ledger: () => ledger(internals),
    outbox: () => outbox(internals),
    clearOutbox: () => runUnit(internals, ({ store }) => store.outbox.clear()),
    events: (filter = {}) => events(internals, filter),
    emit: ({ type, resourceId }) => emit(internals, type, resourceId),

    webhook: webhookControl(internals),
    deliveries: (filter = {}) => deliveries(internals, filter),
    redeliver: (id) => redeliver(internals, id),

    requests: (filter = {}) => pickRequests(journal, filter),
    request: (id) => explain(internals, findEntry(journal, id)),
    explain: (id) =>
      id === undefined ? journalText(internals) : explanationText(explain(internals, findEntry(journal, id))),
    verify: (expectation, { within } = {}) => verify(journal, expectation, within),
    clearRequests: () => journal.clear(),

    refunds: {
      complete: (id) => runUnit(internals, (unit) => z.encode(Refund, finishRefund(unit, id))),
    },
    paymentMethods: {
      attach: (customerId, { type = 'card' } = {}) =>
        runUnit(internals, (unit) => {
          const method = attach(unit, findCustomer(unit, customerId), testMeans(unit, type))
          return z.encode(PaymentMethod, method)
        }),
    },
    buyer: {
      approve: (id, wish) => runUnit(internals, (unit) => z.encode(Checkout, approveAsBuyer(unit, id, wish))),
      decline: (id, wish) =>
        runUnit(internals, (unit) => {
          declineAsBuyer(unit, id, wish)
          return z.encode(Checkout, withUrl(unit, findCheckout(unit, id)))
        }),
    },

    arm(scenario) {
      scenarios.arm(scenario)
      return describeBehaviors(scenarios)
    },
    replaceBehaviors(scenario) {
      scenarios.replace(scenario)
      return describeBehaviors(scenarios)
    },
    behaviors: () => describeBehaviors(scenarios),
    disarm(id) {
      if (!scenarios.disarm(id)) throw notFound('Behavior')
    },
    release: (gate) => releaseGate(scenarios, gate),
    held: (gate, { within } = {}) => waitForHeld(scenarios, gate, within),

    reset: ({ what } = {}) => reset(internals, what),
    snapshot: (snapshotName) => takeSnapshot(internals, snapshotName),
    restore: (snapshotName) => restore(internals, snapshotName),
    snapshots: snapshotControl(internals),

    magic: () => magicValues(services.staging),
    decisions: () => DECISIONS,
  }
}

/** A simulator as whoever makes and removes sandboxes sees it. */
export interface Sandboxes {
  /** The sandbox of that name, created with these options when there is none. */
  sandbox(name: string, options?: Omit<NewSandbox, 'name'>): SandboxControl
  /** A new sandbox; refused when there is one of that name. */
  create(options?: NewSandbox): SandboxControl
  sandboxes(): SandboxControl[]
  /** The sandbox of that name; refused when there is none. */
  find(name: string): SandboxControl
  remove(name: string): void
  /** Counts and durations, as Prometheus reads them. */
  metrics(): string
}

export interface NewSandbox extends SandboxOptions {
  /** Left out, it takes the next number that is free. */
  name?: string | undefined
  /** Where it starts from; left out, from nothing. What is not said otherwise is as it was there. */
  from?: Source | undefined
  /** After how long it is removed by itself, in real time. */
  ttl?: string | number | undefined
}

function describe(internals: SandboxInternals): SandboxDescription {
  const { clock, config, name, webhooks } = internals
  const { apiKey, expiresAt, rateLimit, refundDelayMs, requireApproval, seed } = config
  return z.encode(SandboxDescription, {
    name,
    apiKey,
    signingSecret: secretOf(internals),
    clock: { now: clock.now(), frozen: clock.frozen },
    seed: seed ?? null,
    rateLimit,
    refundDelay: refundDelayMs,
    requireApproval,
    webhook: endpointOf(webhooks),
    expiresAt: expiresAt ?? null,
  })
}
