/** The routes of `/_sim` about one sandbox: what the request and the answer of each verb look like over HTTP. */
import { z } from 'zod'
import type { Behavior } from '../../sandbox/scenario-file/behavior.ts'
import { lazyReader } from '../../sandbox/scenario-file/lazy-reader.ts'
import { behaviorsOrProblems } from '../../sandbox/scenario-file/read-behaviors.ts'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import { Checkout } from '../../spec/contract/checkout.ts'
import type { OperationId } from '../../spec/contract/endpoints.ts'
import { malformedScenario } from '../../spec/contract/errors.ts'
import { Event } from '../../spec/contract/event.ts'
import { Limit, latestPage } from '../../spec/contract/pages.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { BuyerOptions, NewPaymentMethod, text } from '../../spec/contract/tester.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import { type ConductOptions, ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import { Conduct } from '../conduct/judge.ts'
import { Story } from '../story/story.ts'
import type { SandboxControl } from './control.ts'
import {
  ConductAsked,
  deliveryFields,
  durationText,
  eventFields,
  NewEvent,
  Reset,
  Waiting,
} from './inputs.ts'
import { requestParameters } from './request-filter.ts'
import {
  historyPage,
  historyPageOf,
  historyParameters,
  idOf,
  list,
  listOf,
  methodRoutesOf,
  RawAnswer,
  routesOf,
} from './route.ts'
import { SettingsChange } from './settings.ts'
import {
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
  SnapshotDescription,
  UnfiredBehavior,
  WebhookEndpoint,
} from './shapes.ts'
import { verb } from './verb.ts'
import { SANDBOX_VERBS, type SandboxMethods } from './verbs.ts'
import { VerifiedRequests } from './verify.ts'

const TextOrJson = oneOf(['json', 'text']).default('json').meta({ description: 'text for a terminal' })

const timeText = z
  .union([z.string(), z.int().min(0)], { error: 'must be a time such as 2026-01-01T00:00:00Z' })
  .meta({ description: 'A time such as 2026-01-01T00:00:00Z, or milliseconds since 1970' })

/** In a query a number is text, which is no duration. */
const WaitingText = Waiting.extend({
  within: z.string().optional().meta({ description: 'How long to wait, in real time', example: '5s' }),
})

const PLAIN = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const SQLITE = 'application/vnd.sqlite3'
const SCENARIO = 'application/yaml'

/**
 * JSON is YAML, so one reader reads both. It is loaded when it is needed: not for JSON without mistakes as programs write
 * it, without a space and so without a key that stands twice.
 */
async function behaviorsOf(bytes: Uint8Array): Promise<Behavior[]> {
  const text = Buffer.from(bytes).toString('utf8')
  const read = behaviorsOrProblems(plainJson(text))
  if ('behaviors' in read) return read.behaviors
  const { parseBehaviors, ScenarioError } = await lazyReader.load()
  try {
    return parseBehaviors(text)
  } catch (cause) {
    throw cause instanceof ScenarioError ? malformedScenario(cause.message) : cause
  }
}

/** Undefined where writing it again would give another text, and for what is nested too deep. */
function plainJson(text: string): unknown {
  const value = parsedJson(text)
  return JSON.stringify(value) === text ? value : undefined
}

/** A route of one method; `sandbox` makes the others. */
const method = methodRoutesOf(SANDBOX_VERBS)
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

async function changeClock({ clock }: SandboxMethods, change: z.input<typeof ClockChange>) {
  if ('advance' in change) return clock.advance(change.advance)
  if ('set' in change) return clock.set(change.set)
  if ('freeze' in change) clock.freeze()
  else clock.resume()
  return []
}

export const SANDBOX_ROUTES = [
  method('configure', {
    id: 'settings.change',
    summary: 'Change settings of the running sandbox; what is left out stays as it is',
    body: SettingsChange.meta({ id: 'SettingsChange' }),
  }),

  // Time
  method('clock.read', {
    id: 'clock.get',
    summary: 'Read the clock',
    answer: ClockReading,
  }),
  sandbox(SANDBOX_VERBS.clock.advance, {
    id: 'clock.change',
    summary: 'Move, freeze or resume the clock; answers when all that it brings about is done',
    body: ClockChange,
    answer: ClockReading.extend({ happened: z.array(Happening) }).meta({ id: 'ClockChanged' }),
    async run(shop, { body }) {
      const happened = await changeClock(shop, body)
      return { ...shop.clock.read(), happened }
    },
  }),
  method('settle', {
    id: 'settle',
    summary: 'Wait until nothing is in flight and nothing is due',
    query: WaitingText.extend({
      held: oneOf(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .meta({ description: 'false: requests that are held are not waited for' }),
    }),
    refusals: [408],
  }),

  // State
  method('reset', {
    id: 'reset',
    summary: 'Start over, as a whole or in part; the keys stay',
    body: Reset,
  }),
  method('snapshots.list', {
    id: 'snapshots.list',
    summary: 'List the snapshots',
    answer: SnapshotDescription,
  }),
  method('snapshot', {
    id: 'snapshots.take',
    summary: 'Keep the state under a name',
    body: z.strictObject({ name: text.optional() }).meta({ id: 'NewSnapshot' }),
    status: 201,
    answer: SnapshotDescription,
  }),
  sandbox(SANDBOX_VERBS.restore, {
    id: 'snapshots.restore',
    summary: 'Go back to a snapshot',
    answer: ClockReading,
    refusals: [404],
    run(shop, { params }) {
      shop.restore(params.name!)
      return shop.clock.read()
    },
  }),
  sandbox(SANDBOX_VERBS.snapshots.get, {
    id: 'snapshots.download',
    summary: 'Download a snapshot: a SQLite database',
    gives: [SQLITE],
    refusals: [404],
    run: (shop, { params }) => new RawAnswer(SQLITE, ReadableStream.from(shop.readSnapshot(params.name!))),
  }),
  sandbox(SANDBOX_VERBS.snapshots.put, {
    id: 'snapshots.upload',
    summary: 'Upload a snapshot under a name',
    takes: SQLITE,
    inParts: true,
    answer: SnapshotDescription,
    run: (shop, { params, parts }) => shop.writeSnapshot(params.name!, parts),
  }),
  method('snapshots.remove', {
    id: 'snapshots.remove',
    summary: 'Remove a snapshot',
    refusals: [404],
  }),

  method('close', {
    id: 'close',
    summary: 'End a test: remove the sandbox, refused when an armed behavior never acted',
    refusals: [417],
  }),

  // The journal
  sandbox(SANDBOX_VERBS.requests, {
    id: 'requests.list',
    summary: 'List the requests that came under /v1, answered or not',
    query: z.strictObject({
      ...requestParameters,
      format: TextOrJson,
      ...historyParameters,
    }),
    answer: historyPageOf(RequestSummary),
    gives: [PLAIN],
    run: (shop, { query: { limit, cursor, format, ...filter } }) =>
      format === 'text'
        ? new RawAnswer(PLAIN, `${shop.explain()}\n`)
        : latestPage({ limit, cursor }, (window) => shop.requests({ ...filter, ...window }), idOf),
  }),
  sandbox(SANDBOX_VERBS.request, {
    id: 'requests.explain',
    summary: 'One request explained: the steps it passed, which one answered and why, and what followed',
    query: z.strictObject({ format: TextOrJson }),
    answer: RequestExplained,
    gives: [PLAIN],
    refusals: [404],
    run: (shop, { params, query }) =>
      query.format === 'text'
        ? new RawAnswer(PLAIN, `${shop.explain(params.id!)}\n`)
        : shop.request(params.id!),
  }),
  method('verify', {
    id: 'verify',
    summary: 'Count the requests that are as expected; a miss shows the nearest ones and how they differ',
    query: WaitingText,
    body: RequestExpectation,
    answer: VerifiedRequests,
    refusals: [417],
  }),
  sandbox(SANDBOX_VERBS.conduct, {
    id: 'conduct',
    summary: 'What the platform did that would hurt in production, and which kinds of trouble it met',
    query: ConductAsked,
    answer: Conduct,
    run: (shop, { query }) => shop.browse.conduct(query as ConductOptions),
  }),
  sandbox(SANDBOX_VERBS.story, {
    id: 'stories.get',
    summary:
      'What happened to an order, a checkout or under an Idempotency-Key, in sentences, the worst first',
    answer: Story,
    refusals: [404],
    run: (shop, { params }) => shop.browse.story(params.about!),
  }),
  method('clearRequests', {
    id: 'requests.clear',
    summary: 'Empty the journal',
  }),

  // What there is now
  sandbox(SANDBOX_VERBS.overview, {
    id: 'overview',
    summary: 'What is due, how much of the rate limit is used, and how many resources there are',
    answer: Overview,
    run: (shop) => shop.browse.overview(),
  }),
  method('due', {
    id: 'due',
    summary: 'What falls due, the next first',
    query: z.strictObject({ limit: Limit }),
    answer: DueWork,
  }),
  method('resource', {
    id: 'resources.get',
    summary: 'Read any resource by its id, without a key',
    answer: FoundResource,
    refusals: [404],
  }),
  sandbox(SANDBOX_VERBS.read, {
    id: 'operations.read',
    summary:
      'What a GET under /v1 answers, such as checkouts.list, without a key and without being journaled',
    query: z.looseObject({}),
    gives: [JSON_TYPE],
    refusals: [404],
    run: (shop, { params, query }) =>
      new RawAnswer(JSON_TYPE, shop.read(params.operation as OperationId, query as Record<string, string>)),
  }),

  // What happened
  sandbox(SANDBOX_VERBS.ledger, {
    id: 'ledger',
    summary: 'The money that production would have moved, and the sums of all of it',
    query: z.strictObject(historyParameters),
    answer: Ledger.extend(historyPage),
    async run(shop, { query }) {
      const sums = await shop.browse.sums()
      const { data, hasMore, nextCursor } = latestPage(
        query,
        (window) => shop.ledger(window).movements,
        ({ number }) => String(number),
      )
      return { sums, movements: data, hasMore, nextCursor }
    },
  }),
  method('outbox', {
    id: 'outbox.list',
    summary: 'The e-mails and SMS that were captured',
    answer: Message,
  }),
  method('clearOutbox', {
    id: 'outbox.clear',
    summary: 'Empty the outbox',
  }),
  sandbox(SANDBOX_VERBS.events, {
    id: 'events.list',
    summary: 'List the events',
    query: z.strictObject({ ...eventFields, ...historyParameters }),
    answer: historyPageOf(Event),
    run(shop, { query: { limit, cursor, ...filter } }) {
      const { data, ...rest } = latestPage(
        { limit, cursor },
        // To the byte: a profile has other words and fields than the schema that the document shows.
        (window) => shop.browse.sentEvents({ ...filter, ...window }),
        idOf,
      )
      const events = data.map(({ body }) => body).join()
      return new RawAnswer(JSON_TYPE, `{"data":[${events}],${JSON.stringify(rest).slice(1)}\n`)
    },
  }),
  sandbox(SANDBOX_VERBS.emit, {
    id: 'events.emit',
    summary: 'Make an event: with the resource as it is now, or with other data',
    body: NewEvent,
    status: 201,
    answer: Event,
    refusals: [404, 409],
    run(shop, { body }) {
      shop.emit(body)
      const [emitted] = shop.browse.sentEvents({ limit: 1 })
      return new RawAnswer(JSON_TYPE, `${emitted!.body}\n`)
    },
  }),

  // Webhooks
  method('webhook.get', {
    id: 'webhook.get',
    summary: 'Where the events are delivered; null for nowhere',
    answer: WebhookEndpoint.nullable(),
  }),
  method('webhook.put', {
    id: 'webhook.put',
    summary: 'Set where the events are delivered',
    body: WebhookSettings.meta({ id: 'NewWebhookEndpoint' }),
    answer: WebhookEndpoint,
  }),
  method('webhook.remove', {
    id: 'webhook.remove',
    summary: 'Remove the endpoint: nothing is delivered',
  }),
  method('webhook.listen', {
    id: 'webhook.listen',
    summary: 'Let a listener have the events for a while; again before its lease is over to go on',
    body: ListenerSettings.meta({ id: 'NewListener' }),
    answer: WebhookEndpoint,
    refusals: [409],
  }),
  method('webhook.leave', {
    id: 'webhook.leave',
    summary: 'The listener before it, or the endpoint, has the events again',
  }),
  method('deliveries', {
    id: 'deliveries.list',
    summary: 'List the deliveries, with every attempt that was made',
    query: z.object(deliveryFields),
    answer: Delivery,
  }),
  method('redeliver', {
    id: 'deliveries.redeliver',
    summary: 'Deliver the same event once more',
    status: 201,
    answer: Delivery,
    refusals: [404],
  }),
  method('redeliverFailed', {
    id: 'deliveries.redeliverFailed',
    summary: 'Deliver each event once more whose latest attempt has failed',
    status: 201,
    answer: Delivery,
  }),

  // Scripted trouble
  method('behaviors', {
    id: 'behaviors.list',
    summary: 'List the armed behaviors, with their counters',
    answer: BehaviorDescription,
  }),
  method('backgroundResults', {
    id: 'behaviors.background',
    summary: 'What behaviors did to refunds, deliveries and buyers, outside of any request',
    answer: BehaviorTrace,
  }),
  method('unfired', {
    id: 'behaviors.unfired',
    summary: 'List the armed behaviors that never acted, with what came nearest',
    answer: UnfiredBehavior,
  }),
  sandbox(SANDBOX_VERBS.replaceBehaviors, {
    id: 'behaviors.replace',
    summary: 'Arm one behavior, a list, or those of a scenario, and no others',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    run: async (shop, { body }) => list(shop.replaceBehaviors(await behaviorsOf(body))),
  }),
  sandbox(SANDBOX_VERBS.arm, {
    id: 'behaviors.add',
    summary: 'Arm one behavior, a list, or those of a scenario, after those that are armed already',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    run: async (shop, { body }) => list(shop.arm(await behaviorsOf(body))),
  }),
  sandbox(verb('DELETE /behaviors'), {
    id: 'behaviors.clear',
    summary: 'Disarm all behaviors',
    run: (shop) => shop.disarm(),
  }),
  method('disarm', {
    id: 'behaviors.remove',
    summary: 'Disarm one behavior',
    refusals: [404],
  }),
  method('waiting', {
    id: 'gates.list',
    summary: 'List the requests that wait at a gate',
    answer: HeldRequest,
  }),
  method('held', {
    id: 'gates.held',
    summary: 'Wait until a gate holds a request',
    query: WaitingText,
    answer: HeldRequest,
    refusals: [408],
  }),
  method('release', {
    id: 'gates.release',
    summary: 'Let the requests go on that a gate holds',
    refusals: [404],
    answer: HeldRequest,
  }),

  // What no platform can do
  method('buyer.approve', {
    id: 'checkouts.approve',
    summary: 'Play the buyer to an approved checkout',
    body: BuyerOptions,
    answer: Checkout,
    refusals: [404, 409],
  }),
  method('buyer.decline', {
    id: 'checkouts.decline',
    summary: 'Play a buyer whom the bank declines; the checkout stays as it was',
    body: BuyerOptions,
    answer: Checkout,
    refusals: [404, 409],
  }),
  method('paymentMethods.attach', {
    id: 'paymentMethods.attach',
    summary: "Attach staging's test card, or its test bank account",
    body: NewPaymentMethod,
    status: 201,
    answer: PaymentMethod,
    refusals: [404],
  }),
  method('refunds.complete', {
    id: 'refunds.complete',
    summary: 'Complete a refund now',
    answer: Refund,
    refusals: [404, 409],
  }),

  // What there is to know
  method('magic', {
    id: 'magic',
    summary: 'What can be typed in staging to get a known outcome',
    answer: z
      .object({ what: z.string(), value: z.string(), why: z.string(), where: z.string() })
      .meta({ id: 'MagicValue' }),
  }),
  method('decisions', {
    id: 'decisions',
    summary: 'What the spec leaves open, and what was chosen',
    answer: z
      .object({
        id: z.string(),
        topic: z.string(),
        choice: z.string(),
        mark: z.string(),
        spec: z.string(),
        profile: z
          .record(z.string(), z.unknown())
          .meta({ description: 'The keys of the profile that say otherwise, with their values' }),
      })
      .meta({ id: 'Decision' }),
  }),
]
