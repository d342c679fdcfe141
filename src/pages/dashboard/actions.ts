/**
 * The forms that change a sandbox. Each is one verb of the tester's API, and the result has its request as a curl command, so that
 * a script can do the same. Only resending a request is not a verb: it is a request to /v1 (again.tsx).
 */

import { counted } from '../../spec/contract/counted.ts'
import { Duration } from '../../spec/contract/duration.ts'
import { TESTER_ACTS, type TesterVerb } from '../../spec/contract/resources/by-tester.ts'
import { byDelayOption } from '../../spec/contract/resources/timed.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES } from '../../tester/control/addresses.ts'
import type { BehaviorDescription, Delivery, Happening } from '../../tester/control/shapes.ts'
import { type Verb, type VerbRequest, named as verbNamed, verbRequest } from '../../tester/control/verb.ts'
import type { Tone } from '../blocks.tsx'
import { type Links, linksOf } from './links.ts'
import { gapText } from './text.ts'

/** A request of the tester's API. */
export interface ControlRequest extends VerbRequest {
  /** The base of its path; default: the page's sandbox. */
  of?: 'sandbox' | 'simulator'
  /** A body that is not JSON. */
  yaml?: string
}

/** The address of such a request, for the page's sandbox. */
export const urlOf = (
  { origin, links }: { origin: string; links: Links },
  { of = 'sandbox', path }: ControlRequest,
): string => `${origin}${of === 'sandbox' ? links.api : '/_sim'}${path}`

/** The fields of a form, by name. */
export type Fields = Readonly<Record<string, string>>

/** The result of a form, shown on the next page. */
export interface ActionResult {
  tone: Tone
  text: string
  /** A link to the page that shows more. */
  more?: { text: string; page: string; query?: Record<string, string> }
  /** The same action as a command. */
  curl?: string
  /** What happened while the clock moved, in order. */
  list?: readonly { at: string; id: string; detail: string }[]
}

export interface DashboardAction {
  request(fields: Fields): ControlRequest
  /** The sentence that the next page shows. */
  notice(answer: never, fields: Fields): string | ActionResult
  /** The page after the action; default: the form's own page. */
  leadsTo?(answer: never, fields: Fields, links: Links): string
}

/** A verb without arguments. */
const plain = (verb: Verb, notice: string): DashboardAction => ({
  request: () => verbRequest(verb),
  notice: () => notice,
})

/** A verb that takes the content of one field. */
const named = (verb: Verb, field: string, notice: (name: string | undefined) => string): DashboardAction => ({
  request: (fields) => verbRequest(verb, text(fields, field)),
  notice: (_, fields) => notice(text(fields, field)),
})

export const ACTIONS = {
  clock: {
    request: (fields) => {
      const { clock } = SANDBOX_ADDRESSES
      if ('freeze' in fields) return verbRequest(clock.freeze)
      if ('resume' in fields) return verbRequest(clock.resume)
      if ('set' in fields) return verbRequest(clock.set, text(fields, 'set'))
      return verbRequest(clock.advance, text(fields, 'advance'))
    },
    notice: ({ now, happened }: { now: string; happened: readonly Happening[] }, fields) => {
      const failed = happened.filter(({ what }) => what === 'webhook.attempt_failed').length
      return {
        tone: failed > 0 ? 'warn' : 'good',
        text: clockNotice(fields, now) + (failed > 0 ? ` ${counted(failed, 'webhook')} failed.` : ''),
        list: happened.slice(-LISTED),
        ...(failed > 0 && {
          more: { text: 'Failing webhooks', page: 'webhooks', query: { delivery: 'failing' } },
        }),
      }
    },
  },
  settle: plain(SANDBOX_ADDRESSES.settle, 'Nothing is in flight, and nothing is due.'),

  reset: plain(SANDBOX_ADDRESSES.reset, 'The sandbox was reset.'),
  snapshot: {
    request: (fields) => verbRequest(SANDBOX_ADDRESSES.snapshot, text(fields, 'name')),
    notice: ({ name }: { name: string }) => `The snapshot ${name} was taken.`,
  },
  restore: named(SANDBOX_ADDRESSES.restore, 'name', (name) => `The snapshot ${name} was restored.`),
  removeSnapshot: named(
    SANDBOX_ADDRESSES.snapshots.remove,
    'name',
    (name) => `The snapshot ${name} was removed.`,
  ),
  createSandbox: {
    request: (fields) => ({
      of: 'simulator',
      ...verbRequest(SIMULATOR_ADDRESSES.create, {
        name: text(fields, 'name'),
        from: sourceOf(fields),
        clock: text(fields, 'clock'),
      }),
    }),
    notice: ({ name }: { name: string }) => `The sandbox ${name} was created. This page shows it.`,
    leadsTo: ({ name }: { name: string }) => linksOf(name).base,
  },
  removeSandbox: {
    request: (fields) => ({
      of: 'simulator',
      ...verbRequest(SIMULATOR_ADDRESSES.remove, text(fields, 'name')),
    }),
    notice: (_, fields) => `The sandbox ${text(fields, 'name')} was removed.`,
    leadsTo: () => linksOf(DEFAULT_SANDBOX).page('sandboxes'),
  },
  configure: {
    request: (fields) =>
      verbRequest(SANDBOX_ADDRESSES.configure, {
        rateLimit: numberOf(text(fields, 'rateLimit')),
        ...byDelayOption((option) => text(fields, option)),
        requireApproval: 'requireApproval' in fields,
      }),
    notice: () => 'The settings were changed. They apply from the next request on.',
  },

  setWebhook: {
    request: (fields) =>
      verbRequest(SANDBOX_ADDRESSES.webhook.put, {
        url: text(fields, 'url'),
        events: listOf(text(fields, 'events')),
      }),
    notice: ({ url }: { url: string }) => `Events are delivered to ${url}.`,
  },
  removeWebhook: plain(SANDBOX_ADDRESSES.webhook.remove, 'The endpoint was removed, so webhooks are off.'),
  redeliver: {
    request: (fields) => verbRequest(SANDBOX_ADDRESSES.redeliver, text(fields, 'id')),
    notice: ({ eventType }: Delivery) => `Resending ${eventType}.`,
  },
  redeliverFailed: {
    request: () => verbRequest(SANDBOX_ADDRESSES.redeliverFailed),
    notice: ({ data }: { data: readonly Delivery[] }) =>
      data.length === 0
        ? { tone: 'plain', text: 'No webhook is failing.' }
        : `Resending ${counted(data.length, 'webhook')}.`,
  },
  emit: {
    request: (fields) =>
      verbRequest(SANDBOX_ADDRESSES.emit, {
        type: text(fields, 'type'),
        resourceId: text(fields, 'resourceId'),
      }),
    notice: ({ type }: { type: string }) => `The event ${type} was emitted.`,
  },
  clearOutbox: plain(SANDBOX_ADDRESSES.clearOutbox, 'The outbox is empty.'),
  clearRequests: plain(
    SANDBOX_ADDRESSES.clearRequests,
    'The journal is empty. New requests continue the numbers.',
  ),

  arm: {
    request: (fields) => ({
      ...verbRequest('replace' in fields ? SANDBOX_ADDRESSES.replaceBehaviors : SANDBOX_ADDRESSES.arm),
      yaml: text(fields, 'yaml') ?? '',
    }),
    notice: ({ data }: { data: readonly BehaviorDescription[] }, fields) =>
      `Armed: ${text(fields, 'title') ?? data.map(({ id, explained }) => `${id} (${explained})`).join('; ')}.`,
    leadsTo: (_, __, links) => links.page('behaviors'),
  },
  disarm: named(SANDBOX_ADDRESSES.disarm, 'id', (id) =>
    id === undefined ? 'All behaviors are disarmed.' : `${id} is disarmed.`,
  ),
  release: {
    request: (fields) => verbRequest(SANDBOX_ADDRESSES.release, text(fields, 'name')),
    notice: ({ data }: { data: readonly unknown[] }, fields) =>
      data.length === 0
        ? { tone: 'plain', text: `No request is waiting at the gate ${text(fields, 'name')}.` }
        : `${counted(data.length, 'request')} released from the gate ${text(fields, 'name')}.`,
  },

  approve: {
    request: (fields) => verbRequest(SANDBOX_ADDRESSES.buyer.approve, text(fields, 'id'), buyerOf(fields)),
    notice: ({ status }: { status: string }) => `The buyer approved. The checkout is ${status}.`,
  },
  decline: {
    request: (fields) => verbRequest(SANDBOX_ADDRESSES.buyer.decline, text(fields, 'id'), buyerOf(fields)),
    notice: ({ status }: { status: string }) =>
      `The bank declined the buyer. The checkout is still ${status}.`,
  },
  ...testerActs(),
} satisfies Record<string, DashboardAction>

function testerActs(): Record<TesterVerb, DashboardAction> {
  const rows = TESTER_ACTS.map(({ verb, kind, state, options, move }): [TesterVerb, DashboardAction] => [
    verb,
    {
      request(fields) {
        const address = verbNamed(SANDBOX_ADDRESSES, verb) as Verb
        const given = Object.keys(options.shape).map((option) => [option, text(fields, option)])
        return verbRequest(address, text(fields, 'id'), move ? undefined : Object.fromEntries(given))
      },
      notice: () => `The ${kind.replace('_', ' ')} was ${state}.`,
    },
  ])
  return Object.fromEntries(rows) as Record<TesterVerb, DashboardAction>
}

export type ActionName = keyof typeof ACTIONS

export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTIONS, name)

/** The most names that a notice lists: the latest. */
const LISTED = 50

function clockNotice(fields: Fields, now: string): string {
  if ('freeze' in fields) return `The clock was stopped at ${now}.`
  if ('resume' in fields) return 'The clock is running.'
  const by = Duration.safeParse(text(fields, 'advance'))
  if (by.success) return `Moved ${gapText(by.data)}. The clock is at ${now}.`
  return `The clock is at ${now}.`
}

// From form fields to arguments

const text = (fields: Fields, name: string): string | undefined => fields[name] || undefined

/** Digits become a number. Any other text stays, and `/_sim` refuses it. */
const numberOf = (text: string | undefined): unknown =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : text

const listOf = (text: string | undefined): string[] | undefined =>
  text === undefined
    ? undefined
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')

/** A sandbox's name, or one of its snapshots as `sandbox/snapshot`. */
function sourceOf(fields: Fields): unknown {
  const [sandbox, snapshot] = (text(fields, 'from') ?? '').split('/')
  if (!sandbox) return undefined
  return snapshot === undefined ? sandbox : { sandbox, snapshot }
}

const buyerOf = (fields: Fields) => ({ method: text(fields, 'method') })
