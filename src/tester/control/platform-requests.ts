/** The requests of a sandbox's platform for the audit, in the default words, which the rules use. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import type { Resource } from '../../service/operations/unit.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import { type Cents, fromMajor } from '../../spec/contract/money.ts'
import { SENT_AGAIN } from '../../spec/contract/tester.ts'
import { type Translation, translationOf } from '../../spec/contract/translation.ts'
import { callOf, type JournaledRequest, saysMore } from '../audit/picture.ts'
import { ownBodyOf, parsed } from './requests.ts'

/** In order of arrival. Each answered request is read once, while the contract is the same. */
export function platformRequests() {
  let known = new WeakMap<JournalEntry, JournaledRequest>()
  let knownUnder: Contract | undefined
  return ({ journal, contract }: Sandbox): JournaledRequest[] => {
    if (knownUnder !== contract) known = new WeakMap()
    knownUnder = contract
    const words = translationOf(contract)
    const requests: JournaledRequest[] = []
    for (const entry of journal.newestFirst()) {
      if (!isOfPlatform(entry)) continue
      const request = known.get(entry) ?? requestOf(entry, words)
      if (request.answeredAt !== null) known.set(entry, request)
      requests.push(request)
    }
    return requests.reverse()
  }
}

/** Excludes requests resent by a tester. No rule is about requests outside /v1, so a run with no others is not judged. */
const isOfPlatform = ({ asked, step }: JournalEntry) =>
  step !== 'outside /v1' && !asked.headers['user-agent']?.startsWith(SENT_AGAIN)

const NO_QUERY = new URLSearchParams()

function requestOf(entry: JournalEntry, words: Translation | undefined): JournaledRequest {
  const { method, headers } = entry.asked
  const { target } = words?.ownCall(entry.asked) ?? entry.asked
  const body = ownBodyOf(entry)
  const asked = { method, target, headers, body }
  const answered = entry.answered && {
    ...entry.answered,
    body: words?.text(entry.operation, entry.answered.status, entry.answered.body) ?? entry.answered.body,
  }
  const { id, number, stateNumber, operation, subject, key, status, fault, clientLeft } = entry
  const { at, answeredAt, took, ending, idempotency, events } = entry
  const queryAt = target.indexOf('?')
  const json = (body === '' ? {} : (parsed(body) ?? {})) as Readonly<Record<string, unknown>>
  const retryAfter = answered?.headers['retry-after']
  return {
    ...{ id, number, stateNumber, operation, subject, key, status, fault, clientLeft },
    ...{ at, answeredAt, took, ending, asked, answered, json },
    call: callOf({ stateNumber, asked, operation, json }),
    path: queryAt === -1 ? target : target.slice(0, queryAt),
    query: queryAt === -1 ? NO_QUERY : new URLSearchParams(target.slice(queryAt)),
    verdict: idempotency?.verdict ?? null,
    hasMore: saysMore(answered?.body),
    retryAfterMs: retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null,
    begunMs: entry.begunAt,
    amount: amountOf(json.amount) ?? amountOfResource(entry.after ?? entry.before),
    events: events.map(({ id }) => id),
  }
}

export const amountOf = (major: unknown): Cents | null =>
  typeof major === 'number' && major >= 0 && major < Number.MAX_SAFE_INTEGER / 100 ? fromMajor(major) : null

/** The amount of a resource, which is in cents in the code. */
const amountOfResource = (resource: Resource | null): Cents | null =>
  (resource?.row as { amount?: Cents } | undefined)?.amount ?? null
