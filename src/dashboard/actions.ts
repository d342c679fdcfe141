/**
 * What a tester can do here. Every form is a request of the tester's side, and the curl line beside it is written from
 * the same lines as the request that is sent: the dashboard can do nothing that a script cannot, and checks nothing that
 * is not checked there.
 */
import type { Links } from './links.ts'
import type { Notice } from './view.ts'
import { counted } from './words.ts'

/** A request of the tester's side. */
export interface ControlRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the sandbox that is looked at, or below the simulator. */
  path: string
  of?: 'sandbox' | 'simulator'
  json?: unknown
  yaml?: string
}

/** What was typed or chosen in a form. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

export interface DashboardAction {
  ask(fields: Fields): ControlRequest
  /** What is said when it is done. */
  told(answer: never, fields: Fields): string | Notice
  /** Where it leads, if not back to where it was asked. */
  leadsTo?(answer: never, fields: Fields, links: Links): string
}

export const ACTIONS = {
  clock: {
    ask: (fields) => {
      const json =
        'freeze' in fields
          ? { freeze: true }
          : 'resume' in fields
            ? { resume: true }
            : 'set' in fields
              ? { set: one(fields, 'set') }
              : { advance: one(fields, 'advance') }
      return { path: '/clock', json }
    },
    told: ({ now, happened }: { now: string; happened: Notice['list'] & {} }, fields) => ({
      tone: 'good',
      text: `${clockWords(fields, now)}${happened.length > 0 ? ` ${counted(happened.length, 'thing')} happened on the way:` : ''}`,
      list: happened.slice(-LISTED),
    }),
  },
  settle: {
    ask: () => ({ path: '/settle' }),
    told: () => 'Nothing is in flight, and nothing is due.',
  },

  reset: {
    ask: (fields) => ({ path: '/reset', json: { what: several(fields, 'what') } }),
    told: (_, fields) => `Started over: ${several(fields, 'what').join(', ')}.`,
  },
  snapshot: {
    ask: (fields) => ({ path: '/snapshots', json: given({ name: one(fields, 'name') }) }),
    told: ({ name }: { name: string }) => `The state is kept as ${name}.`,
  },
  restore: {
    ask: (fields) => ({ path: `/snapshots/${part(fields, 'name')}/restore` }),
    told: (_, fields) => `Everything is as it was in ${one(fields, 'name')}.`,
  },
  forgetSnapshot: {
    ask: (fields) => ({ method: 'DELETE', path: `/snapshots/${part(fields, 'name')}` }),
    told: (_, fields) => `The snapshot ${one(fields, 'name')} is gone.`,
  },
  createSandbox: {
    ask: (fields) => ({
      of: 'simulator',
      path: '/sandboxes',
      json: given({ name: one(fields, 'name'), from: sourceOf(fields), clock: one(fields, 'clock') }),
    }),
    told: ({ name }: { name: string }) => `The sandbox ${name} is there. This is it.`,
    leadsTo: ({ name }: { name: string }, _, links) => links.sandbox(name),
  },
  removeSandbox: {
    ask: (fields) => ({ of: 'simulator', method: 'DELETE', path: `/sandboxes/${part(fields, 'name')}` }),
    told: (_, fields) => `The sandbox ${one(fields, 'name')} is gone.`,
    leadsTo: (_, __, links) => links.ofDefault('sandboxes'),
  },

  setWebhook: {
    ask: (fields) => ({
      method: 'PUT',
      path: '/webhook',
      json: given({ url: one(fields, 'url'), events: listOf(one(fields, 'events')) }),
    }),
    told: ({ url }: { url: string }) => `Events are delivered to ${url}.`,
  },
  removeWebhook: {
    ask: () => ({ method: 'DELETE', path: '/webhook' }),
    told: () => 'Nothing is delivered any more.',
  },
  redeliver: {
    ask: (fields) => ({ path: `/deliveries/${part(fields, 'id')}/redeliver` }),
    told: () => 'The event is delivered once more.',
  },
  emit: {
    ask: (fields) => ({
      path: '/events',
      json: { type: one(fields, 'type'), resourceId: one(fields, 'resourceId') },
    }),
    told: ({ type }: { type: string }) => `${type} was told once more.`,
  },
  clearOutbox: {
    ask: () => ({ method: 'DELETE', path: '/outbox' }),
    told: () => 'The outbox is empty.',
  },
  clearRequests: {
    ask: () => ({ method: 'DELETE', path: '/requests' }),
    told: () => 'The requests are forgotten. Their numbers go on.',
  },

  arm: {
    ask: (fields) => ({
      method: 'replace' in fields ? 'PUT' : 'POST',
      path: '/behaviors',
      yaml: one(fields, 'yaml') ?? '',
    }),
    told: ({ data }: { data: readonly unknown[] }) => `${counted(data.length, 'behavior')} armed.`,
    leadsTo: (_, __, links) => links.page('behaviors'),
  },
  disarm: {
    ask: (fields) => ({
      method: 'DELETE',
      path: 'id' in fields ? `/behaviors/${part(fields, 'id')}` : '/behaviors',
    }),
    told: (_, fields) =>
      'id' in fields ? `${one(fields, 'id')} is disarmed.` : 'Nothing is armed any more.',
  },
  release: {
    ask: (fields) => ({ path: `/gates/${part(fields, 'name')}/release` }),
    told: ({ data }: { data: readonly unknown[] }, fields) =>
      data.length === 0
        ? { tone: 'plain', text: `Nobody stands at ${one(fields, 'name')}.` }
        : `${counted(data.length, 'request')} let go at ${one(fields, 'name')}.`,
  },

  approve: {
    ask: (fields) => ({ path: `/checkouts/${part(fields, 'id')}/approve`, json: wishOf(fields) }),
    told: ({ status }: { status: string }) => `The buyer has approved: the checkout is ${status}.`,
  },
  decline: {
    ask: (fields) => ({ path: `/checkouts/${part(fields, 'id')}/decline`, json: wishOf(fields) }),
    told: ({ status }: { status: string }) => `The buyer was declined; the checkout is still ${status}.`,
  },
  attach: {
    ask: (fields) => ({
      path: `/customers/${part(fields, 'id')}/payment-methods`,
      json: given({ type: one(fields, 'type') }),
    }),
    told: ({ type }: { type: string }) =>
      `Staging's ${type === 'card' ? 'test card' : 'test bank account'} is attached.`,
  },
  complete: {
    ask: (fields) => ({ path: `/refunds/${part(fields, 'id')}/complete` }),
    told: () => 'The refund is completed.',
  },
} satisfies Record<string, DashboardAction>

export type ActionName = keyof typeof ACTIONS

export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTIONS, name)

/** More than anybody reads in a notice. */
const LISTED = 50

function clockWords(fields: Fields, now: string): string {
  if ('freeze' in fields) return `The clock stands still at ${now}.`
  if ('resume' in fields) return 'The clock runs.'
  return `It is ${now} now.`
}

// From fields to what is asked

const one = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  const text = typeof value === 'string' ? value : value?.[0]
  return text === '' ? undefined : text
}

const several = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name] ?? []
  return typeof value === 'string' ? [value] : value
}

const part = (fields: Fields, name: string): string => encodeURIComponent(one(fields, name) ?? '')

/** What was left empty is left out. */
const given = (json: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined))

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

const wishOf = (fields: Fields) =>
  given({
    method: one(fields, 'method'),
    applicant: one(fields, 'applicant'),
    lastFour: one(fields, 'lastFour'),
  })
