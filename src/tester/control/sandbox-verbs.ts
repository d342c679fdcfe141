/**
 * Each verb of a sandbox in one row: what it does, and what its request and its answer look like over HTTP. Its address, its
 * types and its comment are in `verbs.ts`, which a client loads alone. Methods that need not wait return at once; amounts are
 * decimal and times ISO 8601, as under `/v1`. A refusal is thrown, with the `status` that HTTP answers.
 */

import { z } from 'zod'
import type { BehaviorEngine } from '../../sandbox/behaviors/engine.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Behavior } from '../../sandbox/scenario-file/behavior.ts'
import { lazyReader } from '../../sandbox/scenario-file/lazy-reader.ts'
import { behaviorsOrProblems } from '../../sandbox/scenario-file/read-behaviors.ts'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../service/buyer-flow/flow.ts'
import { findCheckout } from '../../service/operations/checkouts.ts'
import { findCustomer } from '../../service/operations/customers.ts'
import { attach } from '../../service/operations/payment-methods.ts'
import { finishRefund } from '../../service/operations/refunds.ts'
import { CheckoutWithUrl } from '../../spec/contract/checkout.ts'
import type { OperationId } from '../../spec/contract/endpoints.ts'
import { malformedScenario, notFound } from '../../spec/contract/errors.ts'
import { Event } from '../../spec/contract/event.ts'
import { PAGE_DEFAULT_ROWS } from '../../spec/contract/limits.ts'
import { idOf, Limit, latestPage, pageEnd, pageOf } from '../../spec/contract/pages.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { decisionsUnder } from '../../spec/contract/profiled-decision.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { BuyerOptions, NewPaymentMethod, text } from '../../spec/contract/tester.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import { type ConductOptions, ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import { Conduct } from '../conduct/judge.ts'
import { Story } from '../story/story.ts'
import { backgroundResults, describeBehaviors, heldNow, releaseGate, waitForHeld } from './behaviors.ts'
import { browse } from './browse.ts'
import { PlatformConduct } from './conduct.ts'
import { describe, type SandboxControl } from './control.ts'
import { explain, explanationText, journalText } from './explain.ts'
import { deliveries, emit, events, ledger, outbox, redeliver, redeliverFailed } from './history.ts'
import {
  ConductAsked,
  DueWindow,
  deliveryFields,
  durationText,
  eventFields,
  NewEvent,
  Reset,
  Waiting,
} from './inputs.ts'
import { dueWork, overview } from './overview.ts'
import { readParameters, requireShape } from './read-input.ts'
import { requestParameters } from './request-filter.ts'
import { findEntry, pickRequests, summarize } from './requests.ts'
import { findAnyResource, readOperation } from './resources.ts'
import {
  type ControlRoute,
  everyVerb,
  historyParameters,
  list,
  listOf,
  methodsOf,
  RawAnswer,
  verbRowsOf,
} from './route.ts'
import { runUnit } from './run-unit.ts'
import { configure, SettingsChange } from './settings.ts'
import { settle } from './settle.ts'
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
import {
  putSnapshot,
  readSnapshot,
  removeSnapshot,
  reset,
  restore,
  snapshotBytes,
  takeSnapshot,
  writeSnapshot,
} from './state.ts'
import { advance, freeze, readClock, resume, setClock } from './time.ts'
import { atOnce } from './turns.ts'
import { requireAllFired, unfired } from './unfired.ts'
import { verb } from './verb.ts'
import { SANDBOX_VERBS, type SandboxMethods } from './verbs.ts'
import { VerifiedRequests, verify } from './verify.ts'
import { keepListener, putEndpoint, readEndpoint, removeEndpoint, secretOf } from './webhook.ts'

const TextOrJson = oneOf(['json', 'text']).default('json').meta({ description: 'text for a terminal' })

const timeText = z
  .union([z.string(), z.int().min(0)], { error: 'must be a time such as 2026-01-01T00:00:00Z' })
  .meta({ description: 'A time such as 2026-01-01T00:00:00Z, or milliseconds since 1970' })

/** `within` as a query has it: only a text with a unit, since a number would be text without one. */
const WaitingText = Waiting.extend({
  within: z.string().optional().meta({ description: 'How long to wait, in real time', example: '5s' }),
})

const PLAIN = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const SQLITE = 'application/vnd.sqlite3'
const SCENARIO = 'application/yaml'

/**
 * Reads behaviors sent as JSON or YAML. The YAML reader is loaded only if needed: for YAML, for mistakes (it
 * knows line and column), and for JSON with spaces, in which a key may stand twice.
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

/** The parsed value if the text is exactly what JSON.stringify writes; otherwise undefined. */
function plainJson(text: string): unknown {
  const value = parsedJson(text)
  return JSON.stringify(value) === text ? value : undefined
}

/** The object that a verb's function gets first. */
interface Steered {
  readonly internals: Sandbox
  readonly conduct: PlatformConduct
  /** Removes the sandbox. */
  remove(): void
}

const { method, adapted, embedded, request } = verbRowsOf<typeof SANDBOX_VERBS, SandboxControl, Steered>(
  SANDBOX_VERBS,
)

/** Commits first, so that the counters are those of committed requests. */
function committedBehaviors({ services, behaviors }: Sandbox): BehaviorEngine {
  services.store.flush()
  return behaviors
}

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

const ROWS = everyVerb<typeof SANDBOX_VERBS>()([
  method('configure', {
    id: 'settings.change',
    summary: 'Change settings of the running sandbox; what is left out stays as it is',
    body: SettingsChange.meta({ id: 'SettingsChange' }),
    does: ({ internals }, settings) => configure(internals, settings),
  }),

  // Time
  method('clock.read', {
    id: 'clock.get',
    summary: 'Read the clock',
    answer: ClockReading,
    does: ({ internals }) => readClock(internals),
  }),
  adapted('clock.advance', {
    id: 'clock.change',
    summary: 'Move, freeze or resume the clock; answers when all that it brings about is done',
    body: ClockChange,
    answer: ClockReading.extend({ happened: z.array(Happening) }).meta({ id: 'ClockChanged' }),
    does: ({ internals }, by) => advance(internals, by),
    async run(shop, { body }) {
      const happened = await changeClock(shop, body)
      return { ...shop.clock.read(), happened }
    },
  }),
  method('settle', {
    summary: 'Wait until nothing is in flight and nothing is due',
    query: WaitingText.extend({
      held: oneOf(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .meta({ description: 'false: requests that are held are not waited for' }),
    }),
    refusals: [408],
    does: ({ internals }, options = {}) => settle(internals, options),
  }),

  // State
  method('reset', {
    summary: 'Start over, as a whole or in part; the keys stay',
    body: Reset,
    does: ({ internals }, options = {}) => reset(internals, options),
  }),
  method('snapshots.list', {
    summary: 'List the snapshots',
    answer: SnapshotDescription,
    does: ({ internals }) => internals.snapshots.list(),
  }),
  method('snapshot', {
    id: 'snapshots.take',
    summary: 'Keep the state under a name',
    body: z.strictObject({ name: text.optional() }).meta({ id: 'NewSnapshot' }),
    status: 201,
    answer: SnapshotDescription,
    does: ({ internals }, name) => takeSnapshot(internals, name),
  }),
  adapted('restore', {
    id: 'snapshots.restore',
    summary: 'Go back to a snapshot',
    answer: ClockReading,
    refusals: [404],
    does: ({ internals }, name) => restore(internals, name),
    run(shop, { params }) {
      shop.restore(params.name!)
      return shop.clock.read()
    },
  }),
  adapted('snapshots.get', {
    id: 'snapshots.download',
    summary: 'Download a snapshot: a SQLite database',
    gives: [SQLITE],
    refusals: [404],
    does: ({ internals }, name) => snapshotBytes(internals, name),
    run: (shop, { params }) => new RawAnswer(SQLITE, ReadableStream.from(shop.readSnapshot(params.name!))),
  }),
  adapted('snapshots.put', {
    id: 'snapshots.upload',
    summary: 'Upload a snapshot under a name',
    takes: SQLITE,
    inParts: true,
    answer: SnapshotDescription,
    does: ({ internals }, name, bytes) => putSnapshot(internals, name, bytes),
    run: (shop, { params, parts }) => shop.writeSnapshot(params.name!, parts),
  }),
  method('snapshots.remove', {
    summary: 'Remove a snapshot',
    refusals: [404],
    does: ({ internals }, name) => removeSnapshot(internals, name),
  }),

  method('close', {
    summary: 'End a test: remove the sandbox, refused when an armed behavior never acted',
    refusals: [417],
    does: ({ internals, remove }) => {
      const missing = unfired(internals)
      remove()
      requireAllFired(missing)
    },
  }),

  // The journal
  adapted('requests', {
    id: 'requests.list',
    summary: 'List the requests that came under /v1, answered or not',
    query: z.strictObject({
      ...requestParameters,
      format: TextOrJson,
      ...historyParameters,
    }),
    answer: pageOf(RequestSummary),
    gives: [PLAIN],
    does: ({ internals }, filter = {}) => pickRequests(internals.journal, filter),
    run: (shop, { query: { limit, cursor, format, ...filter } }) =>
      format === 'text'
        ? new RawAnswer(PLAIN, `${shop.explain()}\n`)
        : latestPage({ limit, cursor }, (window) => shop.requests({ ...filter, ...window }), idOf),
  }),
  adapted('request', {
    id: 'requests.explain',
    summary: 'One request explained: the steps it passed, which one answered and why, and what followed',
    query: z.strictObject({ format: TextOrJson }),
    answer: RequestExplained,
    gives: [PLAIN],
    refusals: [404],
    does: ({ internals }, id) => explain(internals, findEntry(internals.journal, id)),
    run: (shop, { params, query }) =>
      query.format === 'text'
        ? new RawAnswer(PLAIN, `${shop.explain(params.id!)}\n`)
        : shop.request(params.id!),
  }),
  method('verify', {
    summary: 'Count the requests that are as expected; a miss shows the nearest ones and how they differ',
    query: WaitingText,
    body: RequestExpectation,
    answer: VerifiedRequests,
    refusals: [417],
    does: ({ internals: { journal, contract } }, expectation = {}, options = {}) =>
      verify(journal, expectation, options, translationOf(contract)),
  }),
  adapted('conduct', {
    summary: 'What the platform did that would hurt in production, and which kinds of trouble it met',
    query: ConductAsked,
    answer: Conduct,
    does: ({ conduct }, asked = {}) => atOnce(conduct.under(asked)),
    run: (shop, { query }) => shop.browse.conduct(query as ConductOptions),
  }),
  adapted('story', {
    id: 'stories.get',
    summary:
      'What happened to an order, a checkout or under an Idempotency-Key, in sentences, the worst first',
    answer: Story,
    refusals: [404],
    does: ({ conduct }, about) => atOnce(conduct.story(about)),
    run: (shop, { params }) => shop.browse.story(params.about!),
  }),
  method('clearRequests', {
    id: 'requests.clear',
    summary: 'Empty the journal',
    does: ({ internals }) => internals.clearJournal(),
  }),

  // What there is now
  adapted('overview', {
    summary: 'What is due, how much of the rate limit is used, and how many resources there are',
    answer: Overview,
    does: ({ internals }) => atOnce(overview(internals)),
    run: (shop) => shop.browse.overview(),
  }),
  method('due', {
    summary: 'What falls due, the next first',
    query: z.strictObject({ limit: Limit }),
    answer: DueWork,
    does: ({ internals }, window = {}) =>
      dueWork(internals, readParameters(DueWindow, window).limit ?? PAGE_DEFAULT_ROWS),
  }),
  method('resource', {
    id: 'resources.get',
    summary: 'Read any resource by its id, without a key',
    answer: FoundResource,
    refusals: [404],
    does: ({ internals }, id) => findAnyResource(internals, id),
  }),
  adapted('read', {
    id: 'operations.read',
    summary:
      'What a GET under /v1 answers, such as checkouts.list, without a key and without being journaled',
    query: z.looseObject({}),
    gives: [JSON_TYPE],
    refusals: [404],
    does: ({ internals }, operation, parameters) => readOperation(internals, operation, parameters),
    run: (shop, { params, query }) =>
      new RawAnswer(JSON_TYPE, shop.read(params.operation as OperationId, query as Record<string, string>)),
  }),

  // What happened
  adapted('ledger', {
    summary: 'The money that production would have moved, and the sums of all of it',
    query: z.strictObject(historyParameters),
    answer: Ledger.extend(pageEnd),
    does: ({ internals }, window = {}) => ledger(internals, window),
    async run(shop, { query }) {
      const sums = await shop.browse.sums()
      const { data: movements, ...end } = latestPage(
        query,
        (window) => shop.ledger(window).movements,
        ({ number }) => String(number),
      )
      return { sums, movements, ...end }
    },
  }),
  method('outbox', {
    id: 'outbox.list',
    summary: 'The e-mails and SMS that were captured',
    answer: Message,
    does: ({ internals }, window = {}) => outbox(internals, window),
  }),
  method('clearOutbox', {
    id: 'outbox.clear',
    summary: 'Empty the outbox',
    does: ({ internals }) => runUnit(internals, ({ store }) => store.outbox.clear()),
  }),
  adapted('events', {
    id: 'events.list',
    summary: 'List the events',
    query: z.strictObject({ ...eventFields, ...historyParameters }),
    answer: pageOf(Event),
    does: ({ internals }, filter = {}) => events(internals, filter),
    run(shop, { query: { limit, cursor, ...filter } }) {
      const { data, ...end } = latestPage(
        { limit, cursor },
        // As it was sent: a profile has other words and fields than the schema that the document shows.
        (window) => shop.browse.sentEvents({ ...filter, ...window }),
        idOf,
      )
      const events = data.map(({ body }) => body).join()
      return new RawAnswer(JSON_TYPE, `{"data":[${events}],${JSON.stringify(end).slice(1)}\n`)
    },
  }),
  adapted('emit', {
    id: 'events.emit',
    summary: 'Make an event: with the resource as it is now, or with other data',
    body: NewEvent,
    status: 201,
    answer: Event,
    refusals: [404, 409],
    does: ({ internals }, event) => emit(internals, event),
    run(shop, { body }) {
      shop.emit(body)
      const [emitted] = shop.browse.sentEvents({ limit: 1 })
      return new RawAnswer(JSON_TYPE, `${emitted!.body}\n`)
    },
  }),

  // Webhooks
  method('webhook.get', {
    summary: 'Where the events are delivered; null for nowhere',
    answer: WebhookEndpoint.nullable(),
    does: ({ internals }) => readEndpoint(internals),
  }),
  method('webhook.put', {
    summary: 'Set where the events are delivered',
    body: WebhookSettings.meta({ id: 'NewWebhookEndpoint' }),
    answer: WebhookEndpoint,
    does: ({ internals }, settings) => putEndpoint(internals, settings),
  }),
  method('webhook.remove', {
    summary: 'Remove the endpoint: nothing is delivered',
    does: ({ internals }) => removeEndpoint(internals),
  }),
  method('webhook.listen', {
    summary: 'Let a listener have the events for a while; again before its lease is over to go on',
    body: ListenerSettings.meta({ id: 'NewListener' }),
    answer: WebhookEndpoint,
    refusals: [409],
    does: ({ internals }, name, settings) => keepListener(internals, name, settings),
  }),
  method('webhook.leave', {
    summary: 'The listener before it, or the endpoint, has the events again',
    does: ({ internals }, name) => internals.webhooks.listeners.leave(name),
  }),
  method('deliveries', {
    id: 'deliveries.list',
    summary: 'List the deliveries, with every attempt that was made',
    query: z.object(deliveryFields),
    answer: Delivery,
    does: ({ internals }, filter = {}) => deliveries(internals, filter),
  }),
  method('redeliver', {
    id: 'deliveries.redeliver',
    summary: 'Deliver the same event once more',
    status: 201,
    answer: Delivery,
    refusals: [404],
    does: ({ internals }, id) => redeliver(internals, id),
  }),
  method('redeliverFailed', {
    id: 'deliveries.redeliverFailed',
    summary: 'Deliver each event once more whose latest attempt has failed',
    status: 201,
    answer: Delivery,
    does: ({ internals }) => redeliverFailed(internals),
  }),

  // Scripted trouble
  method('behaviors', {
    id: 'behaviors.list',
    summary: 'List the armed behaviors, with their counters',
    answer: BehaviorDescription,
    does: ({ internals }) => describeBehaviors(committedBehaviors(internals)),
  }),
  method('backgroundResults', {
    id: 'behaviors.background',
    summary: 'What behaviors did to refunds, deliveries and buyers, outside of any request',
    answer: BehaviorTrace,
    does: ({ internals }) => backgroundResults(committedBehaviors(internals)),
  }),
  method('unfired', {
    id: 'behaviors.unfired',
    summary: 'List the armed behaviors that never acted, with what came nearest',
    answer: UnfiredBehavior,
    does: ({ internals }) => unfired(internals),
  }),
  adapted('replaceBehaviors', {
    id: 'behaviors.replace',
    summary: 'Arm one behavior, a list, or those of a scenario, and no others',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals: { behaviors } }, scenario) => {
      behaviors.armed.replace(scenario)
      return describeBehaviors(behaviors)
    },
    run: async (shop, { body }) => list(shop.replaceBehaviors(await behaviorsOf(body))),
  }),
  adapted('arm', {
    id: 'behaviors.add',
    summary: 'Arm one behavior, a list, or those of a scenario, after those that are armed already',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals: { behaviors } }, scenario) => {
      behaviors.armed.arm(scenario)
      return describeBehaviors(behaviors)
    },
    run: async (shop, { body }) => list(shop.arm(await behaviorsOf(body))),
  }),
  request(verb('DELETE /behaviors'), {
    id: 'behaviors.clear',
    summary: 'Disarm all behaviors',
    run: (shop) => shop.disarm(),
  }),
  method('disarm', {
    id: 'behaviors.remove',
    summary: 'Disarm one behavior',
    refusals: [404],
    does: ({ internals: { behaviors } }, id) => {
      if (!behaviors.armed.disarm(id)) throw notFound('Behavior')
    },
  }),
  method('waiting', {
    id: 'gates.list',
    summary: 'List the requests that wait at a gate',
    answer: HeldRequest,
    does: ({ internals }) => heldNow(internals.behaviors),
  }),
  method('held', {
    id: 'gates.held',
    summary: 'Wait until a gate holds a request',
    query: WaitingText,
    answer: HeldRequest,
    refusals: [408],
    does: ({ internals }, gate, options = {}) => waitForHeld(internals.behaviors, gate, options),
  }),
  method('release', {
    id: 'gates.release',
    summary: 'Let the requests go on that a gate holds',
    refusals: [404],
    answer: HeldRequest,
    does: ({ internals }, gate) => releaseGate(internals.behaviors, gate),
  }),

  // What no platform can do
  method('buyer.approve', {
    id: 'checkouts.approve',
    summary: 'Play the buyer to an approved checkout',
    body: BuyerOptions,
    answer: CheckoutWithUrl,
    refusals: [404, 409],
    does: ({ internals }, id, options = {}) => {
      requireShape(BuyerOptions, options)
      const outcome = runUnit(internals, (unit) => approveAsBuyer(unit, id, options))
      return z.encode(CheckoutWithUrl, approvedOf(outcome))
    },
  }),
  method('buyer.decline', {
    id: 'checkouts.decline',
    summary: 'Play a buyer whom the bank declines; the checkout stays as it was',
    body: BuyerOptions,
    answer: CheckoutWithUrl,
    refusals: [404, 409],
    does: ({ internals }, id, options = {}) => {
      requireShape(BuyerOptions, options)
      return runUnit(internals, (unit) => {
        declineAsBuyer(unit, id, options)
        return z.encode(CheckoutWithUrl, unit.services.withUrl(findCheckout(unit, id)))
      })
    },
  }),
  method('paymentMethods.attach', {
    summary: "Attach staging's test card, or its test bank account",
    body: NewPaymentMethod,
    status: 201,
    answer: PaymentMethod,
    refusals: [404],
    does: ({ internals }, customerId, given = {}) => {
      requireShape(NewPaymentMethod, given)
      const { type = 'card' } = given
      return runUnit(internals, (unit) => {
        const method = attach(unit, findCustomer(unit, customerId), unit.services.rules.testersMethod(type))
        return z.encode(PaymentMethod, method)
      })
    },
  }),
  method('refunds.complete', {
    summary: 'Complete a refund now',
    answer: Refund,
    refusals: [404, 409],
    does: ({ internals }, id) => runUnit(internals, (unit) => z.encode(Refund, finishRefund(unit, id))),
  }),

  // What there is to know
  method('magic', {
    summary: 'What can be typed in staging to get a known outcome',
    answer: z
      .object({ what: z.string(), value: z.string(), why: z.string(), where: z.string() })
      .meta({ id: 'MagicValue' }),
    does: ({ internals }) => internals.services.rules.magicValues(),
  }),
  method('decisions', {
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
    does: ({ internals }) => decisionsUnder(internals.contract.changes),
  }),

  // Their requests stand above: of the clock, of one request, of all sandboxes
  embedded('clock.now', ({ internals }) => internals.clock.now()),
  embedded('clock.freeze', ({ internals }) => freeze(internals)),
  embedded('clock.resume', ({ internals }) => resume(internals)),
  embedded('clock.set', ({ internals }, to) => setClock(internals, to)),
  embedded('explain', ({ internals }, id) =>
    id === undefined
      ? journalText(internals)
      : explanationText(explain(internals, findEntry(internals.journal, id))),
  ),
  embedded('describe', ({ internals }) =>
    describe(internals.name, internals.config, internals.committedSummary(), internals.address.url()),
  ),
])

export const SANDBOX_ROUTES: readonly ControlRoute<SandboxControl>[] = ROWS.flatMap(
  ({ route }) => route ?? [],
)

/** `remove` is called at most once: when the sandbox is closed. */
export function createControl(internals: Sandbox, remove: () => void): SandboxControl {
  const conduct = new PlatformConduct(internals)
  return {
    ...methodsOf<typeof SANDBOX_VERBS, Steered>(ROWS, { internals, conduct, remove }),
    name: internals.name,
    apiKey: internals.config.apiKey,
    get signingSecret() {
      return secretOf(internals)
    },
    browse: browse(internals, conduct),
    watch(callback) {
      if (typeof callback !== 'function')
        throw new TypeError('watch takes a function, called after every request')
      return internals.journal.watch((entry) => callback(() => summarize(entry)))
    },
    readSnapshot: (name) => readSnapshot(internals, name),
    writeSnapshot: (name, parts) => writeSnapshot(internals, name, parts),
  }
}
