/**
 * The sandboxes of a simulator as seen at one of its addresses: a name without an environment means a sandbox
 * of the address's environment, and new ones are made there. The registry knows each by its full name.
 */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { initialClock } from '../../service/store/settings.ts'
import { sandboxExists } from '../../spec/contract/errors.ts'
import { formatCursor, latestPage, type Page, type PageWindow } from '../../spec/contract/pages.ts'
import {
  type Environment,
  fullName,
  nameSeenAt,
  type QualifiedName,
  qualifiedName,
} from '../../spec/environments/environment.ts'
import { refuseUnknown, WrongOption } from '../../spec/options/read.ts'
import { SANDBOX_OPTIONS, type SandboxOptions, sandboxConfig } from '../../spec/options/sandbox.ts'
import { duration, sandboxName } from '../../spec/options/values.ts'
import { Random } from '../../spec/world/random.ts'
import {
  describe,
  type NewSandbox,
  type OpenedSandbox,
  type SandboxControl,
  type Sandboxes,
} from '../../tester/control/control.ts'
import { createControl } from '../../tester/control/sandbox-verbs.ts'
import type { SandboxDescription } from '../../tester/control/shapes.ts'
import type { Source } from '../../tester/control/state.ts'
import { readSource, sourceText } from '../../tester/control/state.ts'
import { atOnce, inTurns } from '../../tester/control/turns.ts'
import { configOfUnopened, Opened, type Registered } from './registered.ts'
import type { SandboxRegistry } from './registry.ts'

export function sandboxesAt(address: Environment, registry: SandboxRegistry): Sandboxes {
  const view = new AddressView(address, registry)
  return {
    environment: address,
    addressOf: (environment) => registry.urlOf(environment),
    sandbox: (name, options) => view.findOrMake(name, options),
    create: (options) => controlOf(registry.opened(view.make(options))!, address),
    createUnopened: (options) => view.describe(view.make(options)),
    sandboxes: () => registry.all().map((one) => view.seenUnopened(one)),
    list: (window) => view.list(window),
    find: (name) => controlOf(registry.require(view.fullName(name)), address),
    remove: (name) => registry.remove(view.fullName(name)),
    metrics: () => atOnce(registry.metrics()),
    metricsInTurns: () => inTurns(() => registry.metrics()),
  }
}

/** Objects with the full name, which is also the name at staging's address. */
const controls = new WeakMap<Opened, SandboxControl>()
/** Objects with the name at production's address. */
const inProduction = new WeakMap<Opened, SandboxControl>()

/** The sandbox as a tester steers it, under the name that this address gives it. */
export function controlOf(opened: Opened, address: Environment): SandboxControl {
  const control = madeOnce(controls, opened, () => createControl(opened.internals, opened.remove))
  const name = nameSeenAt(address, control.name)
  if (name === control.name) return control
  return madeOnce(inProduction, opened, () =>
    Object.create(control, {
      name: { value: name, enumerable: true },
      describe: { value: () => ({ ...control.describe(), name }), enumerable: true },
    }),
  )
}

function madeOnce(
  known: WeakMap<Opened, SandboxControl>,
  opened: Opened,
  make: () => SandboxControl,
): SandboxControl {
  const control = known.get(opened) ?? make()
  known.set(opened, control)
  return control
}

class AddressView {
  readonly #address: Environment
  readonly #registry: SandboxRegistry

  constructor(address: Environment, registry: SandboxRegistry) {
    this.#address = address
    this.#registry = registry
  }

  fullName(given: string): string {
    return fullName(qualifiedName(given, this.#address))
  }

  findOrMake(given: string, options: OpenedSandbox = {}): SandboxControl {
    refuseUnknown(options, NEW_SANDBOX_OPTIONS)
    if (typeof given !== 'string') sandboxName(given)
    const qualified = nameAsked(given, options.environment, this.#address)
    let found = this.#registry.find(fullName(qualified))
    if (found) requireSettings(found.internals, qualified, options)
    else found = this.#registry.opened(this.make({ ...options, name: given }))!
    return controlOf(found, this.#address)
  }

  make(asked: NewSandbox = {}): Registered {
    refuseUnknown(asked, NEW_SANDBOX_OPTIONS)
    const { name, from, ttl, ...options } = asked
    if (from !== undefined && options.fixture !== undefined)
      throw new WrongOption('fixture', 'goes only without from: seed data is planted in an empty sandbox')
    const source = from === undefined ? {} : this.#read(from, asked)
    const qualified = this.#nameOfNew(asked, source.options?.environment)
    const config = this.#registry.newConfig(qualified, { ...source.options, ...withoutUndefined(options) })
    if (ttl !== undefined) {
      config.ttl = duration(ttl, 'ttl')
      config.expiresAt = this.#registry.now() + config.ttl
    }
    if (from !== undefined) config.startedFrom = sourceText(from)
    return this.#registry.add(fullName(qualified), config, {
      from: source.from,
      carried: {
        clock: options.clock === undefined ? undefined : initialClock(config.clock),
        random: options.seed === undefined ? undefined : new Random(options.seed).state(),
      },
    })
  }

  #read(from: Source, { name = '', environment }: NewSandbox) {
    const qualified = nameAsked(name, environment, this.#address)
    const find = (named: string) => this.#registry.internalsOf(this.fullName(named))
    return readSource(this.#asName(from), find, qualified.environment)
  }

  /**
   * A sandbox object as a source is found by its key: its name depends on the address at which it was asked
   * for.
   */
  #asName(from: Source): Source {
    if (typeof from !== 'object' || !('apiKey' in from)) return from
    const found = this.#registry.holderOf(from.apiKey)
    return found ? nameSeenAt(this.#address, found.name) : from
  }

  /** The environment and name of a new sandbox: as asked for, or beside the sandbox that it copies. */
  #nameOfNew({ name, environment }: NewSandbox, copied: Environment | undefined): QualifiedName {
    const qualified = nameAsked(name ?? '', environment, copied ?? this.#address)
    if (copied !== undefined && copied !== qualified.environment) {
      throw new WrongOption(
        'from',
        `must be a sandbox of ${qualified.environment}: its data goes nowhere else`,
      )
    }
    this.#registry.requireServed(qualified.environment)
    if (name === undefined) qualified.name = this.#registry.nextName(qualified.environment)
    sandboxName(qualified.name)
    return qualified
  }

  /** An object that opens the sandbox only when something is asked that its summary does not answer. */
  seenUnopened(one: Registered): SandboxControl {
    if (one.state instanceof Opened) return controlOf(one.state, this.#address)
    const known = {
      name: nameSeenAt(this.#address, one.name),
      apiKey: one.apiKey,
      describe: () => this.describe(one),
    }
    const open = () => controlOf(this.#registry.require(one.name), this.#address)
    return new Proxy(known as unknown as SandboxControl, {
      get: (_, property) => Reflect.get(property in known ? known : open(), property),
    })
  }

  describe({ name, state }: Registered): SandboxDescription {
    if (state instanceof Opened) return controlOf(state, this.#address).describe()
    const shown = nameSeenAt(this.#address, name)
    const url = this.#registry.urlOf(qualifiedName(name, 'staging').environment)
    return describe(shown, configOfUnopened(name, state), state.summary, url)
  }

  /** The latest, in the order in which they were made; the next page has those before. */
  list(window: PageWindow<number>): Page<SandboxDescription> {
    const all = this.#registry.all()
    const { data, ...rest } = latestPage(
      window,
      ({ limit, cursor = Number.POSITIVE_INFINITY }) =>
        all.filter(({ number }) => number < cursor).slice(-limit),
      ({ number }) => formatCursor(number),
    )
    return { data: data.map((one) => this.describe(one)), ...rest }
  }
}

const NEW_SANDBOX_OPTIONS = ['name', 'from', 'ttl', ...Object.keys(SANDBOX_OPTIONS)]

/** Where a name and an option say that a sandbox is; without either it is in the environment of the address. */
function nameAsked(given: string, asked: Environment | undefined, address: Environment): QualifiedName {
  const qualified = qualifiedName(given, asked ?? address)
  if (asked === undefined || asked === qualified.environment) return qualified
  throw new WrongOption('environment', `must be ${qualified.environment} for the sandbox ${given}`, asked)
}

/** A sandbox that is there already was made with its own settings; others that are asked for would be ignored. */
function requireSettings(
  { name, config }: Sandbox,
  qualified: QualifiedName,
  { from, ttl, ...asked }: OpenedSandbox,
): void {
  const given = withoutUndefined(asked)
  const wanted = sandboxConfig(qualified.name, { ...config, ...given })
  const other =
    (Object.keys(given) as (keyof SandboxOptions)[]).find(
      (option) => JSON.stringify(wanted[option]) !== JSON.stringify(config[option]),
    ) ??
    (from !== undefined && sourceText(from) !== config.startedFrom ? 'from' : undefined) ??
    (ttl !== undefined && duration(ttl, 'ttl') !== config.ttl ? 'ttl' : undefined)
  if (other !== undefined) throw sandboxExists(`There is a sandbox ${name} already, with another ${other}`)
}

const withoutUndefined = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
