/**
 * What a tester can do here. Every form is a verb, and the curl line beside it shows the request that is sent: the dashboard
 * can do nothing that a script cannot, and the values are checked where a script's are.
 */
import { type VerbRequest, verbRequest } from '../control/verb.ts'
import { SANDBOX_VERBS, SIMULATOR_VERBS } from '../control/verbs.ts'
import type { Links } from './links.ts'
import type { Notice } from './view.ts'
import { counted } from './words.ts'

/** A request of the tester's side. */
export interface ControlRequest extends VerbRequest {
  /** What its path is below; the sandbox that the page shows, if left out. */
  of?: 'sandbox' | 'simulator'
  /** The body, where it is no JSON. */
  yaml?: string
}

/** What was typed or chosen in a form. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

export interface DashboardAction {
  request(fields: Fields): ControlRequest
  /** The text shown when it is done. */
  notice(answer: never, fields: Fields): string | Notice
  /** The page shown next, if not the one with the form. */
  leadsTo?(answer: never, fields: Fields, links: Links): string
}

export const ACTIONS = {
  clock: {
    request: (fields) => {
      const { clock } = SANDBOX_VERBS
      if ('freeze' in fields) return verbRequest(clock.freeze)
      if ('resume' in fields) return verbRequest(clock.resume)
      if ('set' in fields) return verbRequest(clock.set, one(fields, 'set'))
      return verbRequest(clock.advance, one(fields, 'advance'))
    },
    notice: ({ now, happened }: { now: string; happened: Notice['list'] & {} }, fields) => ({
      tone: 'good',
      text: `${clockWords(fields, now)}${happened.length > 0 ? ` ${counted(happened.length, 'thing')} happened on the way:` : ''}`,
      list: happened.slice(-LISTED),
    }),
  },
  settle: {
    request: () => verbRequest(SANDBOX_VERBS.settle),
    notice: () => 'Nothing is in flight, and nothing is due.',
  },

  reset: {
    request: (fields) => verbRequest(SANDBOX_VERBS.reset, { what: several(fields, 'what') }),
    notice: (_, fields) => `Started over: ${several(fields, 'what').join(', ')}.`,
  },
  snapshot: {
    request: (fields) => verbRequest(SANDBOX_VERBS.snapshot, one(fields, 'name')),
    notice: ({ name }: { name: string }) => `The state is kept as ${name}.`,
  },
  restore: {
    request: (fields) => verbRequest(SANDBOX_VERBS.restore, one(fields, 'name')),
    notice: (_, fields) => `Everything is as it was in ${one(fields, 'name')}.`,
  },
  forgetSnapshot: {
    request: (fields) => verbRequest(SANDBOX_VERBS.snapshots.remove, one(fields, 'name')),
    notice: (_, fields) => `The snapshot ${one(fields, 'name')} is gone.`,
  },
  createSandbox: {
    request: (fields) => ({
      of: 'simulator',
      ...verbRequest(SIMULATOR_VERBS.create, {
        name: one(fields, 'name'),
        from: sourceOf(fields),
        clock: one(fields, 'clock'),
      }),
    }),
    notice: ({ name }: { name: string }) => `The sandbox ${name} is there. This is it.`,
    leadsTo: ({ name }: { name: string }, _, links) => links.sandbox(name),
  },
  removeSandbox: {
    request: (fields) => ({ of: 'simulator', ...verbRequest(SIMULATOR_VERBS.remove, one(fields, 'name')) }),
    notice: (_, fields) => `The sandbox ${one(fields, 'name')} is gone.`,
    leadsTo: (_, __, links) => links.ofDefault('sandboxes'),
  },

  setWebhook: {
    request: (fields) =>
      verbRequest(SANDBOX_VERBS.webhook.put, {
        url: one(fields, 'url'),
        events: listOf(one(fields, 'events')),
      }),
    notice: ({ url }: { url: string }) => `Events are delivered to ${url}.`,
  },
  removeWebhook: {
    request: () => verbRequest(SANDBOX_VERBS.webhook.remove),
    notice: () => 'Nothing is delivered any more.',
  },
  redeliver: {
    request: (fields) => verbRequest(SANDBOX_VERBS.redeliver, one(fields, 'id')),
    notice: () => 'The event is delivered once more.',
  },
  emit: {
    request: (fields) =>
      verbRequest(SANDBOX_VERBS.emit, { type: one(fields, 'type'), resourceId: one(fields, 'resourceId') }),
    notice: ({ type }: { type: string }) => `${type} was told once more.`,
  },
  clearOutbox: {
    request: () => verbRequest(SANDBOX_VERBS.clearOutbox),
    notice: () => 'The outbox is empty.',
  },
  clearRequests: {
    request: () => verbRequest(SANDBOX_VERBS.clearRequests),
    notice: () => 'The requests are forgotten. Their numbers go on.',
  },

  arm: {
    request: (fields) => ({
      ...verbRequest('replace' in fields ? SANDBOX_VERBS.replaceBehaviors : SANDBOX_VERBS.arm),
      yaml: one(fields, 'yaml') ?? '',
    }),
    notice: ({ data }: { data: readonly unknown[] }) => `${counted(data.length, 'behavior')} armed.`,
    leadsTo: (_, __, links) => links.page('behaviors'),
  },
  disarm: {
    request: (fields) => verbRequest(SANDBOX_VERBS.disarm, one(fields, 'id')),
    notice: (_, fields) =>
      'id' in fields ? `${one(fields, 'id')} is disarmed.` : 'Nothing is armed any more.',
  },
  release: {
    request: (fields) => verbRequest(SANDBOX_VERBS.release, one(fields, 'name')),
    notice: ({ data }: { data: readonly unknown[] }, fields) =>
      data.length === 0
        ? { tone: 'plain', text: `Nobody stands at ${one(fields, 'name')}.` }
        : `${counted(data.length, 'request')} let go at ${one(fields, 'name')}.`,
  },

  approve: {
    request: (fields) => verbRequest(SANDBOX_VERBS.buyer.approve, one(fields, 'id'), buyerOf(fields)),
    notice: ({ status }: { status: string }) => `The buyer has approved: the checkout is ${status}.`,
  },
  decline: {
    request: (fields) => verbRequest(SANDBOX_VERBS.buyer.decline, one(fields, 'id'), buyerOf(fields)),
    notice: ({ status }: { status: string }) => `The buyer was declined; the checkout is still ${status}.`,
  },
  attach: {
    request: (fields) =>
      verbRequest(SANDBOX_VERBS.paymentMethods.attach, one(fields, 'id'), { type: one(fields, 'type') }),
    notice: ({ type }: { type: string }) =>
      `Staging's ${type === 'card' ? 'test card' : 'test bank account'} is attached.`,
  },
  complete: {
    request: (fields) => verbRequest(SANDBOX_VERBS.refunds.complete, one(fields, 'id')),
    notice: () => 'The refund is completed.',
  },
} satisfies Record<string, DashboardAction>

export type ActionName = keyof typeof ACTIONS

export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTIONS, name)

/** A notice lists at most so many. */
const LISTED = 50

function clockWords(fields: Fields, now: string): string {
  if ('freeze' in fields) return `The clock stands still at ${now}.`
  if ('resume' in fields) return 'The clock runs.'
  return `It is ${now} now.`
}

// From a form's fields to arguments

const one = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  const text = typeof value === 'string' ? value : value?.[0]
  return text === '' ? undefined : text
}

const several = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name] ?? []
  return typeof value === 'string' ? [value] : value
}

const listOf = (text: string | undefined): string[] | undefined =>
  text === undefined
    ? undefined
    : text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')

/** A sandbox's name, or one of its snapshots as `sandbox/snapshot`. */
function sourceOf(fields: Fields): unknown {
  const [sandbox, snapshot] = (one(fields, 'from') ?? '').split('/')
  if (!sandbox) return undefined
  return snapshot === undefined ? sandbox : { sandbox, snapshot }
}

const buyerOf = (fields: Fields) => ({
  method: one(fields, 'method'),
  applicant: one(fields, 'applicant'),
  lastFour: one(fields, 'lastFour'),
})
