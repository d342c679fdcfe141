/** The journal as a tester asks it: which requests there were, picked by what they were about. */

import { z } from 'zod'
import type { Journal } from '../../service/gate/journal.ts'
import type { JournalEntry } from '../../service/gate/journal-entry.ts'
import { type AnswerLoss, arrivingUnder, CLIENT_LEFT } from '../../spec/contract/connection-fault.ts'
import { matchesOperation } from '../../spec/contract/endpoints.ts'
import { invalidParameter, notFound } from '../../spec/contract/errors.ts'
import { idKindOf, requestNumber } from '../../spec/contract/ids.ts'
import { fromMajor } from '../../spec/contract/money.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { escapeRegExp } from '../../spec/contract/reg-exp.ts'
import { instant } from '../../spec/options/values.ts'
import { RequestFilter } from './inputs.ts'
import { readParameters } from './read-input.ts'
import { RequestSummary } from './shapes.ts'

/** How many there are; the window is left out of account. */
export function countRequests(journal: Journal, given: RequestFilter): number {
  const { limit, cursor, ...filter } = readParameters(RequestFilter, given)
  const holds = conditions(filter)
  let count = 0
  for (const entry of journal.newestFirst()) if (holds.every((condition) => condition(entry))) count += 1
  return count
}

/** In the order of their arrival. */
export function pickRequests(journal: Journal, given: RequestFilter): RequestSummary[] {
  const filter = readParameters(RequestFilter, given)
  const holds = conditions(filter)
  const { limit = Number.POSITIVE_INFINITY } = filter
  const picked: JournalEntry[] = []
  for (const entry of journal.newestFirst()) {
    if (picked.length >= limit) break
    if (holds.every((condition) => condition(entry))) picked.push(entry)
  }
  return picked.reverse().map(summarize)
}

/** The latest requests in which one of the ids stands, in the order of their arrival: the journal is read once for all of them. */
export function requestsAbout(journal: Journal, ids: readonly string[], limit: number): RequestSummary[] {
  const anyOf = new RegExp(ids.map(escapeRegExp).join('|'))
  const picked: JournalEntry[] = []
  for (const entry of journal.newestFirst()) {
    if (picked.length >= limit) break
    const { target, body, events } = entry
    if (anyOf.test(target) || anyOf.test(body) || events.some(({ resourceId }) => ids.includes(resourceId)))
      picked.push(entry)
  }
  return picked.reverse().map(summarize)
}

export function findEntry(journal: Journal, id: string): JournalEntry {
  const entry = journal.find(id)
  if (!entry) throw notFound('Request')
  return entry
}

export const summarize = (entry: JournalEntry): RequestSummary => z.encode(RequestSummary, summaryOf(entry))

export const summaryOf = (entry: JournalEntry) => ({
  ...entry,
  fault: lossOf(entry),
  durationMs: entry.answeredAt === null ? null : Math.round(entry.durationMs * 100) / 100,
  verdict: entry.idempotency?.verdict ?? null,
  fired: entry.behaviors.filter(({ fired }) => fired).map(({ behavior }) => behavior),
  ...saidBy(entry),
})

const lossOf = ({ fault, clientLeft }: JournalEntry): AnswerLoss | null =>
  fault ?? (clientLeft ? CLIENT_LEFT : null)

/** What a row of a list tells of the two bodies; a body may be anything. */
function saidBy({ body, status, answer }: JournalEntry) {
  const { orderId, amount } = fieldsOf(body)
  const { message } = status !== null && status >= 400 ? fieldsOf(answer ?? '') : { message: null }
  return {
    orderId: typeof orderId === 'string' ? orderId : null,
    amount: typeof amount === 'number' && Number.isFinite(amount) ? amount : null,
    message: typeof message === 'string' ? message : null,
  }
}

const fieldsOf = (text: string): Record<string, unknown> =>
  text === '' ? {} : Object(parsedJson(text) ?? {})

type Condition = (entry: JournalEntry) => boolean

function conditions({
  op,
  status,
  key,
  method,
  resource,
  only,
  behavior,
  text,
  since,
  cursor,
}: z.output<typeof RequestFilter>): Condition[] {
  const found: Condition[] = []
  if (op !== undefined) {
    const isMeant = matchesOperation(op)
    found.push(({ operation }) => operation !== null && isMeant(operation))
  }
  if (status !== undefined) found.push(statusCondition(String(status)))
  if (key !== undefined) found.push((entry) => entry.key === key)
  if (method !== undefined) found.push((entry) => entry.method === method)
  if (resource !== undefined) found.push((entry) => isAbout(entry, resource))
  if (only !== undefined) found.push(only === 'broken' ? isLost : isFailing)
  if (behavior !== undefined)
    found.push(({ behaviors }) => behaviors.some((one) => one.fired && one.behavior === behavior))
  if (text !== undefined) found.push(textCondition(text))
  if (since !== undefined) found.push(sinceCondition(since))
  if (cursor !== undefined) found.push(numberCondition('cursor', cursor, (number, limit) => number < limit))
  return found
}

/** Ids cannot be guessed, so a request in which one stands is about it. */
const isAbout = (entry: JournalEntry, id: string) =>
  entry.target.includes(id) ||
  entry.body.includes(id) ||
  entry.events.some(({ resourceId }) => resourceId === id)

const isLost: Condition = ({ fault, clientLeft }) => clientLeft || arrivingUnder(fault) !== 'whole'

const isFailing: Condition = (entry) => isLost(entry) || (entry.status !== null && entry.status >= 400)

/** What is looked for stands at the beginning of a body; 10,000 long ones to their end would take a second. */
const SEARCHED_CHARS = 2_000

function textCondition(text: string): Condition {
  const part = text.toLowerCase()
  const amounts = amountsOf(text)
  const isIn = (long: string | null) => (long ?? '').slice(0, SEARCHED_CHARS).toLowerCase().includes(part)
  return ({ id, method, target, key, fault, body, status, answer, events, behaviors }) =>
    id === text ||
    isIn(`${method} ${target}`) ||
    isIn(key) ||
    isIn(body) ||
    (status !== null && status >= 400 && isIn(answer)) ||
    fault === part ||
    events.some(({ resourceId }) => isIn(resourceId)) ||
    behaviors.some(({ fired, behavior }) => fired && isIn(behavior)) ||
    (amounts.length > 0 && amounts.includes(amountIn(body)))
}

/** In cents, what a text may mean: dollars, and cents where it has no decimals. */
export function amountsOf(text: string): number[] {
  const digits = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,11})(\.\d{1,2})?$/.exec(text.trim())
  if (digits === null) return []
  const [, whole = '', decimals = ''] = digits
  const major = Number(whole.replaceAll(',', '') + decimals)
  return decimals === '' ? [fromMajor(major), major] : [fromMajor(major)]
}

function amountIn(body: string): number {
  const amount = /"amount"\s*:\s*(\d{1,12}(?:\.\d{1,2})?)\s*[,}]/.exec(body.slice(0, SEARCHED_CHARS))
  return amount === null ? Number.NaN : fromMajor(Number(amount[1]))
}

function statusCondition(status: string): Condition {
  if (status === 'none') return (entry) => entry.status === null
  const pattern = status.replace('xx', '')
  return (entry) => entry.status !== null && String(entry.status).startsWith(pattern)
}

function sinceCondition(since: string | number | Date): Condition {
  if (typeof since === 'string' && idKindOf(since) === 'request')
    return numberCondition('since', since, (number, limit) => number > limit)
  const from = instant(since, 'since')
  return (entry) => entry.arrivedAt >= from
}

/** Requests are numbered as they arrive. */
function numberCondition(
  name: string,
  id: string,
  holds: (number: number, limit: number) => boolean,
): Condition {
  const limit = requestNumber(id)
  if (Number.isNaN(limit)) throw invalidParameter(name, 'must be a request such as req_12')
  return (entry) => holds(requestNumber(entry.id), limit)
}

/** What a body says; null for one that is no JSON. */
export const bodyOf = ({ body }: JournalEntry): unknown => parsed(body)

export const parsed = (text: string): unknown => parsedJson(text) ?? null
