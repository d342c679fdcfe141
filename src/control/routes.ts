/** The tester's side over HTTP, row for row what the object does. */
import { z } from 'zod'
import { VERSION } from '../config.ts'
import { Checkout } from '../contract/checkout.ts'
import { malformedScenario } from '../contract/errors.ts'
import { Event, EventType } from '../contract/event.ts'
import { PaymentMethod, PaymentMethodType } from '../contract/payment-method.ts'
import { Refund } from '../contract/refund.ts'
import { Limit, oneOf } from '../contract/wire.ts'
import type { Scenario } from '../scenario-file/format.ts'
import { parseScenario, ScenarioError } from '../scenario-file/read.ts'
import type { SandboxControl, Sandboxes } from './control.ts'
import { Fixture } from './fixture.ts'
import { RawAnswer, routesOf } from './route.ts'
import {
  BehaviorDescription,
  ClockReading,
  Delivery,
  Happening,
  HeldRequest,
  Ledger,
  Message,
  RequestExplained,
  RequestSummary,
  ResetKind,
  SandboxDescription,
  SnapshotDescription,
  WebhookEndpoint,
} from './shapes.ts'
import { RequestExpectation, VerifiedRequests } from './verify.ts'

// What many rows have in common

const TextOrJson = oneOf(['json', 'text']).default('json').meta({ description: 'text for a terminal' })

const text = z.string({ error: 'must be a text' })
const durationText = z
  .union([z.string(), z.int().min(0)], { error: 'must be a duration such as 250ms, 5s or 2d' })
  .meta({ description: 'A duration such as 250ms, 5s or 2d, or milliseconds', example: '2d' })
const timeText = z
  .union([z.string(), z.int().min(0)], { error: 'must be a time such as 2026-01-01T00:00:00Z' })
  .meta({ description: 'A time such as 2026-01-01T00:00:00Z, or milliseconds since 1970' })

const Patience = z.object({
  within: z.string().optional().meta({ description: 'How long to wait, in real time', example: '5s' }),
})

const listOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) })
const list = <Item>(data: readonly Item[]) => ({ data: [...data] })

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const SQLITE = 'application/vnd.sqlite3'
/** JSON is YAML, so one reader reads both. */
const SCENARIO = 'application/yaml'

function scenarioOf(bytes: Uint8Array): Scenario {
  try {
    return parseScenario(Buffer.from(bytes).toString('utf8'), 'body')
  } catch (cause) {
    throw cause instanceof ScenarioError ? malformedScenario(cause.message) : cause
  }
}

// Pages: the latest first page, and within a page the order in which things happened

const paged = {
  limit: Limit,
  cursor: z.string().optional().meta({ description: 'nextCursor of the page before: what came earlier' }),
}

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), hasMore: z.boolean(), nextCursor: z.string().nullable() })

function page<Item extends { id: string }>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  read: (window: { limit: number; cursor: string | undefined }) => Item[],
) {
  const found = read({ limit: limit + 1, cursor })
  const data = found.slice(-limit)
  const hasMore = found.length > limit
  return { data, hasMore, nextCursor: hasMore ? data[0]!.id : null }
}

// The simulator

const simulator = routesOf<Sandboxes>()

const NewSandbox = z
  .strictObject({
    name: text.optional(),
    from: z
      .union(
        [
          z.string(),
          z.strictObject({ sandbox: text.optional(), snapshot: text }),
          // Whatever is no fixture is refused where it is planted, which tells what is wrong with it and where.
          z.strictObject({ fixture: z.union([Fixture, z.record(z.string(), z.unknown())]) }),
        ],
        { error: 'must be the name of a sandbox, { sandbox, snapshot } or { fixture }' },
      )
      .optional(),
    ttl: durationText
      .optional()
      .meta({ description: 'After how long it is removed by itself, in real time' }),
    apiKey: text.optional(),
    signingSecret: text.optional(),
    seed: z.int().min(0).optional(),
    clock: z
      .union([
        z.string(),
        z.strictObject({ mode: oneOf(['real', 'frozen']).optional(), at: timeText.optional() }),
      ])
      .optional()
      .meta({ description: 'real, frozen, frozen@2026-01-01T00:00:00Z, or { mode, at }' }),
    rateLimit: z
      .union([z.int().min(1), z.literal('off')], { error: 'must be a number of requests a minute, or off' })
      .optional(),
    refundDelay: durationText.optional(),
    requireApproval: z.boolean().optional(),
    webhook: z
      .strictObject({ url: text, secret: text.optional(), events: z.array(z.string()).optional() })
      .optional(),
    staging: z.record(z.string(), z.unknown()).optional().meta({
      description: "Those of staging's magic values that are to be others",
    }),
  })
  .meta({ id: 'NewSandbox' })

export const SIMULATOR_ROUTES = [
  simulator({
    id: 'about',
    method: 'GET',
    path: '',
    summary: 'What this is, and where everything else is',
    answer: z.object({
      name: z.literal('paysim'),
      version: z.string(),
      uptimeSeconds: z.int(),
      sandboxes: z.array(z.string()),
      links: z.record(z.string(), z.string()),
    }),
    run: (sandboxes) => ({
      name: 'paysim' as const,
      version: VERSION,
      uptimeSeconds: Math.floor(process.uptime()),
      sandboxes: sandboxes.sandboxes().map(({ name }) => name),
      links: {
        openapi: '/_sim/openapi.json',
        dashboard: '/_sim/ui',
        sandboxes: '/_sim/sandboxes',
        contract: '/openapi.json',
      },
    }),
  }),
  simulator({
    id: 'metrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Requests, durations, deliveries and what is due, as Prometheus reads them',
    gives: [PROMETHEUS],
    run: (sandboxes) => new RawAnswer(PROMETHEUS, sandboxes.metrics()),
  }),
  simulator({
    id: 'sandboxes.list',
    method: 'GET',
    path: '/sandboxes',
    summary: 'List the sandboxes',
    answer: listOf(SandboxDescription),
    run: (sandboxes) => list(sandboxes.sandboxes().map((sandbox) => sandbox.describe())),
  }),
  simulator({
    id: 'sandboxes.create',
    method: 'POST',
    path: '/sandboxes',
    summary: 'Create a sandbox: empty, as another one is now, or as a snapshot kept it',
    body: NewSandbox,
    status: 201,
    answer: SandboxDescription,
    refusals: [404, 409],
    run: (sandboxes, { body }) => sandboxes.create(body as Parameters<Sandboxes['create']>[0]).describe(),
  }),
  simulator({
    id: 'sandboxes.get',
    method: 'GET',
    path: '/sandboxes/{sandbox}',
    summary: 'Read a sandbox',
    answer: SandboxDescription,
    refusals: [404],
    run: (sandboxes, { params }) => sandboxes.find(params.sandbox).describe(),
  }),
  simulator({
    id: 'sandboxes.remove',
    method: 'DELETE',
    path: '/sandboxes/{sandbox}',
    summary: 'Remove a sandbox and everything in it',
    refusals: [404, 409],
    run: (sandboxes, { params }) => sandboxes.remove(params.sandbox),
  }),
]

// One sandbox

const sandbox = routesOf<SandboxControl>()

const CLOCK_RULE =
  'must be one of { advance: 2d }, { set: 2026-01-01T00:00:00Z }, { freeze: true } and { resume: true }'

const ClockChange = z
  .union(
    [
      z.strictObject({ advance: durationText }),
      z.strictObject({ set: timeText }),
      z.strictObject({ freeze: z.literal(true) }),
      z.strictObject({ resume: z.literal(true) }),
    ],
    { error: CLOCK_RULE },
  )
  .meta({ id: 'ClockChange' })

const BuyerWish = z
  .strictObject({
    method: PaymentMethodType.optional(),
    applicant: text.optional().meta({ description: 'First and last name', example: 'Test Approved' }),
    lastFour: text.optional().meta({ description: 'Of the national ID', example: '0000' }),
  })
  .meta({ id: 'BuyerWish' })

async function changeClock({ clock }: SandboxControl, change: z.input<typeof ClockChange>) {
  if ('advance' in change) return clock.advance(change.advance)
  if ('set' in change) return clock.set(change.set)
  if ('freeze' in change) clock.freeze()
  else clock.resume()
  return []
}

export const SANDBOX_ROUTES = [
  // Time
  sandbox({
    id: 'clock.get',
    method: 'GET',
    path: '/clock',
    summary: 'Read the clock',
    answer: ClockReading,
    run: ({ clock }) => clock.read(),
  }),
  sandbox({
    id: 'clock.change',
    method: 'POST',
    path: '/clock',
    summary: 'Move, freeze or resume the clock; answers when all that it brings about is done',
    body: ClockChange,
    answer: ClockReading.extend({ happened: z.array(Happening) }).meta({ id: 'ClockChanged' }),
    async run(shop, { body }) {
      const happened = await changeClock(shop, body)
      return { ...shop.clock.read(), happened }
    },
  }),
  sandbox({
    id: 'settle',
    method: 'POST',
    path: '/settle',
    summary: 'Wait until nothing is in flight and nothing is due',
    query: Patience,
    refusals: [408],
    run: (shop, { query }) => shop.settle(query),
  }),

  // State
  sandbox({
    id: 'reset',
    method: 'POST',
    path: '/reset',
    summary: 'Start over, as a whole or in part; the keys stay',
    body: z
      .strictObject({ what: z.array(ResetKind).optional().meta({ description: 'Everything, if left out' }) })
      .meta({ id: 'Reset' }),
    run: (shop, { body }) => shop.reset(body),
  }),
  sandbox({
    id: 'snapshots.list',
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots',
    answer: listOf(SnapshotDescription),
    run: ({ snapshots }) => list(snapshots.list()),
  }),
  sandbox({
    id: 'snapshots.take',
    method: 'POST',
    path: '/snapshots',
    summary: 'Keep the state under a name',
    body: z.strictObject({ name: text.optional() }).meta({ id: 'NewSnapshot' }),
    status: 201,
    answer: SnapshotDescription,
    run: (shop, { body }) => shop.snapshot(body.name),
  }),
  sandbox({
    id: 'snapshots.restore',
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Go back to a snapshot',
    answer: ClockReading,
    refusals: [404],
    run(shop, { params }) {
      shop.restore(params.name)
      return shop.clock.read()
    },
  }),
  sandbox({
    id: 'snapshots.download',
    method: 'GET',
    path: '/snapshots/{name}',
    summary: 'Download a snapshot: a SQLite database',
    gives: [SQLITE],
    refusals: [404],
    run: ({ snapshots }, { params }) => new RawAnswer(SQLITE, snapshots.get(params.name)),
  }),
  sandbox({
    id: 'snapshots.upload',
    method: 'PUT',
    path: '/snapshots/{name}',
    summary: 'Upload a snapshot under a name',
    takes: SQLITE,
    answer: SnapshotDescription,
    run: ({ snapshots }, { params, body }) => snapshots.put(params.name, body),
  }),
  sandbox({
    id: 'snapshots.remove',
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Forget a snapshot',
    refusals: [404],
    run: ({ snapshots }, { params }) => snapshots.remove(params.name),
  }),

  // The journal
  sandbox({
    id: 'requests.list',
    method: 'GET',
    path: '/requests',
    summary: 'List what was asked under /v1, whatever became of it',
    query: z.object({
      op: z.string().optional().meta({ description: 'An operation', example: 'refunds.create' }),
      status: z.string().optional().meta({ description: 'Such as 409 or 4xx; none while under way' }),
      key: z.string().optional().meta({ description: 'The Idempotency-Key' }),
      method: z.string().optional(),
      resource: z.string().optional().meta({ description: 'The id of what it named or changed' }),
      since: z.string().optional().meta({ description: "A time on the sandbox's clock, or a request" }),
      format: TextOrJson,
      ...paged,
    }),
    answer: pageOf(RequestSummary),
    gives: [PLAIN],
    run: (shop, { query: { limit, cursor, format, ...filter } }) =>
      format === 'text'
        ? new RawAnswer(PLAIN, `${shop.explain()}\n`)
        : page({ limit, cursor }, (window) => shop.requests({ ...filter, ...window })),
  }),
  sandbox({
    id: 'requests.explain',
    method: 'GET',
    path: '/requests/{id}',
    summary: 'One request explained: how far it came, who answered and why, and what followed',
    query: z.object({ format: TextOrJson }),
    answer: RequestExplained,
    gives: [PLAIN],
    refusals: [404],
    run: (shop, { params, query }) =>
      query.format === 'text'
        ? new RawAnswer(PLAIN, `${shop.explain(params.id)}\n`)
        : shop.request(params.id),
  }),
  sandbox({
    id: 'verify',
    method: 'POST',
    path: '/verify',
    summary: 'Was it asked, so or so often? A miss tells the nearest requests and how they differ',
    query: Patience,
    body: RequestExpectation,
    answer: VerifiedRequests,
    refusals: [417],
    run: (shop, { body, query }) => shop.verify(body, query),
  }),
  sandbox({
    id: 'requests.clear',
    method: 'DELETE',
    path: '/requests',
    summary: 'Forget what was asked',
    run: (shop) => shop.clearRequests(),
  }),

  // What happened
  sandbox({
    id: 'ledger',
    method: 'GET',
    path: '/ledger',
    summary: 'The money that production would have moved, and the sums',
    answer: Ledger,
    run: (shop) => shop.ledger(),
  }),
  sandbox({
    id: 'outbox.list',
    method: 'GET',
    path: '/outbox',
    summary: 'The e-mails and SMS that were captured',
    answer: listOf(Message),
    run: (shop) => list(shop.outbox()),
  }),
  sandbox({
    id: 'outbox.clear',
    method: 'DELETE',
    path: '/outbox',
    summary: 'Forget them',
    run: (shop) => shop.clearOutbox(),
  }),
  sandbox({
    id: 'events.list',
    method: 'GET',
    path: '/events',
    summary: 'List the events',
    query: z.object({ type: EventType.optional(), resourceId: z.string().optional(), ...paged }),
    answer: pageOf(Event),
    run: (shop, { query: { limit, cursor, ...filter } }) =>
      page({ limit, cursor }, (window) => shop.events({ ...filter, ...window })),
  }),
  sandbox({
    id: 'events.emit',
    method: 'POST',
    path: '/events',
    summary: 'Tell of a resource as it is now, under the name of something that may have happened to it',
    body: z.strictObject({ type: EventType, resourceId: text }).meta({ id: 'NewEvent' }),
    status: 201,
    answer: Event,
    refusals: [404],
    run: (shop, { body }) => shop.emit(body),
  }),

  // Webhooks
  sandbox({
    id: 'webhook.get',
    method: 'GET',
    path: '/webhook',
    summary: 'Where the events are delivered; null for nowhere',
    answer: WebhookEndpoint.nullable(),
    run: ({ webhook }) => webhook.get(),
  }),
  sandbox({
    id: 'webhook.put',
    method: 'PUT',
    path: '/webhook',
    summary: 'Say where the events are delivered',
    body: z
      .strictObject({
        url: text,
        secret: text.optional().meta({ description: 'As it was, if left out' }),
        events: z
          .array(z.string())
          .optional()
          .meta({ description: 'All, if left out', example: ['refund.*'] }),
      })
      .meta({ id: 'NewWebhookEndpoint' }),
    answer: WebhookEndpoint,
    run: ({ webhook }, { body }) => webhook.put(body),
  }),
  sandbox({
    id: 'webhook.remove',
    method: 'DELETE',
    path: '/webhook',
    summary: 'Deliver nothing any more',
    run: ({ webhook }) => webhook.remove(),
  }),
  sandbox({
    id: 'deliveries.list',
    method: 'GET',
    path: '/deliveries',
    summary: 'List the deliveries, with every attempt that was made',
    query: z.object({
      status: oneOf(['pending', 'delivered', 'failed']).optional(),
      eventId: z.string().optional(),
      ...paged,
    }),
    answer: pageOf(Delivery),
    run: (shop, { query: { limit, cursor, ...filter } }) =>
      page({ limit, cursor }, (window) => shop.deliveries({ ...filter, ...window })),
  }),
  sandbox({
    id: 'deliveries.redeliver',
    method: 'POST',
    path: '/deliveries/{id}/redeliver',
    summary: 'Deliver the same event once more',
    status: 201,
    answer: Delivery,
    refusals: [404],
    run: (shop, { params }) => shop.redeliver(params.id),
  }),

  // Scripted trouble
  sandbox({
    id: 'behaviors.list',
    method: 'GET',
    path: '/behaviors',
    summary: 'List what is armed, with its counters',
    answer: listOf(BehaviorDescription),
    run: (shop) => list(shop.behaviors()),
  }),
  sandbox({
    id: 'behaviors.replace',
    method: 'PUT',
    path: '/behaviors',
    summary: 'Arm the behaviors of a scenario, and no others',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    run: (shop, { body }) => list(shop.replaceBehaviors(scenarioOf(body))),
  }),
  sandbox({
    id: 'behaviors.add',
    method: 'POST',
    path: '/behaviors',
    summary: 'Arm the behaviors of a scenario, after those that are armed already',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    run: (shop, { body }) => list(shop.arm(scenarioOf(body))),
  }),
  sandbox({
    id: 'behaviors.clear',
    method: 'DELETE',
    path: '/behaviors',
    summary: 'Take all of them back',
    run: (shop) => shop.disarm(),
  }),
  sandbox({
    id: 'behaviors.remove',
    method: 'DELETE',
    path: '/behaviors/{id}',
    summary: 'Take one back',
    refusals: [404],
    run: (shop, { params }) => shop.disarm(params.id),
  }),
  sandbox({
    id: 'gates.held',
    method: 'GET',
    path: '/gates/{name}',
    summary: 'Wait until a request stands at a gate',
    query: Patience,
    answer: listOf(HeldRequest),
    refusals: [408],
    run: async (shop, { params, query }) => list(await shop.held(params.name, query)),
  }),
  sandbox({
    id: 'gates.release',
    method: 'POST',
    path: '/gates/{name}/release',
    summary: 'Let go the requests that stand at a gate',
    answer: listOf(HeldRequest),
    run: (shop, { params }) => list(shop.release(params.name)),
  }),

  // What no platform can do
  sandbox({
    id: 'checkouts.approve',
    method: 'POST',
    path: '/checkouts/{id}/approve',
    summary: 'The buyer approves',
    body: BuyerWish,
    answer: Checkout,
    refusals: [404, 409],
    run: ({ buyer }, { params, body }) => buyer.approve(params.id, body),
  }),
  sandbox({
    id: 'checkouts.decline',
    method: 'POST',
    path: '/checkouts/{id}/decline',
    summary: 'The bank says no to the buyer; the checkout stays as it was',
    body: BuyerWish,
    answer: Checkout,
    refusals: [404, 409],
    run: ({ buyer }, { params, body }) => buyer.decline(params.id, body),
  }),
  sandbox({
    id: 'paymentMethods.attach',
    method: 'POST',
    path: '/customers/{id}/payment-methods',
    summary: "Attach staging's test card, or its test bank account",
    body: z.strictObject({ type: PaymentMethodType.optional() }).meta({ id: 'NewPaymentMethod' }),
    status: 201,
    answer: PaymentMethod,
    refusals: [404],
    run: ({ paymentMethods }, { params, body }) => paymentMethods.attach(params.id, body),
  }),
  sandbox({
    id: 'refunds.complete',
    method: 'POST',
    path: '/refunds/{id}/complete',
    summary: 'Complete a refund now',
    answer: Refund,
    refusals: [404, 409],
    run: ({ refunds }, { params }) => refunds.complete(params.id),
  }),

  // What there is to know
  sandbox({
    id: 'magic',
    method: 'GET',
    path: '/magic',
    summary: 'What can be typed in staging to get a known outcome',
    answer: listOf(
      z
        .object({ what: z.string(), value: z.string(), why: z.string(), where: z.string() })
        .meta({ id: 'MagicValue' }),
    ),
    run: (shop) => list(shop.magic()),
  }),
  sandbox({
    id: 'decisions',
    method: 'GET',
    path: '/decisions',
    summary: 'What the spec leaves open, and what was chosen',
    answer: listOf(
      z
        .object({
          id: z.string(),
          topic: z.string(),
          choice: z.string(),
          mark: z.string(),
          spec: z.string(),
        })
        .meta({ id: 'Decision' }),
    ),
    run: (shop) => list(shop.decisions()),
  }),
]
