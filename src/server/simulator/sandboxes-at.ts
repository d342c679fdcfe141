/**
 * The sandboxes of a simulator as seen at one of its addresses: a plain name means a sandbox of the address's environment, and
 * new ones are created there. The registry knows each by its full name.
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
  type NewSandbox,
  type OpenedSandbox,
  type SandboxControl,
  type Sandboxes,
  steer,
  underName,
} from '../../tester/control/control.ts'
import { describe } from '../../tester/control/describe.ts'
import type { SandboxDescription } from '../../tester/control/shapes.ts'
import type { Source } from '../../tester/control/state.ts'
import { readSource, sourceText } from '../../tester/control/state.ts'
import { configOfUnopened, Opened, type Registered } from './registered.ts'
import type { SandboxRegistry } from './registry.ts'

export function sandboxesAt(address: Environment, registry: SandboxRegistry): Sandboxes {
  return {
    environment: address,
    addressOf: (environment) => registry.urlOf(environment),
    sandbox: findOrMake,
    create: (options) => controlOf(registry.opened(make(options))!, address),
    createUnopened: (options) => described(make(options)),
    sandboxes: () => registry.all().map(seenUnopened),
    list,
    find: (name) => controlOf(registry.require(fullNameOf(name)), address),
    remove: (name) => registry.remove(fullNameOf(name)),
  }

  function fullNameOf(given: string): string {
    return fullName(qualifiedName(given, address))
  }

  function findOrMake(given: string, options: OpenedSandbox = {}): SandboxControl {
    refuseUnknown(options, NEW_SANDBOX_OPTIONS)
    if (typeof given !== 'string') sandboxName(given)
    const qualified = nameAsked(given, options.environment, address)
    let found = registry.find(fullName(qualified))
    if (found) requireSettings(found.internals, qualified, options)
    else found = registry.opened(make({ ...options, name: given }))!
    return controlOf(found, address)
  }

  function make(asked: NewSandbox = {}): Registered {
    refuseUnknown(asked, NEW_SANDBOX_OPTIONS)
    const { name, from, ttl, ...options } = asked
    if (from !== undefined && options.fixture !== undefined)
      throw new WrongOption('fixture', 'cannot be combined with from: a fixture needs an empty sandbox')
    const source = from === undefined ? {} : read(from)
    const qualified = nameOfNew(asked, source.options?.environment)
    const config = registry.newConfig(qualified, { ...source.options, ...withoutUndefined(options) })
    if (ttl !== undefined) {
      config.ttl = duration(ttl, 'ttl')
      config.expiresAt = registry.now() + config.ttl
    }
    if (from !== undefined) config.startedFrom = sourceText(from)
    return registry.add(fullName(qualified), config, {
      from: source.from,
      carried: {
        clock: options.clock === undefined ? undefined : initialClock(config.clock),
        random: options.seed === undefined ? undefined : new Random(options.seed).state(),
      },
    })
  }

  function read(from: Source) {
    return readSource(asName(from), (name) => registry.internalsOf(fullNameOf(name)))
  }

  /** A source given as a sandbox object is found by its key, because its name depends on the address of the lookup. */
  function asName(from: Source): Source {
    if (typeof from !== 'object' || !('apiKey' in from)) return from
    const found = registry.holderOf(from.apiKey)
    return found ? nameSeenAt(address, found.name) : from
  }

  /** The environment and name of a new sandbox: as requested, or taken from the sandbox that it copies. */
  function nameOfNew({ name, environment }: NewSandbox, copied: Environment | undefined): QualifiedName {
    const qualified = nameAsked(name ?? '', environment, copied ?? address)
    if (copied !== undefined && copied !== qualified.environment) {
      throw new WrongOption(
        'from',
        `must be a ${qualified.environment} sandbox: data cannot be copied between environments`,
      )
    }
    registry.requireServed(qualified.environment)
    if (name === undefined) qualified.name = registry.nextName(qualified.environment)
    sandboxName(qualified.name)
    return qualified
  }

  /** An object that opens the sandbox only for questions that its summary cannot answer. */
  function seenUnopened(entry: Registered): SandboxControl {
    if (entry.state instanceof Opened) return controlOf(entry.state, address)
    const known = {
      name: nameSeenAt(address, entry.name),
      apiKey: entry.apiKey,
      describe: () => described(entry),
    }
    const open = () => controlOf(registry.require(entry.name), address)
    return new Proxy(known as SandboxControl, {
      get: (_, property) => Reflect.get(property in known ? known : open(), property),
    })
  }

  function described({ name, state }: Registered): SandboxDescription {
    if (state instanceof Opened) return controlOf(state, address).describe()
    const shown = nameSeenAt(address, name)
    const url = registry.urlOf(qualifiedName(name, 'staging').environment)
    return describe(shown, configOfUnopened(name, state), state.summary, url)
  }

  /** The latest, in order of creation; the next page has earlier ones. */
  function list(window: PageWindow<number>): Page<SandboxDescription> {
    const all = registry.all()
    const { data, ...rest } = latestPage(
      window,
      ({ limit, cursor = Number.POSITIVE_INFINITY }) =>
        all.filter(({ number }) => number < cursor).slice(-limit),
      ({ number }) => formatCursor(number),
    )
    return { data: data.map((registered) => described(registered)), ...rest }
  }
}

/** The sandbox as a tester controls it, under its name at this address: at staging's its full name. */
export function controlOf(opened: Opened, address: Environment): SandboxControl {
  const { controls, internals, remove } = opened
  controls.staging ??= steer(internals, remove)
  if (address === 'production')
    controls.production ??= underName(controls.staging, nameSeenAt(address, internals.name))
  return controls[address]!
}

const NEW_SANDBOX_OPTIONS = ['name', 'from', 'ttl', ...Object.keys(SANDBOX_OPTIONS)]

/** The environment that a name and an option select; default: that of the address. */
function nameAsked(given: string, asked: Environment | undefined, address: Environment): QualifiedName {
  const qualified = qualifiedName(given, asked ?? address)
  if (asked === undefined || asked === qualified.environment) return qualified
  throw new WrongOption('environment', `must be ${qualified.environment} for the sandbox ${given}`, asked)
}

/** An existing sandbox has its own settings; different ones in the request would be ignored. */
function requireSettings(
  { name, config }: Sandbox,
  qualified: QualifiedName,
  { from, ttl, ...asked }: OpenedSandbox,
): void {
  const given = withoutUndefined(asked)
  const wanted = sandboxConfig(qualified.name, { ...config, ...given })
  const field =
    (Object.keys(given) as (keyof SandboxOptions)[]).find(
      (option) => JSON.stringify(wanted[option]) !== JSON.stringify(config[option]),
    ) ??
    (from !== undefined && sourceText(from) !== config.startedFrom ? 'from' : undefined) ??
    (ttl !== undefined && duration(ttl, 'ttl') !== config.ttl ? 'ttl' : undefined)
  if (field !== undefined) throw sandboxExists(`The sandbox ${name} already exists, with another ${field}`)
}

const withoutUndefined = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
