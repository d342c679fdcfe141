/** One request explained: its steps, which step answered and why, what it changed, and what followed. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { differences } from '../../sandbox/scenario-file/matcher.ts'
import { DOOR_STEPS, type DoorStep, type JournalEntry } from '../../service/door/journal-entry.ts'
import { counted } from '../../spec/contract/counted.ts'
import { statusName } from '../../spec/contract/errors.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Answered } from '../../spec/exchange.ts'
import { curlOfRequest } from '../../spec/typed.ts'
import { deliveryOf } from './history.ts'
import { parsed, summarize } from './requests.ts'
import { shownResource } from './resources.ts'
import type { RequestExplained } from './shapes.ts'

type Difference = RequestExplained['changes'][number]

export function explain(internals: Sandbox, entry: JournalEntry): RequestExplained {
  const before = entry.before && shownResource(internals, entry.before)
  const after = entry.after && shownResource(internals, entry.after)
  return {
    ...summarize(entry),
    summary: inWords(entry),
    steps: DOOR_STEPS.filter((step) => (step === 'outside /v1') === (entry.step === 'outside /v1')).map(
      (step) => ({ step, ...outcomeOf(entry, step) }),
    ),
    idempotency: idempotencyOf(entry),
    behaviors: [...entry.behaviors],
    request: sent(entry.asked),
    response: entry.answered && sent(entry.answered),
    before,
    after,
    changes: before && after ? changesBetween(before, after) : [],
    events: entry.events.map(({ id, type, resourceId }) => ({
      id,
      type,
      resourceId,
      deliveries: internals
        .committedStore()
        .deliveries.ofEvent(id)
        .map((row) => deliveryOf(internals, row)),
    })),
    curl: curlOfRequest(entry.origin + entry.asked.target, entry.asked).join(' '),
    bug: entry.bug,
  }
}

/** A body as sent, and its parsed value. */
const sent = ({ headers, body }: Pick<Answered, 'headers' | 'body'>) => ({
  headers: { ...headers },
  body,
  json: parsed(body),
})

// How far it got

function outcomeOf(entry: JournalEntry, step: DoorStep): Omit<RequestExplained['steps'][number], 'step'> {
  const place = DOOR_STEPS.indexOf(step) - DOOR_STEPS.indexOf(entry.step)
  if (place > 0) return { outcome: 'not reached', note: null }
  const outcome = place < 0 ? 'passed' : entry.answered === null ? 'under way' : 'answered'
  return { outcome, note: NOTES[step]?.(entry) ?? (outcome === 'answered' ? refusalOf(entry) : null) }
}

/** Details about a step, whether it answered or not. */
const NOTES: { [Name in DoorStep]?: (entry: JournalEntry) => string | null } = {
  'rate limit': ({ rateLimit }) =>
    rateLimit
      ? `${rateLimit.remaining} of ${rateLimit.limit} left until ${formatInstant(rateLimit.resetAt)}`
      : 'there is no limit',
  route: ({ operation }) => operation,
  'idempotency key syntax': ({ key }) => key,
  idempotency: ({ idempotency }) => idempotency?.verdict ?? null,
  behaviors: ({ behaviors }) =>
    behaviors
      .filter(({ fired }) => fired)
      .map(({ behavior, did }) => `${behavior} ${did}`)
      .join(', ') || null,
}

const refusalOf = ({ status, answered }: JournalEntry): string | null =>
  status !== null && status >= 400 ? messageOf(answered) : null

const messageOf = (answered: Answered | null): string => {
  const { message } = (parsed(answered?.body ?? '') ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : 'no message'
}

// Why, in words

export function inWords(entry: JournalEntry): string {
  const { answered, status, fault, clientLeftWhen } = entry
  if (answered === null) return `It is still in flight, at the step "${entry.step}".`
  const isLost = fault !== null && status !== null
  const lost = isLost ? ` The answer did not arrive as it was made: ${fault}.` : ''
  const left =
    clientLeftWhen === null ? '' : ` The client left ${clientLeftWhen}, and did not receive the answer.`
  return `${reason(entry)}${lost}${left}`
}

function reason({ answered, behaviors, events, idempotency, key, status, step }: JournalEntry): string {
  if (idempotency?.verdict === 'replayed') {
    const given =
      status === null
        ? 'the connection broke before the first response was sent again,'
        : 'the first response was sent again'
    return `The Idempotency-Key ${key} was first used ${at(idempotency.firstUsedAt)}; ${given} and nothing ran.`
  }
  if (idempotency?.verdict === 'reused with another body' && step === 'idempotency') {
    return `The Idempotency-Key ${key} was first used ${at(idempotency.firstUsedAt)} with another body; nothing ran.`
  }
  // None if the header x-sim was refused.
  const acted = step === 'behaviors' ? behaviors.findLast(({ fired }) => fired) : undefined
  if (acted) return `${acted.behavior} ${acted.did}, in the operation's place.`
  if (status === 500) return 'A bug: nothing was written, and the key is free.'
  if (status! >= 400) {
    const kept =
      step === 'operation' && idempotency?.verdict === 'first use' ? ' The key keeps this answer.' : ''
    const message = messageOf(answered)
    return `Refused at the step "${step}": ${message}${/[.?]$/.test(message) ? '' : '.'}${kept}`
  }
  if (events.length === 0) return 'Done; nothing changed.'
  return `Done: ${events.map(({ type, resourceId }) => `${type} (${resourceId})`).join(', ')}.`
}

const at = (ms: number) => `at ${formatInstant(ms)}`

function idempotencyOf({ idempotency }: JournalEntry): RequestExplained['idempotency'] {
  if (!idempotency) return null
  const { verdict } = idempotency
  const firstUsedAt = 'firstUsedAt' in idempotency ? formatInstant(idempotency.firstUsedAt) : null
  const bodies = 'recorded' in idempotency ? [idempotency.recorded, idempotency.given].map(parsed) : []
  return { verdict, firstUsedAt, differences: bodies.length > 0 ? changesBetween(bodies[0], bodies[1]) : [] }
}

const changesBetween = (first: unknown, now: unknown): Difference[] =>
  differences(first, now, { exact: true }).map(({ path, expected, received }) => ({
    path,
    first: expected,
    now: received,
  }))

// For a terminal

const NAME_COLUMN = 24

/** The same as a page of text. */
export function explanationText(explained: RequestExplained): string {
  const { id, arrivedAt, behaviors, changes, durationMs, events, idempotency, request, response } = explained
  const { status, subject } = explained
  const took = durationMs === null ? 'in flight' : `${durationMs} ms`
  return [
    `${id}  ${explained.method} ${explained.target} → ${status === null ? (explained.fault ?? '…') : `${status} ${statusWord(status)}`}`,
    `${arrivedAt}, ${took}\n${explained.summary}`,
    section(
      'Steps',
      explained.steps
        .filter(({ outcome }) => outcome !== 'not reached')
        .map(({ step, outcome, note }) => row(step, `${outcome}${note === null ? '' : `: ${note}`}`)),
    ),
    section('The first body and this one', idempotency ? differenceRows(idempotency.differences) : []),
    section(
      'Behaviors',
      behaviors.map(({ behavior, did, fired, why }) =>
        row(behavior, fired ? `${did}, as ${why}` : `did not act: ${why}`),
      ),
    ),
    section(`State of ${subject}`, differenceRows(changes)),
    section(
      'Events',
      events.flatMap(({ id: event, type, resourceId, deliveries }) => [
        row(type, `${resourceId}  ${event}`),
        ...deliveries.flatMap(deliveryRows),
      ]),
    ),
    section('Request', request.body === '' ? [] : [request.body]),
    section('Answer', response ? [response.body] : []),
    section('Again', [explained.curl]),
    section('Bug', explained.bug === null ? [] : explained.bug.split('\n')),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/**
 * How much the text shows: the latest lines, and the latest refused requests in full, so that it fits on a
 * few screens.
 */
const SHOWN_LINES = 50
const SHOWN_IN_FULL = 3

/**
 * The whole journal as text: a line for each request, and refused ones in full; if none was refused, the last
 * request in full.
 */
export function journalText(internals: Sandbox): string {
  const entries = [...internals.journal.newestFirst()].reverse()
  if (entries.length === 0) return 'No request came.'
  const shown = entries.slice(-SHOWN_LINES)
  const earlier = entries.length - shown.length
  const refused = entries.filter(({ status }) => status === null || status >= 400)
  const inFull = (refused.length > 0 ? refused : entries.slice(-1)).slice(-SHOWN_IN_FULL)
  return [
    [...(earlier > 0 ? [`… ${counted(earlier, 'earlier request')}`] : []), ...shown.map(journalLine)].join(
      '\n',
    ),
    ...inFull.map((entry) => explanationText(explain(internals, entry))),
  ].join(`\n\n${'─'.repeat(80)}\n`)
}

const journalLine = (entry: JournalEntry) =>
  `${entry.id}  ${entry.asked.method} ${entry.asked.target} → ${entry.status ?? entry.fault ?? '…'}  ${inWords(entry)}`

const section = (title: string, rows: readonly string[]): string =>
  rows.length === 0 ? '' : [title, ...rows.map((line) => `  ${line}`)].join('\n')

const row = (name: string, text: string) => `${name.padEnd(NAME_COLUMN)} ${text}`

const differenceRows = (found: readonly Difference[]) =>
  found.map(({ path, first, now }) => row(path, `${first} → ${now}`))

const deliveryRows = ({ id, status, attempts, nextAttemptAt }: Delivery) => [
  row('', `delivery ${id} ${status}${nextAttemptAt === null ? '' : `, next attempt ${nextAttemptAt}`}`),
  ...attempts.map(({ number, at: when, status: answered, error, durationMs, url }) =>
    row('', `  attempt ${number} ${when} ${url}: ${answered ?? error}, ${durationMs} ms`),
  ),
]

type Delivery = RequestExplained['events'][number]['deliveries'][number]

const statusWord = (status: number) => (status < 400 ? '' : statusName(status))
