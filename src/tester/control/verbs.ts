/**
 * What a tester can do, each verb with its address, its types and its comment. The types of the embedded object and of `paysim/control`, the client, the routes of
 * `/_sim` and their document, the `sim` steps of a scenario and the dashboard's forms all go by it. What a verb does, and what
 * its request and its answer must look like, is its row in `sandbox-verbs.ts`, or in `simulator-routes.ts`.
 *
 * Lists are in the order in which things happened.
 */
import type { z } from 'zod'
import type { BehaviorInput } from '../../sandbox/scenario-file/armable.ts'
import type { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import type { MagicValue } from '../../service/environments/rules.ts'
import type { CheckoutWithUrl } from '../../spec/contract/checkout.ts'
import type { OperationId } from '../../spec/contract/endpoints.ts'
import type { Event } from '../../spec/contract/event.ts'
import type { PaymentMethod } from '../../spec/contract/payment-method.ts'
import type { ProfiledDecision } from '../../spec/contract/profiled-decision.ts'
import type { Refund } from '../../spec/contract/refund.ts'
import type { BuyerOptions, NewPaymentMethod } from '../../spec/contract/tester.ts'
import type { ConductOptions, ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import type { DurationOrMs } from '../../spec/options/values.ts'
import type { Conduct } from '../conduct/judge.ts'
import type { Story } from '../story/story.ts'
import type {
  DeliveryFilter,
  DueWindow,
  EventFilter,
  HistoryWindow,
  NewEvent,
  ResetOptions,
  SettleOptions,
  WaitOptions,
} from './inputs.ts'
import type { RequestFilter } from './request-filter.ts'
import type { SettingsChange } from './settings.ts'
import type {
  BehaviorDescription,
  BehaviorTrace,
  ClockReading,
  Delivery,
  DueWork,
  FoundResource,
  Happening,
  HeldRequest,
  Ledger,
  Message,
  Overview,
  RequestExplained,
  RequestSummary,
  SandboxDescription,
  SnapshotDescription,
  UnfiredBehavior,
  WebhookEndpoint,
} from './shapes.ts'
import { type MethodsOf, verb } from './verb.ts'
import type { VerifiedRequests } from './verify.ts'

const reading = ({ now, frozen }: ClockReading): ClockReading => ({ now, frozen })
const happened = (moved: { happened: Happening[] }) => moved.happened

/** Below `/_sim`. */
export const SIMULATOR_VERBS = {
  about: verb('GET '),
  metrics: verb<() => string>('GET /metrics'),
  list: verb<() => SandboxDescription[]>('GET /sandboxes', { answers: 'page' }),
  create: verb<(options: object) => SandboxDescription>('POST /sandboxes'),
  /** A new sandbox of that name; refused when there is one. A proxy in front of many processes routes it by its path. */
  createNamed: verb<(name: string, options: object) => SandboxDescription>('PUT /sandboxes/{sandbox}', {
    always: { query: { new: true } },
  }),
  get: verb<(name: string) => SandboxDescription>('GET /sandboxes/{sandbox}'),
  /** The sandbox of that name, created with these options when there is none; refused when it has others. */
  open: verb<(name: string, options: object) => SandboxDescription>('PUT /sandboxes/{sandbox}'),
  remove: verb<(name: string) => void>('DELETE /sandboxes/{sandbox}'),
}

/** Below `/_sim` for the sandbox `default`, below `/_sim/sandboxes/{sandbox}` for any. */
export const SANDBOX_VERBS = {
  describe: verb<() => SandboxDescription>('GET '),
  /** Changes settings of the running sandbox, from the next request on; what is left out stays as it is. */
  configure: verb<(settings: SettingsChange) => void>('PUT /settings'),

  clock: {
    /** Milliseconds since 1970, like `Date.now()`. */
    now: verb<() => number>('GET /clock', { read: ({ now }: ClockReading) => Date.parse(now) }),
    read: verb<() => ClockReading>('GET /clock'),
    /** Stops the clock: nothing falls due until it is moved. */
    freeze: verb<() => ClockReading>('POST /clock', {
      args: [],
      always: { body: { freeze: true } },
      read: reading,
    }),
    /** The clock runs on from where it stands. */
    resume: verb<() => ClockReading>('POST /clock', {
      args: [],
      always: { body: { resume: true } },
      read: reading,
    }),
    /** Moves the clock, such as by `2d`; resolves with what happened on the way when all of it is done, deliveries too. */
    advance: verb<(by: DurationOrMs) => Promise<Happening[]>>('POST /clock', {
      args: ['body.advance'],
      read: happened,
    }),
    /** Moves the clock to a time that is not before now. */
    set: verb<(to: string | number | Date) => Promise<Happening[]>>('POST /clock', {
      args: ['body.set'],
      read: happened,
    }),
  },
  /** Resolves once nothing is in flight and nothing is due; refused with what still goes on after `within`, 4s. With `held: false`, held requests are not waited for. */
  settle: verb<(options?: SettleOptions) => Promise<void>>('POST /settle', { args: ['query'] }),

  /** What is due, how much of the rate limit is used, and how many resources there are. */
  overview: verb<() => Overview>('GET /overview'),
  /** What falls due, the next first. */
  due: verb<(window?: DueWindow) => DueWork[]>('GET /due', { answers: 'list' }),
  /** Any resource, as it is shown under `/v1`. */
  resource: verb<(id: string) => FoundResource>('GET /resources/{id}'),
  /**
   * The body, to the byte, of what a GET under `/v1` such as `checkouts.list` answers. `parameters` are those of its path
   * and its query. It needs no key, and is neither counted nor journaled.
   */
  read: verb<(operation: OperationId, parameters?: Readonly<Record<string, string>>) => string>(
    'GET /operations/{operation}',
    { answers: 'text' },
  ),

  /** The money that production would have moved, and the sums. */
  ledger: verb<(window?: HistoryWindow) => Ledger>('GET /ledger', { answers: 'page', pages: 'movements' }),
  /** The e-mails and SMS that production would have sent. */
  outbox: verb<(window?: HistoryWindow) => Message[]>('GET /outbox', { answers: 'page' }),
  clearOutbox: verb<() => void>('DELETE /outbox'),
  events: verb<(filter?: EventFilter) => Event[]>('GET /events', { answers: 'page' }),
  /** Makes an event of this type, with the resource as it is now. */
  emit: verb<(event: NewEvent) => Event>('POST /events'),

  webhook: {
    get: verb<() => WebhookEndpoint | null>('GET /webhook'),
    /** Without `secret` it stays what it is; with `overlap` the one before signs too for so long. Without `events` all are delivered. */
    put: verb<(settings: WebhookSettings) => WebhookEndpoint>('PUT /webhook'),
    remove: verb<() => void>('DELETE /webhook'),
    /**
     * Events go to this listener instead, until it leaves or its lease is over. Of several the latest gets them; to set an
     * endpoint dismisses all.
     */
    listen: verb<(listener: string, settings: ListenerSettings) => WebhookEndpoint>(
      'PUT /webhook/listeners/{name}',
    ),
    leave: verb<(listener: string) => void>('DELETE /webhook/listeners/{name}'),
  },
  deliveries: verb<(filter?: DeliveryFilter) => Delivery[]>('GET /deliveries', { answers: 'page' }),
  /** One more delivery of the same event, due at once. */
  redeliver: verb<(deliveryId: string) => Delivery>('POST /deliveries/{id}/redeliver'),
  /** Sends what is failing once more, at once: a new delivery of each event that was given up, and the next attempt of the others. */
  redeliverFailed: verb<() => Delivery[]>('POST /deliveries/redeliver', { args: [], answers: 'list' }),

  /** The requests that came under `/v1`, answered or not. */
  requests: verb<(filter?: RequestFilter) => RequestSummary[]>('GET /requests', { answers: 'page' }),
  /** One request explained: the steps it passed, which one answered and why, what it changed and what followed. */
  request: verb<(id: string) => RequestExplained>('GET /requests/{id}'),
  /** The same as text for a terminal. Without an id: every request in a line, and the refused ones in full. */
  explain: verb<(id?: string) => string>('GET /requests/{id?}', {
    always: { query: { format: 'text' } },
    read: (text: string) => text.replace(/\n$/, ''),
  }),
  /**
   * Counts the requests that are as expected: at least one, unless `count` says otherwise. Without an expectation every
   * request is. Resolves as soon as it is true; after `within` a miss is refused with the nearest requests and how they differ.
   */
  verify: verb<(expectation?: RequestExpectation, options?: WaitOptions) => Promise<VerifiedRequests>>(
    'POST /verify',
    { args: ['body', 'query'] },
  ),
  /** What the platform did that would hurt in production, and which kinds of trouble it met; `ignore` silences rules. */
  conduct: verb<(options?: ConductOptions) => Conduct>('GET /conduct'),
  /**
   * What happened to an order, in sentences, the worst first: `worst` has that in a few words, such as `refunded twice`. By
   * the order's name, by the id of anything that belongs to it, or by an Idempotency-Key.
   */
  story: verb<(about: string) => Story>('GET /stories/{about}'),
  clearRequests: verb<() => void>('DELETE /requests'),

  refunds: {
    /** Completes a pending refund now, before it is due. */
    complete: verb<(refundId: string) => z.input<typeof Refund>>('POST /refunds/{id}/complete'),
  },
  paymentMethods: {
    /** Attaches staging's test card, or its test bank account. */
    attach: verb<(customerId: string, method?: NewPaymentMethod) => z.input<typeof PaymentMethod>>(
      'POST /customers/{id}/payment-methods',
    ),
  },
  /** The buyer's part, without a browser. */
  buyer: {
    /** Goes through the hosted page to its end; the checkout is approved. */
    approve: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>(
      'POST /checkouts/{id}/approve',
    ),
    /** The bank says no; the checkout stays as it was. */
    decline: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>(
      'POST /checkouts/{id}/decline',
    ),
  },

  /** Arms the behaviors of a scenario that was read, after those that are armed already. */
  arm: verb<(scenario: BehaviorInput) => BehaviorDescription[]>('POST /behaviors', { answers: 'list' }),
  /** Arms the behaviors of a scenario, and no others. */
  replaceBehaviors: verb<(scenario: BehaviorInput) => BehaviorDescription[]>('PUT /behaviors', {
    answers: 'list',
  }),
  behaviors: verb<() => BehaviorDescription[]>('GET /behaviors', { answers: 'list' }),
  /** What behaviors did to refunds, deliveries and buyers, outside of any request. */
  backgroundResults: verb<() => BehaviorTrace[]>('GET /behaviors/background', { answers: 'list' }),
  /** The armed behaviors that never acted and are not `optional`, each with what came nearest. */
  unfired: verb<() => UnfiredBehavior[]>('GET /behaviors/unfired', { answers: 'list' }),
  /** Disarms one behavior, or all of them. */
  disarm: verb<(behaviorId?: string) => void>('DELETE /behaviors/{id?}'),
  /** Lets the requests go on that wait at a gate, and answers with them. */
  release: verb<(gate: string) => HeldRequest[]>('POST /gates/{name}/release', { answers: 'list' }),
  /** The requests that wait at any gate now. */
  waiting: verb<() => HeldRequest[]>('GET /gates', { answers: 'list' }),
  /** Resolves once a request waits at the gate, with all that do. */
  held: verb<(gate: string, options?: WaitOptions) => Promise<HeldRequest[]>>('GET /gates/{name}', {
    answers: 'list',
  }),

  /** Starts over, as a whole or in part. The keys, the settings and the webhook endpoint stay. */
  reset: verb<(options?: ResetOptions) => void>('POST /reset'),
  /** Keeps the state under a name, to be restored or to start another sandbox from. */
  snapshot: verb<(name?: string) => SnapshotDescription>('POST /snapshots', { args: ['body.name'] }),
  restore: verb<(name: string) => void>('POST /snapshots/{name}/restore', { read: () => undefined }),
  snapshots: {
    list: verb<() => SnapshotDescription[]>('GET /snapshots', { answers: 'list' }),
    /** A SQLite database. */
    get: verb<(name: string) => Uint8Array>('GET /snapshots/{name}'),
    /** Keeps bytes that {@link get} once gave, here or elsewhere. */
    put: verb<(name: string, bytes: Uint8Array) => SnapshotDescription>('PUT /snapshots/{name}'),
    remove: verb<(name: string) => void>('DELETE /snapshots/{name}'),
  },

  /**
   * Ends a test: removes the sandbox (`default` stays), and is then refused when an armed behavior never acted, with what
   * came nearest.
   */
  close: verb<() => void>('POST /close'),

  /** What can be typed in staging to get a known outcome. */
  magic: verb<() => MagicValue[]>('GET /magic', { answers: 'list' }),
  /** What the spec leaves open, and what was chosen. */
  decisions: verb<() => readonly ProfiledDecision[]>('GET /decisions', { answers: 'list' }),
}

export interface SandboxMethods extends MethodsOf<typeof SANDBOX_VERBS> {}
