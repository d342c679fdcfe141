/** The journal for testers: the requests that match a filter. */

import { z } from 'zod'
import type { Journal } from '../../service/door/journal.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import { found } from '../../spec/contract/errors.ts'
import { changedJson } from '../../spec/contract/json-text.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { readParameters } from './read-input.ts'
import { askedConditions, isAbout, isStubbed, RequestFilter } from './request-filter.ts'
import { RequestSummary } from './shapes.ts'

/** The number of matches, regardless of the window. */
export function countRequests(journal: Journal, given: RequestFilter): number {
  const { limit, cursor, ...filter } = readParameters(RequestFilter, given)
  return latestOf(journal, askedConditions(filter)).length
}

/** In order of arrival. */
export function pickRequests(journal: Journal, given: RequestFilter): RequestSummary[] {
  const filter = readParameters(RequestFilter, given)
  return latestOf(journal, askedConditions(filter), filter.limit).map(summarize)
}

/** The latest requests about one of these, in order of arrival: the journal is read once for all of them. */
export const requestsAbout = (journal: Journal, ids: readonly string[], limit: number): RequestSummary[] =>
  latestOf(journal, [isAbout(ids)], limit).map(summarize)

/** The latest entries for which all of these hold, in order of arrival. */
function latestOf(
  journal: Journal,
  conditions: readonly ((entry: JournalEntry) => boolean)[],
  limit = Number.POSITIVE_INFINITY,
): JournalEntry[] {
  const picked: JournalEntry[] = []
  for (const entry of journal.newestFirst()) {
    if (picked.length >= limit) break
    if (conditions.every((holds) => holds(entry))) picked.push(entry)
  }
  return picked.reverse()
}

export const findEntry = (journal: Journal, id: string): JournalEntry => found(journal.find(id), 'Request')

export const summarize = (entry: JournalEntry): RequestSummary =>
  z.encode(RequestSummary, {
    ...entry,
    ...entry.asked,
    status: entry.status,
    arrivedAt: entry.at,
    fault: entry.ending,
    durationMs: entry.answeredAt === null ? null : Math.round(entry.took * 100) / 100,
    verdict: entry.idempotency?.verdict ?? null,
    fired: entry.behaviors.filter(({ fired }) => fired).map(({ behavior }) => behavior),
    stub: stubOf(entry),
    ...saidBy(entry),
  })

const stubOf = (entry: JournalEntry): RequestSummary['stub'] => {
  if (!isStubbed(entry)) return null
  return 'x-sim-forwarded-to' in (entry.answered?.headers ?? {}) ? 'forwarded' : 'answered'
}

/** A list row's summary of the two bodies, which may be anything. */
function saidBy(entry: JournalEntry) {
  const { status, answered } = entry
  const { orderId, amount } = jsonFields(ownBodyOf(entry))
  const { message } = status !== null && status >= 400 ? jsonFields(answered!.body) : { message: null }
  return {
    orderId: typeof orderId === 'string' ? orderId : null,
    amount: typeof amount === 'number' && Number.isFinite(amount) ? amount : null,
    message: typeof message === 'string' ? message : null,
  }
}

export const jsonFields = (text: string): Record<string, unknown> =>
  text === '' ? {} : Object(parsedJson(text) ?? {})

/** The body of a request in the default words. */
export const ownBodyOf = ({ asked, readBody }: JournalEntry): string =>
  readBody ? changedJson(asked.body, (body) => (isObject(body) ? readBody(body) : body)) : asked.body

export const parsed = (text: string): unknown => parsedJson(text) ?? null
