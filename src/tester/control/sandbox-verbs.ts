/**
 * What a tester can do with a sandbox, each verb in one row: its address, the type of its method, what its request and its answer look
 * like over HTTP, and what it does. The methods of the embedded object and of `paysim/control`, the routes of `/_sim` and their
 * document, the tools of MCP, the `sim` steps of a scenario and the dashboard's forms all go by it.
 *
 * Methods that need not wait return at once; lists are in the order in which things happened; amounts are decimal and times ISO
 * 8601, as under `/v1`. A refusal is thrown, with the `status` that HTTP answers.
 */
import { z } from 'zod'
import type { BehaviorEngine } from '../../sandbox/behaviors/engine.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { BehaviorInput } from '../../sandbox/scenario-file/armable.ts'
import type { Behavior } from '../../sandbox/scenario-file/behavior.ts'
import { behaviorsOrProblems } from '../../sandbox/scenario-file/read-behaviors.ts'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../service/buyer-flow/flow.ts'
import type { MagicValue } from '../../service/environments/rules.ts'
import { attach } from '../../service/operations/payment-methods.ts'
import { findRow } from '../../service/operations/plain.ts'
import { finishRefund } from '../../service/operations/refunds.ts'
import { CheckoutWithUrl } from '../../spec/contract/checkout.ts'
import type { OperationId } from '../../spec/contract/endpoints.ts'
import { malformedScenario, notFound } from '../../spec/contract/errors.ts'
import { Event } from '../../spec/contract/event.ts'
import { PAGE_DEFAULT_ROWS } from '../../spec/contract/limits.ts'
import { idOf, Limit, latestPage, pageEnd, pageOf } from '../../spec/contract/pages.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { decisionsUnder, type ProfiledDecision } from '../../spec/contract/profiled-decision.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { BuyerOptions, NewPaymentMethod, text } from '../../spec/contract/tester.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import { type ConductOptions, ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import type { DurationOrMs } from '../../spec/options/values.ts'
import { Conduct } from '../conduct/judge.ts'
import { Story } from '../story/story.ts'
import { backgroundResults, describeBehaviors, heldNow, releaseGate, waitForHeld } from './behaviors.ts'
import type { Browse } from './browse.ts'
import type { PlatformConduct } from './conduct.ts'
import { describe } from './describe.ts'
import { explain, explanationText, journalText } from './explain.ts'
import { deliveries, emit, events, ledger, movements, outbox, redeliver, redeliverFailed } from './history.ts'
import {
  ConductAsked,
  type DeliveryFilter,
  DueWindow,
  deliveryFields,
  durationText,
  type EventFilter,
  eventFields,
  type HistoryWindow,
  NewEvent,
  Reset,
  type ResetOptions,
  type SettleOptions,
  Waiting,
  type WaitOptions,
} from './inputs.ts'
import { dueWork, overview } from './overview.ts'
import { readParameters, requireShape } from './read-input.ts'
import type { Remote } from './remote-call.ts'
import { type RequestFilter, requestParameters } from './request-filter.ts'
import { findEntry, pickRequests } from './requests.ts'
import { findAnyResource, readOperation } from './resources.ts'
import { type ControlRoute, historyParameters, list, listOf, RawAnswer, routesIn, verbsOf } from './route.ts'
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
  type SandboxDescription,
  SnapshotDescription,
  UnfiredBehavior,
  WebhookEndpoint,
} from './shapes.ts'
import { removeSnapshot, reset, restore, takeSnapshot } from './state.ts'
import { advance, freeze, readClock, resume, setClock } from './time.ts'
import { atOnce } from './turns.ts'
import { requireAllFired, unfired } from './unfired.ts'
import { firstWord, type MethodsOf } from './verb.ts'
import { VerifiedRequests, verify } from './verify.ts'
import { keepListener, putEndpoint, readEndpoint, removeEndpoint } from './webhook.ts'

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
const SCENARIO = 'application/yaml'

/**
 * Reads behaviors sent as JSON or YAML. The YAML reader is loaded only if needed: for YAML, for mistakes (it
 * knows line and column), and for JSON with spaces, in which a key may stand twice.
 */
async function behaviorsOf(bytes: Uint8Array): Promise<Behavior[]> {
  const text = Buffer.from(bytes).toString('utf8')
  const read = behaviorsOrProblems(plainJson(text))
  if ('behaviors' in read) return read.behaviors
  const { parseBehaviors, ScenarioError } = await import('../../sandbox/scenario-file/read.ts')
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

/** What a verb works on. */
export interface Steered {
  /** Its name at the address where the tester asked for it. */
  readonly name: string
  readonly internals: Sandbox
  readonly conduct: PlatformConduct
  readonly browse: Browse
  /** Removes the sandbox. */
  remove(): void
}

const { verb, adapted, methodOnly, routeOnly } = verbsOf<Steered>()

/** Commits first, so that the counters are those of committed requests. */
function committedBehaviors({ services, behaviors }: Sandbox): BehaviorEngine {
  services.store.flush()
  return behaviors
}

const explainRequest = ({ internals }: Steered, id: string) =>
  explain(internals, findEntry(internals.journal, id))

const textExplaining = (steered: Steered, id?: string) =>
  id === undefined ? journalText(steered.internals) : explanationText(explainRequest(steered, id))

function known(story: Story | undefined): Story {
  if (!story) throw notFound('Order, resource or key')
  return story
}

function arm({ behaviors }: Sandbox, scenario: BehaviorInput): BehaviorDescription[] {
  behaviors.armed.arm(scenario)
  return describeBehaviors(behaviors)
}

function replaceBehaviors({ behaviors }: Sandbox, scenario: BehaviorInput): BehaviorDescription[] {
  behaviors.armed.replace(scenario)
  return describeBehaviors(behaviors)
}

/** Below `/_sim` for the sandbox `default`, below `/_sim/sandboxes/{sandbox}` for any. */
export const SANDBOX_VERBS = {
  describe: methodOnly<() => SandboxDescription>()('GET ', {
    summary: 'Its keys, its settings, its clock and where it is served',
    does: ({ name, internals }) =>
      describe(name, internals.config, internals.committedSummary(), internals.address.url()),
  }),
  configure: verb<(settings: SettingsChange) => void>()('PUT /settings', {
    id: 'settings.change',
    summary: 'Change settings of the running sandbox; what is left out stays as it is',
    more: 'They hold from the next request on',
    body: SettingsChange.meta({ id: 'SettingsChange' }),
    does: ({ internals }, settings) => configure(internals, settings),
  }),

  // Time

  /** The sandbox's clock. Over HTTP one route moves, freezes and resumes it. */
  clock: {
    now: methodOnly<() => number>()('GET /clock', {
      read: 'time',
      summary: 'The time of the sandbox, in milliseconds since 1970',
      does: ({ internals }) => internals.clock.now(),
    }),
    read: verb<() => ClockReading>()('GET /clock', {
      id: 'clock.get',
      summary: 'Read the clock',
      answer: ClockReading,
      does: ({ internals }) => readClock(internals),
    }),
    freeze: methodOnly<() => ClockReading>()('POST /clock', {
      args: [],
      always: { body: { freeze: true } },
      read: 'clock',
      summary: 'Stop the clock: nothing falls due until it is moved',
      does: ({ internals }) => freeze(internals),
    }),
    resume: methodOnly<() => ClockReading>()('POST /clock', {
      args: [],
      always: { body: { resume: true } },
      read: 'clock',
      summary: 'Let the clock run on from where it stands',
      does: ({ internals }) => resume(internals),
    }),
    advance: methodOnly<(by: DurationOrMs) => Promise<Happening[]>>()('POST /clock', {
      args: ['body.advance'],
      read: 'happened',
      summary: 'Move the clock on, such as by `2d`',
      more: 'Resolves with what happened on the way when all of it is done, deliveries too',
      does: ({ internals }, by) => advance(internals, by),
    }),
    set: methodOnly<(to: string | number | Date) => Promise<Happening[]>>()('POST /clock', {
      args: ['body.set'],
      read: 'happened',
      summary: 'Move the clock to a time that is not before now',
      more: 'Resolves as `advance` does',
      does: ({ internals }, to) => setClock(internals, to),
    }),
  },
  settle: verb<(options?: SettleOptions) => Promise<void>>()('POST /settle', {
    args: ['query'],
    summary: 'Wait until nothing is in flight and nothing is due',
    more: 'Refused after `within` (4s if left out), and the refusal says what still goes on. With `held: false` it does not wait for held requests',
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

  reset: verb<(options?: ResetOptions) => void>()('POST /reset', {
    summary: 'Start over, as a whole or in part; the keys stay',
    more: 'The settings and the webhook endpoint stay too',
    body: Reset,
    does: ({ internals }, options = {}) => reset(internals, options),
  }),
  /** What was kept under a name. */
  snapshots: {
    list: verb<() => SnapshotDescription[]>()('GET /snapshots', {
      answers: 'list',
      summary: 'List the snapshots',
      answer: SnapshotDescription,
      does: ({ internals }) => internals.snapshots.list(),
    }),
    remove: verb<(name: string) => void>()('DELETE /snapshots/{name}', {
      summary: 'Remove a snapshot',
      refusals: [404],
      does: ({ internals }, name) => removeSnapshot(internals, name),
    }),
  },
  snapshot: verb<(name?: string) => SnapshotDescription>()('POST /snapshots', {
    id: 'snapshots.take',
    args: ['body.name'],
    summary: 'Keep the state under a name',
    more: 'It can be restored, and another sandbox can start from it',
    body: z.strictObject({ name: text.optional() }).meta({ id: 'NewSnapshot' }),
    status: 201,
    answer: SnapshotDescription,
    does: ({ internals }, name) => takeSnapshot(internals, name),
  }),
  restore: adapted<(name: string) => void>()('POST /snapshots/{name}/restore', {
    id: 'snapshots.restore',
    read: 'nothing',
    summary: 'Go back to a snapshot',
    answer: ClockReading,
    refusals: [404],
    does: ({ internals }, name) => restore(internals, name),
    run({ internals }, { params }) {
      restore(internals, params.name!)
      return readClock(internals)
    },
  }),

  close: verb<() => void>()('POST /close', {
    summary: 'End a test: remove the sandbox, refused when an armed behavior never acted',
    more: 'Also when it refuses, the sandbox is removed; the refusal says what came nearest. `default` is never removed',
    refusals: [424],
    does: ({ internals, remove }) => {
      const missing = unfired(internals)
      remove()
      requireAllFired(missing)
    },
  }),

  // The journal

  requests: adapted<(filter?: RequestFilter) => RequestSummary[]>()('GET /requests', {
    id: 'requests.list',
    answers: 'page',
    summary: 'List the requests that came under /v1, answered or not',
    query: z.strictObject({
      ...requestParameters,
      format: TextOrJson,
      ...historyParameters,
    }),
    answer: pageOf(RequestSummary),
    gives: [PLAIN],
    does: ({ internals }, filter = {}) => pickRequests(internals.journal, filter),
    run: (steered, { query: { limit, cursor, format, ...filter } }) =>
      format === 'text'
        ? new RawAnswer(PLAIN, `${textExplaining(steered)}\n`)
        : latestPage(
            { limit, cursor },
            (window) => pickRequests(steered.internals.journal, { ...filter, ...window }),
            idOf,
          ),
  }),
  request: adapted<(id: string) => RequestExplained>()('GET /requests/{id}', {
    id: 'requests.explain',
    summary: 'One request explained: the steps it passed, which one answered and why, and what followed',
    more: 'It also says what the request changed',
    query: z.strictObject({ format: TextOrJson }),
    answer: RequestExplained,
    gives: [PLAIN],
    refusals: [404],
    does: explainRequest,
    run: (steered, { params, query }) =>
      query.format === 'text'
        ? new RawAnswer(PLAIN, `${textExplaining(steered, params.id!)}\n`)
        : explainRequest(steered, params.id!),
  }),
  explain: methodOnly<(id?: string) => string>()('GET /requests/{id?}', {
    always: { query: { format: 'text' } },
    read: 'text',
    summary: 'A request explained as text for a terminal',
    more: 'Without an id: every request in a line, and the refused ones in full',
    does: textExplaining,
  }),
  verify: verb<(expectation?: RequestExpectation, options?: WaitOptions) => Promise<VerifiedRequests>>()(
    'POST /verify',
    {
      args: ['body', 'query'],
      summary: 'Count the requests that are as expected; a miss shows the nearest ones and how they differ',
      more: 'At least one must match, unless `count` says otherwise. Without an expectation every request counts. Resolves as soon as enough match, and is refused after `within`',
      query: WaitingText,
      body: RequestExpectation,
      answer: VerifiedRequests,
      refusals: [424],
      does: ({ internals: { journal, contract } }, expectation = {}, options = {}) =>
        verify(journal, expectation, options, translationOf(contract)),
    },
  ),
  conduct: adapted<(options?: ConductOptions) => Conduct>()('GET /conduct', {
    summary: 'What the platform did that would hurt in production, and which kinds of trouble it met',
    more: '`ignore` silences rules',
    query: ConductAsked,
    answer: Conduct,
    does: ({ conduct }, asked = {}) => atOnce(conduct.under(asked)),
    run: ({ browse }, { query }) => browse.conduct(query as ConductOptions),
  }),
  story: adapted<(about: string) => Story>()('GET /stories/{about}', {
    id: 'stories.get',
    summary:
      'What happened to an order, a checkout or under an Idempotency-Key, in sentences, the worst first',
    more: '`worst` says the worst in a few words, such as `refunded twice`. `about` is the name of the order, the id of anything that belongs to it, or the key',
    answer: Story,
    refusals: [404],
    does: ({ conduct }, about) => known(atOnce(conduct.story(about))),
    run: async ({ browse }, { params }) => known(await browse.story(params.about!)),
  }),
  clearRequests: verb<() => void>()('DELETE /requests', {
    id: 'requests.clear',
    summary: 'Empty the journal',
    does: ({ internals }) => internals.clearJournal(),
  }),

  // What there is now

  overview: adapted<() => Overview>()('GET /overview', {
    summary: 'What is due, how much of the rate limit is used, and how many resources there are',
    answer: Overview,
    does: ({ internals }) => atOnce(overview(internals)),
    run: ({ browse }) => browse.overview(),
  }),
  due: verb<(window?: DueWindow) => DueWork[]>()('GET /due', {
    answers: 'list',
    summary: 'What falls due, the next first',
    query: z.strictObject({ limit: Limit }),
    answer: DueWork,
    does: ({ internals }, window = {}) =>
      dueWork(internals, readParameters(DueWindow, window).limit ?? PAGE_DEFAULT_ROWS).due,
  }),
  resource: verb<(id: string) => FoundResource>()('GET /resources/{id}', {
    id: 'resources.get',
    summary: 'Read any resource by its id, without a key',
    more: 'It looks as under `/v1`',
    answer: FoundResource,
    refusals: [404],
    does: ({ internals }, id) => findAnyResource(internals, id),
  }),
  read: adapted<(operation: OperationId, parameters?: Readonly<Record<string, string>>) => string>()(
    'GET /operations/{operation}',
    {
      id: 'operations.read',
      answers: 'text',
      summary:
        'What a GET under /v1 answers, such as checkouts.list, without a key and without being journaled',
      more: 'Gives the exact text of the body. `parameters` are those of the path and the query. No rate limit counts it',
      query: z.looseObject({}),
      gives: [JSON_TYPE],
      refusals: [404],
      does: ({ internals }, operation, parameters) => readOperation(internals, operation, parameters),
      run: ({ internals }, { params, query }) =>
        new RawAnswer(
          JSON_TYPE,
          readOperation(internals, params.operation as OperationId, query as Record<string, string>),
        ),
    },
  ),

  // What happened

  ledger: adapted<(window?: HistoryWindow) => Ledger>()('GET /ledger', {
    answers: 'page',
    pages: 'movements',
    summary: 'The money that production would have moved, and the sums of all of it',
    query: z.strictObject(historyParameters),
    answer: Ledger.extend(pageEnd),
    does: ({ internals }, window = {}) => ledger(internals, window),
    async run({ internals, browse }, { query }) {
      const sums = await browse.sums()
      const { data, ...end } = latestPage(
        query,
        (window) => movements(internals, window),
        ({ number }) => String(number),
      )
      return { sums, movements: data, ...end }
    },
  }),
  outbox: verb<(window?: HistoryWindow) => Message[]>()('GET /outbox', {
    id: 'outbox.list',
    answers: 'page',
    summary: 'The e-mails and SMS that were captured',
    more: 'Production would have sent them',
    answer: Message,
    does: ({ internals }, window = {}) => outbox(internals, window),
  }),
  clearOutbox: verb<() => void>()('DELETE /outbox', {
    id: 'outbox.clear',
    summary: 'Empty the outbox',
    does: ({ internals }) => runUnit(internals, ({ store }) => store.outbox.clear()),
  }),
  events: adapted<(filter?: EventFilter) => Event[]>()('GET /events', {
    id: 'events.list',
    answers: 'page',
    summary: 'List the events',
    query: z.strictObject({ ...eventFields, ...historyParameters }),
    answer: pageOf(Event),
    does: ({ internals }, filter = {}) => events(internals, filter),
    run({ browse }, { query: { limit, cursor, ...filter } }) {
      const { data, ...end } = latestPage(
        { limit, cursor },
        // As it was sent: a profile has other words and fields than the schema that the document shows.
        (window) => browse.sentEvents({ ...filter, ...window }),
        idOf,
      )
      const events = data.map(({ body }) => body).join()
      return new RawAnswer(JSON_TYPE, `{"data":[${events}],${JSON.stringify(end).slice(1)}\n`)
    },
  }),
  emit: adapted<(event: NewEvent) => Event>()('POST /events', {
    id: 'events.emit',
    summary: 'Make an event: with the resource as it is now, or with other data',
    body: NewEvent,
    status: 201,
    answer: Event,
    refusals: [404, 409],
    does: ({ internals }, event) => emit(internals, event),
    run({ internals, browse }, { body }) {
      emit(internals, body)
      const [emitted] = browse.sentEvents({ limit: 1 })
      return new RawAnswer(JSON_TYPE, `${emitted!.body}\n`)
    },
  }),

  // Webhooks

  /** Where the events are delivered. */
  webhook: {
    get: verb<() => WebhookEndpoint | null>()('GET /webhook', {
      summary: 'Where the events are delivered; null for nowhere',
      answer: WebhookEndpoint.nullable(),
      does: ({ internals }) => readEndpoint(internals),
    }),
    put: verb<(settings: WebhookSettings) => WebhookEndpoint>()('PUT /webhook', {
      summary: 'Set where the events are delivered',
      more: 'Without `secret` the secret stays. With `overlap` the old secret signs too, for that long. Without `events` all events are delivered',
      body: WebhookSettings.meta({ id: 'NewWebhookEndpoint' }),
      answer: WebhookEndpoint,
      does: ({ internals }, settings) => putEndpoint(internals, settings),
    }),
    remove: verb<() => void>()('DELETE /webhook', {
      summary: 'Remove the endpoint: nothing is delivered',
      does: ({ internals }) => removeEndpoint(internals),
    }),
    listen: verb<(listener: string, settings: ListenerSettings) => WebhookEndpoint>()(
      'PUT /webhook/listeners/{name}',
      {
        summary: 'Let a listener have the events for a while; again before its lease is over to go on',
        more: 'They go there instead of the endpoint, until it leaves or its lease is over. Of several listeners the latest gets them. To set an endpoint ends all of them',
        body: ListenerSettings.meta({ id: 'NewListener' }),
        answer: WebhookEndpoint,
        refusals: [409],
        does: ({ internals }, name, settings) => keepListener(internals, name, settings),
      },
    ),
    leave: verb<(listener: string) => void>()('DELETE /webhook/listeners/{name}', {
      summary: 'The listener before it, or the endpoint, has the events again',
      does: ({ internals }, name) => internals.webhooks.listeners.leave(name),
    }),
  },
  deliveries: verb<(filter?: DeliveryFilter) => Delivery[]>()('GET /deliveries', {
    id: 'deliveries.list',
    answers: 'page',
    summary: 'List the deliveries, with every attempt that was made',
    query: z.object(deliveryFields),
    answer: Delivery,
    does: ({ internals }, filter = {}) => deliveries(internals, filter),
  }),
  redeliver: verb<(deliveryId: string) => Delivery>()('POST /deliveries/{id}/redeliver', {
    id: 'deliveries.redeliver',
    summary: 'Deliver the same event once more',
    more: 'The new delivery is due at once',
    status: 201,
    answer: Delivery,
    refusals: [404, 409],
    does: ({ internals }, id) => redeliver(internals, id),
  }),
  redeliverFailed: verb<() => Delivery[]>()('POST /deliveries/redeliver', {
    id: 'deliveries.redeliverFailed',
    args: [],
    answers: 'list',
    summary: 'Deliver each event once more whose latest attempt has failed',
    more: 'An event that was given up gets a new delivery; for one that is still tried, the next attempt comes now',
    status: 201,
    answer: Delivery,
    refusals: [409],
    does: ({ internals }) => redeliverFailed(internals),
  }),

  // Scripted trouble

  behaviors: verb<() => BehaviorDescription[]>()('GET /behaviors', {
    id: 'behaviors.list',
    answers: 'list',
    summary: 'List the armed behaviors, with their counters',
    answer: BehaviorDescription,
    does: ({ internals }) => describeBehaviors(committedBehaviors(internals)),
  }),
  backgroundResults: verb<() => BehaviorTrace[]>()('GET /behaviors/background', {
    id: 'behaviors.background',
    answers: 'list',
    summary: 'What behaviors did to refunds, deliveries and buyers, outside of any request',
    answer: BehaviorTrace,
    does: ({ internals }) => backgroundResults(committedBehaviors(internals)),
  }),
  unfired: verb<() => UnfiredBehavior[]>()('GET /behaviors/unfired', {
    id: 'behaviors.unfired',
    answers: 'list',
    summary: 'List the armed behaviors that never acted, with what came nearest',
    more: 'Those that are `optional` are left out',
    answer: UnfiredBehavior,
    does: ({ internals }) => unfired(internals),
  }),
  replaceBehaviors: adapted<(scenario: BehaviorInput) => BehaviorDescription[]>()('PUT /behaviors', {
    id: 'behaviors.replace',
    answers: 'list',
    summary: 'Arm one behavior, a list, or those of a scenario, and no others',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals }, scenario) => replaceBehaviors(internals, scenario),
    run: async ({ internals }, { body }) => list(replaceBehaviors(internals, await behaviorsOf(body))),
  }),
  arm: adapted<(scenario: BehaviorInput) => BehaviorDescription[]>()('POST /behaviors', {
    id: 'behaviors.add',
    answers: 'list',
    summary: 'Arm one behavior, a list, or those of a scenario, after those that are armed already',
    takes: SCENARIO,
    answer: listOf(BehaviorDescription),
    does: ({ internals }, scenario) => arm(internals, scenario),
    run: async ({ internals }, { body }) => list(arm(internals, await behaviorsOf(body))),
  }),
  disarm: verb<(behaviorId?: string) => void>()('DELETE /behaviors/{id?}', {
    id: 'behaviors.remove',
    summary: 'Disarm one behavior',
    more: 'Without an id, all of them',
    refusals: [404],
    does: ({ internals: { behaviors } }, id) => {
      if (!behaviors.armed.disarm(id)) throw notFound('Behavior')
    },
  }),
  waiting: verb<() => HeldRequest[]>()('GET /gates', {
    id: 'gates.list',
    answers: 'list',
    summary: 'List the requests that wait at a gate',
    answer: HeldRequest,
    does: ({ internals }) => heldNow(internals.behaviors),
  }),
  held: verb<(gate: string, options?: WaitOptions) => Promise<HeldRequest[]>>()('GET /gates/{name}', {
    id: 'gates.held',
    answers: 'list',
    summary: 'Wait until a gate holds a request',
    more: 'Resolves with all that wait there',
    query: WaitingText,
    answer: HeldRequest,
    refusals: [408],
    does: ({ internals }, gate, options = {}) => waitForHeld(internals.behaviors, gate, options),
  }),
  release: verb<(gate: string) => HeldRequest[]>()('POST /gates/{name}/release', {
    id: 'gates.release',
    answers: 'list',
    summary: 'Let the requests go on that a gate holds',
    more: 'Gives the list of them',
    refusals: [404],
    answer: HeldRequest,
    does: ({ internals }, gate) => releaseGate(internals.behaviors, gate),
  }),

  // What no platform can do

  /** The buyer's part, without a browser. */
  buyer: {
    approve: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>()(
      'POST /checkouts/{id}/approve',
      {
        id: 'checkouts.approve',
        summary: 'Play the buyer to an approved checkout',
        more: 'It goes through the whole hosted page',
        body: BuyerOptions,
        answer: CheckoutWithUrl,
        refusals: [404, 409],
        does: ({ internals }, id, options = {}) => {
          requireShape(BuyerOptions, options)
          const outcome = runUnit(internals, (unit) => approveAsBuyer(unit, id, options))
          return z.encode(CheckoutWithUrl, approvedOf(outcome))
        },
      },
    ),
    decline: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>()(
      'POST /checkouts/{id}/decline',
      {
        id: 'checkouts.decline',
        summary: 'Play a buyer whom the bank declines; the checkout stays as it was',
        body: BuyerOptions,
        answer: CheckoutWithUrl,
        refusals: [404, 409],
        does: ({ internals }, id, options = {}) => {
          requireShape(BuyerOptions, options)
          return runUnit(internals, (unit) => {
            declineAsBuyer(unit, id, options)
            return z.encode(CheckoutWithUrl, unit.services.withUrl(findRow(unit, 'checkout', id)))
          })
        },
      },
    ),
  },
  /** What a customer pays with. */
  paymentMethods: {
    attach: verb<(customerId: string, method?: NewPaymentMethod) => z.input<typeof PaymentMethod>>()(
      'POST /customers/{id}/payment-methods',
      {
        summary: "Attach staging's test card, or its test bank account",
        body: NewPaymentMethod,
        status: 201,
        answer: PaymentMethod,
        refusals: [404],
        does: ({ internals }, customerId, given = {}) => {
          requireShape(NewPaymentMethod, given)
          const { type = 'card' } = given
          return runUnit(internals, (unit) => {
            const customer = findRow(unit, 'customer', customerId)
            const method = attach(unit, customer, unit.services.rules.testersMethod(type))
            return z.encode(PaymentMethod, method)
          })
        },
      },
    ),
  },
  /** Refunds that are still pending. */
  refunds: {
    complete: verb<(refundId: string) => z.input<typeof Refund>>()('POST /refunds/{id}/complete', {
      summary: 'Complete a refund now',
      more: 'Without waiting until it is due',
      answer: Refund,
      refusals: [404, 409],
      does: ({ internals }, id) => runUnit(internals, (unit) => z.encode(Refund, finishRefund(unit, id))),
    }),
  },

  // What there is to know

  magic: verb<() => MagicValue[]>()('GET /magic', {
    answers: 'list',
    summary: 'What can be typed in staging to get a known outcome',
    answer: z
      .object({ what: z.string(), value: z.string(), why: z.string(), where: z.string() })
      .meta({ id: 'MagicValue' }),
    does: ({ internals }) => internals.services.rules.magicValues(),
  }),
  decisions: verb<() => readonly ProfiledDecision[]>()('GET /decisions', {
    answers: 'list',
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
}

// The build replaces both by a list of all methods with comments (written-types.ts): some editors show none through these types.
export interface SandboxMethods extends MethodsOf<typeof SANDBOX_VERBS> {}
/** The same methods, each returning a promise. */
export interface RemoteMethods extends Remote<SandboxMethods> {}

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

async function changeClock(internals: Sandbox, change: z.input<typeof ClockChange>): Promise<Happening[]> {
  if ('advance' in change) return advance(internals, change.advance)
  if ('set' in change) return setClock(internals, change.set)
  if ('freeze' in change) freeze(internals)
  else resume(internals)
  return []
}

const ROUTES: readonly ControlRoute<Steered>[] = [
  ...routesIn<Steered>(SANDBOX_VERBS),
  routeOnly('POST /clock', {
    id: 'clock.change',
    summary: 'Move, freeze or resume the clock; answers when all that it brings about is done',
    body: ClockChange,
    answer: ClockReading.extend({ happened: z.array(Happening) }).meta({ id: 'ClockChanged' }),
    async run({ internals }, { body }) {
      const happened = await changeClock(internals, body)
      return { ...readClock(internals), happened }
    },
  }),
  routeOnly('DELETE /behaviors', {
    id: 'behaviors.clear',
    summary: 'Disarm all behaviors',
    run: ({ internals }) => void internals.behaviors.armed.disarm(),
  }),
]

const WORDS = ROUTES.map(firstWord)
/** Routes whose paths begin with the same word stand together, as documents and tools have this order. */
export const SANDBOX_ROUTES = ROUTES.toSorted(
  (one, other) => WORDS.indexOf(firstWord(one)) - WORDS.indexOf(firstWord(other)),
)
