/**
 * What each verb of `verbs.ts` does in a sandbox. Methods that need not wait return at once; amounts are decimal and times
 * ISO 8601, as under `/v1`. A refusal is thrown, with the `status` that HTTP would answer.
 */
import { z } from 'zod'
import type { SandboxSummary } from '../../sandbox/summary.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../service/buyer-flow/flow.ts'
import { rulesOf } from '../../service/environments/rules-of.ts'
import { findCheckout, withUrl } from '../../service/operations/checkouts.ts'
import { findCustomer } from '../../service/operations/customers.ts'
import { attach } from '../../service/operations/payment-methods.ts'
import { finishRefund } from '../../service/operations/refunds.ts'
import { Checkout } from '../../spec/contract/checkout.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { PAGE_DEFAULT_ROWS, RATE_LIMIT_REQUESTS } from '../../spec/contract/limits.ts'
import type { PageWindow } from '../../spec/contract/pages.ts'
import { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { decisionsUnder } from '../../spec/contract/profiled-decision.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { BuyerOptions, NewPaymentMethod } from '../../spec/contract/tester.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Fixture } from '../../spec/options/fixture.ts'
import type { SandboxConfig, SandboxOptions } from '../../spec/options/sandbox.ts'
import type { DurationOrMs } from '../../spec/options/values.ts'
import { Clock } from '../../spec/world/clock.ts'
import { backgroundResults, describeBehaviors, heldNow, releaseGate, waitForHeld } from './behaviors.ts'
import { type Browse, browse } from './browse.ts'
import { PlatformConduct } from './conduct.ts'
import { explain, explanationText, journalText } from './explain.ts'
import { deliveries, emit, events, ledger, outbox, redeliver, redeliverFailed } from './history.ts'
import { DueWindow } from './inputs.ts'
import { runUnit, type SandboxInternals } from './internals.ts'
import { findAnyResource, readOperation } from './lookup.ts'
import { due, overview } from './overview.ts'
import { readParameters, requireShape } from './read-input.ts'
import { findEntry, pickRequests, summarize } from './requests.ts'
import { configure } from './settings.ts'
import { settle } from './settle.ts'
import { type RequestSummary, SandboxDescription, type SnapshotDescription } from './shapes.ts'
import {
  readSnapshot,
  reset,
  restore,
  type Source,
  snapshotControl,
  takeSnapshot,
  writeSnapshot,
} from './state.ts'
import { clockControl } from './time.ts'
import { atOnce } from './turns.ts'
import { requireAllFired, unfired } from './unfired.ts'
import type { SandboxMethods } from './verbs.ts'
import { verify } from './verify.ts'
import { secretOf, shownEndpoint, webhookControl } from './webhook.ts'

export interface SandboxControl extends SandboxMethods {
  /** One of production begins with `production.` (D61). */
  readonly name: string
  /** What its platform sends as `x-api-key`. */
  readonly apiKey: string
  /** What its webhooks are signed with. */
  readonly signingSecret: string
  /**
   * Calls back after every request that was answered, until the function that it returns is called. The request is
   * described when it is asked for, as thousands a second may come. Over HTTP, poll `requests({ since })` instead.
   */
  watch(callback: (request: () => RequestSummary) => void): () => void
  /** For pages: parts of what may be large. */
  readonly browse: Browse
  /** As `snapshots.get` and `put`, in parts: what is kept in files does not pass through memory. HTTP does so by itself. */
  readSnapshot(name: string): AsyncIterable<Uint8Array>
  writeSnapshot(name: string, parts: AsyncIterable<Uint8Array>): Promise<SnapshotDescription>
}

/** `remove` is called at most once: when the sandbox is closed. */
export function createControl(internals: SandboxInternals, remove: () => void): SandboxControl {
  const { config, behaviors, journal, name, services } = internals
  const platformConduct = new PlatformConduct(internals)

  return {
    name,
    apiKey: config.apiKey,
    get signingSecret() {
      return secretOf(internals)
    },
    describe: () => describe(name, config, internals.summary, internals.address.url()),
    configure: (settings) => configure(internals, settings),

    clock: clockControl(internals),
    settle: (options = {}) => settle(internals, options),

    overview: () => atOnce(overview(internals)),
    due: (window = {}) => due(internals, readParameters(DueWindow, window).limit ?? PAGE_DEFAULT_ROWS),
    browse: browse(internals, platformConduct),
    resource: (id) => findAnyResource(internals, id),
    read: (operation, parameters) => readOperation(internals, operation, parameters),

    ledger: (window = {}) => ledger(internals, window),
    outbox: (window = {}) => outbox(internals, window),
    clearOutbox: () => runUnit(internals, ({ store }) => store.outbox.clear()),
    events: (filter = {}) => events(internals, filter),
    emit: (event) => emit(internals, event),

    webhook: webhookControl(internals),
    deliveries: (filter = {}) => deliveries(internals, filter),
    redeliver: (id) => redeliver(internals, id),
    redeliverFailed: () => redeliverFailed(internals),

    requests: (filter = {}) => pickRequests(journal, filter),
    request: (id) => explain(internals, findEntry(journal, id)),
    explain: (id) =>
      id === undefined ? journalText(internals) : explanationText(explain(internals, findEntry(journal, id))),
    verify: (expectation = {}, options = {}) =>
      verify(journal, expectation, options, translationOf(internals.contract)),
    conduct: (asked = {}) => atOnce(platformConduct.under(asked)),
    story: (about) => atOnce(platformConduct.story(about)),
    clearRequests: () => journal.clear(),
    watch(callback) {
      if (typeof callback !== 'function')
        throw new TypeError('watch takes a function, called after every request')
      return journal.watch((entry) => callback(() => summarize(entry)))
    },

    refunds: {
      complete: (id) => runUnit(internals, (unit) => z.encode(Refund, finishRefund(unit, id))),
    },
    paymentMethods: {
      attach(customerId, given = {}) {
        requireShape(NewPaymentMethod, given)
        const { type = 'card' } = given
        return runUnit(internals, (unit) => {
          const method = attach(unit, findCustomer(unit, customerId), services.rules.testersMethod(type))
          return z.encode(PaymentMethod, method)
        })
      },
    },
    buyer: {
      approve(id, options = {}) {
        requireShape(BuyerOptions, options)
        const outcome = runUnit(internals, (unit) => approveAsBuyer(unit, id, options))
        return z.encode(Checkout, approvedOf(outcome))
      },
      decline(id, options = {}) {
        requireShape(BuyerOptions, options)
        return runUnit(internals, (unit) => {
          declineAsBuyer(unit, id, options)
          return z.encode(Checkout, withUrl(unit.services, findCheckout(unit, id)))
        })
      },
    },

    arm(scenario) {
      behaviors.armed.arm(scenario)
      return describeBehaviors(behaviors)
    },
    replaceBehaviors(scenario) {
      behaviors.armed.replace(scenario)
      return describeBehaviors(behaviors)
    },
    behaviors() {
      // Flushed first, so that only the counts of committed requests are shown.
      services.store.flush()
      return describeBehaviors(behaviors)
    },
    backgroundResults() {
      services.store.flush()
      return backgroundResults(behaviors)
    },
    unfired: () => unfired(internals),
    close() {
      const missing = unfired(internals)
      remove()
      requireAllFired(missing)
    },
    disarm(id) {
      if (!behaviors.armed.disarm(id)) throw notFound('Behavior')
    },
    waiting: () => heldNow(behaviors),
    release: (gate) => releaseGate(behaviors, gate),
    held: (gate, options = {}) => waitForHeld(behaviors, gate, options),

    reset: (options = {}) => reset(internals, options),
    snapshot: (snapshotName) => takeSnapshot(internals, snapshotName),
    restore: (snapshotName) => restore(internals, snapshotName),
    snapshots: snapshotControl(internals),
    readSnapshot: (snapshotName) => readSnapshot(internals, snapshotName),
    writeSnapshot: (snapshotName, parts) => writeSnapshot(internals, snapshotName, parts),

    magic: () => services.rules.magicValues(),
    decisions: () => decisionsUnder(internals.contract.changes),
  }
}

/** A simulator, for those who create and remove sandboxes. */
export interface Sandboxes {
  /** Which a plain name means. */
  readonly environment: Environment
  /** Where an environment is served, if it is. */
  addressOf(environment: Environment): string | undefined
  /** The sandbox of that name, created with these options when there is none. */
  sandbox(name: string, options?: OpenedSandbox): SandboxControl
  /** A new sandbox; refused when there is one of that name. */
  create(options?: NewSandbox): SandboxControl
  /** The same for HTTP, which only describes it: its parts are made when it is first asked. */
  createUnopened(options?: NewSandbox): SandboxDescription
  /** In the order in which they were made. */
  sandboxes(): SandboxControl[]
  /** A page of their descriptions, the latest first; within it the order is the same. None is opened for it. */
  list(window: PageWindow<number>): SandboxPage
  /** The sandbox of that name; refused when there is none. */
  find(name: string): SandboxControl
  remove(name: string): void
  /** Counts and durations, as Prometheus reads them. */
  metrics(): string
  /** The same for HTTP: other requests pass in between. */
  metricsInTurns(): Promise<string>
}

export interface SandboxPage {
  data: SandboxDescription[]
  hasMore: boolean
  nextCursor: string | null
}

export interface StartedSandbox<Seed = Fixture> extends SandboxOptions<Seed> {
  /** Where it starts from; left out, from nothing. What is not said otherwise is as it was there. */
  from?: Source | undefined
}

export interface OpenedSandbox extends StartedSandbox {
  /** After how long it is removed by itself, in real time: milliseconds, or a duration such as `1h`. */
  ttl?: DurationOrMs | undefined
}

export interface NewSandbox extends OpenedSandbox {
  /** Left out, it takes the next number that is free. */
  name?: string | undefined
}

/** It is described without its database: lists wake none. */
export function describe(
  name: string,
  config: SandboxConfig,
  { clock: state, endpoint }: SandboxSummary,
  url: string | undefined,
): SandboxDescription {
  const clock = new Clock(state)
  return z.encode(SandboxDescription, {
    ...config,
    name,
    rateLimit: config.rateLimit ?? RATE_LIMIT_REQUESTS,
    profile: config.profile ?? null,
    seed: config.seed ?? null,
    requireApproval: needsApproval(config),
    signingSecret: endpoint?.secret ?? config.signingSecret,
    url: url ?? null,
    clock: { now: clock.now(), frozen: clock.frozen },
    webhook: shownEndpoint(endpoint),
    expiresAt: config.expiresAt ?? null,
  })
}

const needsApproval = ({ environment, staging, requireApproval }: SandboxConfig) =>
  requireApproval || rulesOf(environment, staging).needsApproval
