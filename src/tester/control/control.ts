/**
 * The objects that a tester holds: a sandbox, whose methods `sandbox-verbs.ts` makes, and the simulator,
 * which creates and removes sandboxes.
 */
import { z } from 'zod'
import type { SandboxSummary } from '../../sandbox/summary.ts'
import { needsApproval } from '../../service/environments/rules.ts'
import { rulesOf } from '../../service/environments/rules-of.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { RATE_LIMIT_REQUESTS } from '../../spec/contract/limits.ts'
import type { Page, PageWindow } from '../../spec/contract/pages.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Fixture } from '../../spec/options/fixture.ts'
import type { SandboxConfig, SandboxOptions } from '../../spec/options/sandbox.ts'
import type { DurationOrMs } from '../../spec/options/values.ts'
import { Clock } from '../../spec/world/clock.ts'
import type { Browse } from './browse.ts'
import { type RequestSummary, SandboxDescription, type SnapshotDescription } from './shapes.ts'
import type { Source } from './state.ts'
import type { SandboxMethods } from './verbs.ts'
import { shownEndpoint } from './webhook.ts'

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

/** A simulator, for those who create and remove sandboxes. */
export interface Sandboxes {
  /** The environment that a name without a prefix means. */
  readonly environment: Environment
  /** Where an environment is served, if it is. */
  addressOf(environment: Environment): string | undefined
  /** The sandbox of that name, created with these options when there is none. */
  sandbox(name: string, options?: OpenedSandbox): SandboxControl
  /** A new sandbox; refused when there is one of that name. */
  create(options?: NewSandbox): SandboxControl
  /**
   * Creates a sandbox and returns only its description, for HTTP: the sandbox's parts are made at its first
   * use.
   */
  createUnopened(options?: NewSandbox): SandboxDescription
  /** In the order in which they were made. */
  sandboxes(): SandboxControl[]
  /** A page of their descriptions, the latest first; within it the order is the same. None is opened for it. */
  list(window: PageWindow<number>): Page<SandboxDescription>
  /** The sandbox of that name; refused when there is none. */
  find(name: string): SandboxControl
  remove(name: string): void
  /** Counts and durations, as Prometheus reads them. */
  metrics(): string
  /** The same for HTTP: other requests pass in between. */
  metricsInTurns(): Promise<string>
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
    requireApproval: needsApproval(config, rulesOf(config, contractOf(config.profile).currency)),
    signingSecret: endpoint?.secret ?? config.signingSecret,
    url: url ?? null,
    clock: { now: clock.now(), frozen: clock.frozen },
    webhook: shownEndpoint(endpoint),
    expiresAt: config.expiresAt ?? null,
  })
}
