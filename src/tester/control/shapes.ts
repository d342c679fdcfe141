/**
 * The schemas of a tester's results. As in the contract, a schema has two sides: the code holds cents and milliseconds; HTTP and
 * the embedded object use decimal amounts and ISO 8601.
 */

import { z } from 'zod'
import { DOOR_STEPS } from '../../service/door/journal-entry.ts'
import { WorkKind } from '../../service/store/agenda.ts'
import { AttemptRow, DELIVERY_STATUSES } from '../../service/store/deliveries.ts'
import { Movement as MovementRow } from '../../service/store/ledger.ts'
import { MessageRow } from '../../service/store/outbox.ts'
import { CLIENT_LEFT, CONNECTION_FAULT_KINDS } from '../../spec/contract/connection-fault.ts'
import { Duration } from '../../spec/contract/duration.ts'
import { EventType, RESOURCES, type ResourceName } from '../../spec/contract/event.ts'
import { id } from '../../spec/contract/ids.ts'
import { Money } from '../../spec/contract/money.ts'
import type { Definitions } from '../../spec/contract/resources/index.ts'
import { ofSums } from '../../spec/contract/resources/ledger.ts'
import { forMovingIds } from '../../spec/contract/resources/movements.ts'
import { byDelayOption, TIMED_EVENTS } from '../../spec/contract/resources/timed.ts'
import { Instant } from '../../spec/contract/wire.ts'
import { asRead } from '../../spec/options/option.ts'
import { SANDBOX_OPTIONS, SandboxSettings } from '../../spec/options/sandbox.ts'

// The sandbox

export const ClockReading = z.object({ now: Instant, frozen: z.boolean() }).meta({ id: 'ClockReading' })

export const Happening = z
  .object({
    at: Instant,
    what: z.enum([...TIMED_EVENTS, 'webhook.delivered', 'webhook.attempt_failed']),
    id: z.string().describe('The refund, or the delivery'),
    detail: z.string(),
  })
  .meta({ id: 'Happening', description: 'One thing that time brought about' })

export const WebhookEndpoint = z
  .object({
    url: z.string(),
    secret: z.string(),
    previous: z
      .object({ secret: z.string(), until: Instant })
      .nullable()
      .describe('The secret before this one, which signs too until then'),
    events: z.array(z.string()),
    disabledAt: Instant.nullable().describe('When the receiver responded 410, which ended deliveries'),
  })
  .meta({ id: 'WebhookEndpoint' })

export const SandboxDescription = z
  .object({
    name: z.string().describe('One of production begins with production.'),
    url: z.string().nullable().describe('The address of its environment, once there is one'),
    // Omitted: `testValues`, which the verb of that name shows, and `fixture`, whose resources are in the sandbox.
    ...asRead(SandboxSettings.omit({ testValues: true, fixture: true }).shape),
    // Shown in a different form from the input.
    apiKey: z.string(),
    signingSecret: z.string(),
    rateLimit: SANDBOX_OPTIONS.rateLimit.unwrap().describe('Requests a minute for each IP, or off'),
    ...byDelayOption(() => Duration),
    audit: z.object({ ignore: z.record(z.string(), z.string()) }),
    journal: z.object({ headers: z.array(z.string()).readonly() }),
    clock: ClockReading,
    webhook: WebhookEndpoint.nullable(),
    expiresAt: Instant.nullable().describe('When it is removed automatically, in real time'),
  })
  .meta({ id: 'Sandbox' })

export const SnapshotDescription = z
  .object({ name: z.string(), bytes: z.int() })
  .meta({ id: 'Snapshot', description: 'The database of a sandbox, under a name' })

// The sandbox's history

const Movement = z
  .object({
    number: z.int().describe('Its number in the ledger, from 1'),
    ...MovementRow.shape,
    ...forMovingIds((kind) => id(kind).nullable()),
    createdAt: Instant,
  })
  .meta({ id: 'Movement' })

const Sums = z
  .object(
    ofSums(
      () => Money,
      () => z.int(),
    ),
  )
  .meta({ id: 'Sums', description: 'How much, and how often' })

export const Ledger = z
  .object({ sums: Sums, movements: z.array(Movement) })
  .meta({ id: 'Ledger', description: 'The money that production would have moved' })

export const Message = MessageRow.omit({ createdAt: true })
  .extend({
    id: id('message'),
    code: MessageRow.shape.code.describe('Of a log-in, the code that the buyer enters'),
    status: z.literal('captured'),
    wouldBeSent: z
      .boolean()
      .describe('Whether the real service would send it: true in production, false in staging (§1)'),
    createdAt: Instant,
  })
  .meta({ id: 'Message', description: 'An e-mail or SMS that production would have sent' })

const Attempt = AttemptRow.omit({ deliveryId: true })
  .extend({
    at: Instant,
    status: AttemptRow.shape.status.describe('Null when the receiver did not answer'),
    response: AttemptRow.shape.response.describe('The beginning of what the receiver answered'),
  })
  .meta({ id: 'Attempt' })

export const Delivery = z
  .object({
    id: id('delivery'),
    eventId: id('event'),
    eventType: EventType,
    resourceId: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(Attempt),
    nextAttemptAt: Instant.nullable(),
    isByHand: z.boolean().describe('A tester asked for it'),
    createdAt: Instant,
  })
  .meta({ id: 'Delivery' })

// The journal

export const RequestSummary = z
  .object({
    id: id('request'),
    arrivedAt: Instant,
    answeredAt: Instant.nullable(),
    durationMs: z.number().nullable().describe("By the machine's clock"),
    method: z.string(),
    target: z.string().describe('Path and query'),
    operation: z.string().nullable(),
    subject: z.string().nullable().describe('The resource that it names'),
    key: z.string().nullable().describe('The Idempotency-Key'),
    step: z.enum(DOOR_STEPS).describe('The step that answered'),
    status: z.int().nullable(),
    verdict: z.string().nullable().describe('The verdict on the Idempotency-Key'),
    fired: z.array(z.string()).describe('The behaviors that acted on it'),
    stub: z
      .enum(['answered', 'forwarded'])
      .nullable()
      .describe(
        'Outside the endpoints of the service: whether a stub answered it, or forwarded it to the real staging',
      ),
    fault: z
      .enum([...CONNECTION_FAULT_KINDS, CLIENT_LEFT])
      .nullable()
      .describe('What a connection fault did to the answer'),
    orderId: z.string().nullable().describe('The `orderId` of its body'),
    amount: z.number().nullable().describe('The `amount` of its body'),
    message: z.string().nullable().describe('The message of an error that answered it'),
  })
  .meta({ id: 'Request' })

const Difference = z
  .object({ path: z.string(), first: z.string(), now: z.string() })
  .meta({ id: 'Difference', description: 'A difference between two values, in words' })

const Sent = z.object({
  headers: z.record(z.string(), z.string()),
  body: z.string().describe('To the byte'),
  json: z.unknown().describe('The body if it is JSON; otherwise null'),
})

/** What a behavior did, or why it did nothing. */
const acted = { behavior: z.string(), did: z.string(), fired: z.boolean(), why: z.string() }

const Resource = z.union(Object.values(RESOURCES))
const ResourceKind = z.enum(Object.keys(RESOURCES) as ResourceName[])

export const RequestExplained = RequestSummary.extend({
  summary: z.string().describe('Why it was answered so, in plain words'),
  steps: z.array(
    z.object({
      step: z.enum(DOOR_STEPS),
      outcome: z.enum(['passed', 'answered', 'under way', 'not reached']),
      note: z.string().nullable(),
    }),
  ),
  idempotency: z
    .object({
      verdict: z.string(),
      firstUsedAt: Instant.nullable(),
      differences: z.array(Difference).describe('Between the first body and this one'),
    })
    .nullable(),
  behaviors: z
    .array(
      z.object({
        ...acted,
        waits: z
          .object({ gate: z.string().nullable(), for: z.string().nullable() })
          .optional()
          .describe('If it makes the request wait: at which gate, or how long'),
      }),
    )
    .describe('Those that acted on it, and those that met some of their conditions'),
  request: Sent,
  response: Sent.nullable(),
  before: Resource.nullable().describe('The resource as the operation found it'),
  after: Resource.nullable().describe('The resource as the operation left it'),
  changes: z.array(Difference),
  events: z.array(
    z.object({ id: id('event'), type: EventType, resourceId: z.string(), deliveries: z.array(Delivery) }),
  ),
  curl: z.string().describe('The same request again; the key is $PAYSIM_API_KEY'),
  bug: z.string().nullable().describe('The cause of a 500'),
}).meta({ id: 'RequestExplained' })

// Scripted trouble

export const BehaviorDescription = z
  .object({
    id: z.string(),
    explained: z.string().describe('When it acts and what it does, in a sentence'),
    matched: z.int().describe('How many requests met all its conditions'),
    fired: z.int(),
    left: z.int().nullable().describe('How many more times it will act; null for no limit'),
    lastMiss: z
      .string()
      .nullable()
      .describe('Why it did not act on the last request that met some of its conditions'),
  })
  .meta({ id: 'ArmedBehavior' })

export const UnfiredBehavior = BehaviorDescription.pick({ id: true, explained: true })
  .extend({ why: z.string().describe('What came nearest') })
  .meta({
    id: 'UnfiredBehavior',
    description: 'An armed behavior that never acted, though it is not optional',
  })

export const HeldRequest = z
  .object({ request: id('request'), gate: z.string(), since: Instant })
  .meta({ id: 'HeldRequest', description: 'A request that a gate holds' })

// The data

export const DueWork = z
  .object({
    at: Instant.nullable().describe('Null for work that waits for a tester'),
    kind: z.enum([...WorkKind.options, 'request.continue']),
    subject: z.string().describe('The refund, the delivery, or the request that is held'),
  })
  .meta({ id: 'DueWork' })

export const FoundResource = z
  .object({
    name: ResourceKind,
    resource: Resource.describe('As it is shown under /v1'),
  })
  .meta({ id: 'FoundResource' })

export const BehaviorTrace = z
  .object({
    at: Instant,
    subject: z.string().describe('The id of the event or resource'),
    ...acted,
  })
  .meta({ id: 'BehaviorTrace', description: 'What a behavior did, or nearly did, outside of a request' })

// The wire's side, which the embedded object also returns

export type RequestExplained = z.input<typeof RequestExplained>
export type RequestSummary = z.input<typeof RequestSummary>
export type DueWork = z.input<typeof DueWork>
/** Discriminated by its name. */
export type FoundResource = {
  readonly [Name in ResourceName]: { name: Name; resource: z.input<Definitions[Name]['Shown']> }
}[ResourceName]
export type BehaviorTrace = z.input<typeof BehaviorTrace>
export type UnfiredBehavior = z.input<typeof UnfiredBehavior>
export type HeldRequest = z.input<typeof HeldRequest>
export type BehaviorDescription = z.input<typeof BehaviorDescription>
export type ClockReading = z.input<typeof ClockReading>
export type Happening = z.input<typeof Happening>
export type WebhookEndpoint = z.input<typeof WebhookEndpoint>
export type SandboxDescription = z.input<typeof SandboxDescription>
export type SnapshotDescription = z.input<typeof SnapshotDescription>
export type Ledger = z.input<typeof Ledger>
export type Message = z.input<typeof Message>
export type Delivery = z.input<typeof Delivery>
