/**
 * The tester's objects: a sandbox, with a method for each row of `sandbox-verbs.ts`, and the simulator, which creates and removes
 * sandboxes.
 */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Page, PageWindow } from '../../spec/contract/pages.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Fixture } from '../../spec/options/fixture.ts'
import type { SandboxOptions } from '../../spec/options/sandbox.ts'
import type { DurationOrMs } from '../../spec/options/values.ts'
import { browse } from './browse.ts'
import { summarize } from './requests.ts'
import { methodsOf } from './route.ts'
import { SANDBOX_VERBS, type SandboxMethods } from './sandbox-verbs.ts'
import type { RequestSummary, SandboxDescription } from './shapes.ts'
import type { Source } from './state.ts'
import type { Steered } from './steered.ts'
import { secretOf } from './webhook-verbs.ts'

export interface SandboxIdentity {
  /** A production sandbox starts with `production.` (D61). */
  readonly name: string
  /** What its platform sends as `x-api-key`. */
  readonly apiKey: string
  /** What its webhooks are signed with. */
  readonly signingSecret: string
}

export interface SandboxControl extends SandboxMethods, SandboxIdentity {
  /**
   * Calls back after every answered request, until the returned function is called. The request is described only when read,
   * because thousands may arrive per second. Over HTTP, poll `requests({ since })` instead.
   */
  watch(callback: (request: () => RequestSummary) => void): () => void
}

/** A simulator, for those who create and remove sandboxes. */
export interface Sandboxes {
  /** The environment of names without a prefix. */
  readonly environment: Environment
  /** The address of an environment, if it is served. */
  addressOf(environment: Environment): string | undefined
  /** The sandbox of that name, created with these options if there is none. */
  sandbox(name: string, options?: OpenedSandbox): SandboxControl
  /** A new sandbox; refused if the name is taken. */
  create(options?: NewSandbox): SandboxControl
  /**
   * Creates a sandbox and returns only its description, for HTTP: the sandbox's parts are made at its first
   * use.
   */
  createUnopened(options?: NewSandbox): SandboxDescription
  /** In order of creation. */
  sandboxes(): SandboxControl[]
  /** A page of their descriptions, the latest first; within it the order is the same. None is opened for it. */
  list(window: PageWindow<number>): Page<SandboxDescription>
  /** The sandbox of that name; refused if there is none. */
  find(name: string): SandboxControl
  remove(name: string): void
}

export interface StartedSandbox<Seed = Fixture> extends SandboxOptions<Seed> {
  /** What it starts from; default: empty. Omitted settings are copied from there. */
  from?: Source | undefined
}

export interface OpenedSandbox extends StartedSandbox {
  /** When it is removed automatically, in real time: milliseconds, or a duration such as `1h`. */
  ttl?: DurationOrMs | undefined
}

export interface NewSandbox extends OpenedSandbox {
  /** Default: the next free number. */
  name?: string | undefined
}

/** `remove` is called at most once, when the sandbox is closed. */
export const steer = (internals: Sandbox, remove: () => void): SandboxControl =>
  controlOver({ name: internals.name, internals, browse: browse(internals), remove })

/** The parts behind each object, for HTTP and pages; under a symbol, so that tests do not use them. */
const STEERED = Symbol('steered')

export const steeredBy = (control: SandboxControl): Steered =>
  (control as SandboxControl & { [STEERED]: Steered })[STEERED]

export const underName = (control: SandboxControl, name: string): SandboxControl =>
  controlOver({ ...steeredBy(control), name })

function controlOver(steered: Steered): SandboxControl {
  const { name, internals } = steered
  const control: SandboxControl = {
    ...methodsOf(SANDBOX_VERBS, steered),
    name,
    apiKey: internals.config.apiKey,
    get signingSecret() {
      return secretOf(internals)
    },
    watch(callback) {
      if (typeof callback !== 'function')
        throw new TypeError('watch takes a function, called after every request')
      return internals.journal.watch((entry) => callback(() => summarize(entry)))
    },
  }
  return Object.defineProperty(control, STEERED, { value: steered })
}
