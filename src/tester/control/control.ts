/**
 * The objects that a tester holds: a sandbox, with a method for each row of `sandbox-verbs.ts`, and the simulator,
 * which creates and removes sandboxes.
 */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Page, PageWindow } from '../../spec/contract/pages.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Fixture } from '../../spec/options/fixture.ts'
import type { SandboxOptions } from '../../spec/options/sandbox.ts'
import type { DurationOrMs } from '../../spec/options/values.ts'
import { PlatformAudit } from './audit.ts'
import { type Browse, browse } from './browse.ts'
import { summarize } from './requests.ts'
import { methodsOf } from './route.ts'
import { SANDBOX_VERBS, type SandboxMethods } from './sandbox-verbs.ts'
import type { RequestSummary, SandboxDescription } from './shapes.ts'
import type { Source } from './state.ts'
import type { Steered } from './steered.ts'
import { secretOf } from './webhook.ts'

export interface SandboxIdentity {
  /** One of production begins with `production.` (D61). */
  readonly name: string
  /** What its platform sends as `x-api-key`. */
  readonly apiKey: string
  /** What its webhooks are signed with. */
  readonly signingSecret: string
}

export interface SandboxControl extends SandboxMethods, SandboxIdentity {
  /**
   * Calls back after every request that was answered, until the function that it returns is called. The request is
   * described when it is asked for, as thousands a second may come. Over HTTP, poll `requests({ since })` instead.
   */
  watch(callback: (request: () => RequestSummary) => void): () => void
  /** For pages: parts of what may be large. */
  readonly browse: Browse
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
  /** Where it starts from; default: empty. Settings that are not given are copied from there. */
  from?: Source | undefined
}

export interface OpenedSandbox extends StartedSandbox {
  /** After how long it is removed by itself, in real time: milliseconds, or a duration such as `1h`. */
  ttl?: DurationOrMs | undefined
}

export interface NewSandbox extends OpenedSandbox {
  /** Default: the next free number. */
  name?: string | undefined
}

/** `remove` is called at most once: when the sandbox is closed. */
export function steer(internals: Sandbox, remove: () => void): SandboxControl {
  const audit = new PlatformAudit(internals)
  return controlOver({
    name: internals.name,
    internals,
    audit,
    browse: browse(internals, audit),
    remove,
  })
}

/** The parts behind each object, for HTTP. They are kept here, so that a test cannot reach them. */
const STEERED = new WeakMap<SandboxControl, Steered>()

export const steeredBy = (control: SandboxControl): Steered => STEERED.get(control)!

export const underName = (control: SandboxControl, name: string): SandboxControl =>
  controlOver({ ...steeredBy(control), name })

function controlOver(steered: Steered): SandboxControl {
  const { name, internals, browse } = steered
  const control: SandboxControl = {
    ...methodsOf(SANDBOX_VERBS, steered),
    name,
    apiKey: internals.config.apiKey,
    get signingSecret() {
      return secretOf(internals)
    },
    browse,
    watch(callback) {
      if (typeof callback !== 'function')
        throw new TypeError('watch takes a function, called after every request')
      return internals.journal.watch((entry) => callback(() => summarize(entry)))
    },
  }
  STEERED.set(control, steered)
  return control
}
