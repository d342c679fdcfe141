/**
 * The forms that change a sandbox. Each is one verb of the tester's API, and the result has its request as a curl command, so that
 * a script can do the same. Only resending a request is not a verb: it is a request to /v1 (again.tsx).
 */

import type { z } from 'zod'
import type { LocatedProblem } from '../../sandbox/scenario-file/source-file.ts'
import { counted } from '../../spec/contract/counted.ts'
import { Duration } from '../../spec/contract/duration.ts'
import { TESTER_ACTS, type TesterVerb } from '../../spec/contract/resources/by-tester.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import { typedValue } from '../../spec/options/option.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES } from '../../tester/control/addresses.ts'
import { SANDBOX_ROUTES } from '../../tester/control/sandbox-verbs.ts'
import type { BehaviorDescription, Delivery, Happening } from '../../tester/control/shapes.ts'
import { named, type Verb, type VerbRequest, verbRequest } from '../../tester/control/verb.ts'
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
  /** The next page; default: the form's own page. */
  to?: string
  /** The fields of a refused form, which the next page shows again, with its action. */
  typed?: Fields
}

/** The sentence that the next page shows, or more than a sentence. */
type Notice = string | ((answer: never, fields: Fields) => string | Omit<ActionResult, 'curl'>)

const nothing = (text: string) => ({ tone: 'plain', text }) as const

/** The verbs that have a form. */
export const ACTIONS = {
  'clock.advance': (answer: ClockAnswer, { advance = '' }) => {
    const by = Duration.safeParse(advance)
    return moved(answer, by.success ? `Moved ${gapText(by.data)}. ` : '')
  },
  'clock.set': (answer: ClockAnswer) => moved(answer),
  'clock.freeze': ({ now }: ClockAnswer) => `The clock was stopped at ${now}.`,
  'clock.resume': 'The clock is running.',
  settle: 'Nothing is in flight, and nothing is due.',

  reset: 'The sandbox was reset.',
  snapshot: ({ name }: { name: string }) => `The snapshot ${name} was taken.`,
  restore: (_, { name }) => `The snapshot ${name} was restored.`,
  'snapshots.remove': (_, { name }) => `The snapshot ${name} was removed.`,
  'sandboxes.create': ({ name }: { name: string }) => ({
    tone: 'good',
    text: `The sandbox ${name} was created. This page shows it.`,
    to: linksOf(name).base,
  }),
  'sandboxes.remove': (_, { sandbox }) => ({
    tone: 'good',
    text: `The sandbox ${sandbox} was removed.`,
    to: linksOf(DEFAULT_SANDBOX).page('sandboxes'),
  }),
  configure: 'The settings were changed. They apply from the next request on.',

  'webhook.put': ({ url }: { url: string }) => `Events are delivered to ${url}.`,
  'webhook.remove': 'The endpoint was removed, so webhooks are off.',
  redeliver: ({ eventType }: Delivery) => `Resending ${eventType}.`,
  redeliverFailed: ({ data }: { data: readonly Delivery[] }) =>
    data.length === 0 ? nothing('No webhook is failing.') : `Resending ${counted(data.length, 'webhook')}.`,
  emit: ({ type }: { type: string }) => `The event ${type} was emitted.`,
  clearOutbox: 'The outbox is empty.',
  clearRequests: 'The journal is empty. New requests continue the numbers.',

  arm: armed,
  replaceBehaviors: armed,
  disarm: (_, { id }) => (id === undefined ? 'All behaviors are disarmed.' : `${id} is disarmed.`),
  release: ({ data }: { data: readonly unknown[] }, { name }) =>
    data.length === 0
      ? nothing(`No request is waiting at the gate ${name}.`)
      : `${counted(data.length, 'request')} released from the gate ${name}.`,

  'buyer.approve': ({ status }: { status: string }) => `The buyer approved. The checkout is ${status}.`,
  'buyer.decline': ({ status }: { status: string }) =>
    `The bank declined the buyer. The checkout is still ${status}.`,
  ...(Object.fromEntries(
    TESTER_ACTS.map(({ verb, kind, state }) => [verb, `The ${kind.replace('_', ' ')} was ${state}.`]),
  ) as Record<TesterVerb, string>),
} satisfies Record<string, Notice>

export type ActionName = keyof typeof ACTIONS

/** For actions that cannot be undone, whose buttons are folded behind the sentence. */
export const WARNINGS: Readonly<Partial<Record<ActionName, string>>> = {
  reset: 'This cannot be undone. Take a snapshot first to be able to return to this state.',
  restore: 'Everything that is not in a snapshot is lost.',
  'snapshots.remove': 'This cannot be undone.',
  'sandboxes.remove': 'Its data and snapshots cannot be restored.',
  'webhook.remove': 'Deliveries stop, and a signing secret set for this endpoint is deleted.',
  clearOutbox: 'The messages cannot be restored.',
  clearRequests: 'Its requests cannot be restored. Resources, events and messages stay.',
}

export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTIONS, name)

export function resultOf(action: ActionName, answer: unknown, fields: Fields): ActionResult {
  const notice: Notice = ACTIONS[action]
  const said = typeof notice === 'string' ? notice : notice(answer as never, fields)
  return typeof said === 'string' ? { tone: 'good', text: said } : said
}

interface Refusal {
  message: string
  /** The mistakes in a YAML text. */
  problems?: readonly LocatedProblem[]
}

export function refusedForm({ message, problems }: Refusal, typed: Fields): ActionResult {
  const lines = problems?.map(({ line, column, message }) => `Line ${line}, column ${column}: ${message}`)
  return { tone: 'wait', text: asSentence(lines?.join('\n') ?? message), typed }
}

interface ClockAnswer {
  now: string
  happened: readonly Happening[]
}

/** The most names that a notice lists: the latest. */
const LISTED = 50

function moved({ now, happened }: ClockAnswer, by = ''): ActionResult {
  const failed = happened.filter(({ what }) => what === 'webhook.attempt_failed').length
  const text = `${by}The clock is at ${now}.`
  const list = happened.slice(-LISTED)
  if (failed === 0) return { tone: 'good', text, list }
  const more = { text: 'Failing webhooks', page: 'webhooks', query: { delivery: 'failing' } }
  return { tone: 'wait', text: `${text} ${counted(failed, 'webhook')} failed.`, list, more }
}

function armed({ data }: { data: readonly BehaviorDescription[] }, { title }: Fields): string {
  return `Armed: ${title ?? data.map(({ id, explained }) => `${id} (${explained})`).join('; ')}.`
}

const VERBS = { ...SANDBOX_ADDRESSES, sandboxes: SIMULATOR_ADDRESSES }

/** The request of a form: each argument of its verb is the field of that name, and the body has the other fields. */
export function controlRequestOf(action: ActionName, fields: Fields): ControlRequest {
  const verb = named(VERBS, action) as Verb
  const of = action.startsWith('sandboxes.') ? 'simulator' : 'sandbox'
  if ('yaml' in fields) return { ...verbRequest(verb), yaml: fields.yaml! }
  const names = verb.args.map((place) => /\w+(?=\??\}?$)/.exec(place)![0])
  const route = SANDBOX_ROUTES.find(({ method, path }) => method === verb.method && path === verb.path)
  const shape = (route?.body as z.ZodObject | undefined)?.shape ?? {}
  const body = Object.entries(fields).flatMap(([name, text]) =>
    text === '' || names.includes(name) ? [] : [[name, argumentOf(name, text, shape[name])] as const],
  )
  const values = verb.args.map((place, index) => {
    if (place === 'body') return body.length === 0 ? undefined : Object.fromEntries(body)
    return fields[names[index]!] || undefined
  })
  return { of, ...verbRequest(verb, ...values) }
}

function argumentOf(name: string, text: string, schema: z.ZodType | undefined): unknown {
  // Otherwise the name of a sandbox.
  if (name === 'from' && text.includes('/')) {
    const [sandbox, snapshot] = text.split('/')
    return { sandbox, snapshot }
  }
  return schema ? typedValue(schema, text) : text
}
