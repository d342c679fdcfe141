/** The picture of a sandbox that its platform's conduct is judged by. */

import { type Conduct, judgeConduct } from '../conduct/judge.ts'
import type { Picture } from '../conduct/picture.ts'
import { invalidParameter } from '../contract/errors.ts'
import { type Cents, fromMajor } from '../contract/money.ts'
import { SENT_AGAIN } from '../contract/tester.ts'
import { type Translation, translationOf } from '../contract/translation.ts'
import type { JournalEntry } from '../gate/journal.ts'
import type { Resource } from '../operations/resources.ts'
import type { ConductOptions } from '../options/sandbox.ts'
import { IgnoredRules } from '../options/values.ts'
import type { Do } from '../scenario-file/behavior.ts'
import { readParameters } from './input.ts'
import { ConductAsked } from './inputs.ts'
import type { SandboxInternals } from './internals.ts'
import { parsed } from './requests.ts'

export function conductOf(internals: SandboxInternals, asked: ConductOptions): Conduct {
  const given = readParameters(ConductAsked, asked)
  const ignore = IgnoredRules.safeParse(given.ignore ?? {})
  if (!ignore.success) throw invalidParameter('ignore', ignore.error.issues[0]!.message)
  return judgeConduct(pictureOf(internals), { ...internals.config.conduct.ignore, ...ignore.data })
}

const ALL = { limit: Number.MAX_SAFE_INTEGER - 1 }

/** Read from the tables as they are: a delivery as the tester sees it would cost ten times as much. */
function pictureOf({ store, journal, behaviors, config, contract }: SandboxInternals): Picture {
  const entries = [...journal.newestFirst()].filter(isOfPlatform).reverse()
  const acted = behaviors.backgroundResults().filter(({ fired }) => fired)
  const subjectsWhere = (holds: (words: Do) => boolean) =>
    acted.filter(({ words }) => holds(words)).map(({ subject }) => subject)
  const declinedCredit = store.applications
    .list(ALL)
    .data.filter(({ decision }) => decision?.approved === false)
    .map(({ checkoutId }) => checkoutId)
  const pendingRefunds = new Set(store.refunds.list({ ...ALL, status: 'pending' }).data.map(({ id }) => id))
  return {
    requests: entries.map((entry) => requestOf(entry, translationOf(contract))),
    forgotten: journal.forgotten,
    stateNumber: journal.stateNumber,
    deliveries: store.deliveries
      .list(ALL)
      .data.reverse()
      .map((row) => {
        const event = store.events.find(row.eventId)!
        const { data } = JSON.parse(event.body) as { data: { amount?: unknown } }
        return {
          id: row.id,
          eventId: row.eventId,
          eventNumber: store.events.placeOf(row.eventId)!,
          eventType: event.type,
          resourceId: event.resourceId,
          eventAt: event.createdAt,
          status: row.status,
          attempts: store.deliveries.attemptsOf(row.id),
          signatureFault: behaviors.signatureFaultOf(row.eventId) ?? null,
          amount: amountOf(data.amount),
        }
      }),
    completedRefunds: store.refunds
      .list({ ...ALL, status: 'completed' })
      .data.flatMap((refund) =>
        refund.completedAt === null ? [] : { ...refund, completedAt: refund.completedAt },
      ),
    openAuthorizations: store.authorizations.list({ ...ALL, status: 'authorized' }).data,
    openCheckouts: ['pending', 'approved'].flatMap((status) => store.checkouts.list({ ...ALL, status }).data),
    droppedEvents: subjectsWhere((words) => 'webhook' in words && words.webhook.drop === true).filter(
      (event) => store.deliveries.ofEvent(event).length === 0,
    ),
    declinedCheckouts: [...new Set([...declinedCredit, ...subjectsWhere((words) => 'decision' in words)])],
    stuckRefunds: subjectsWhere((words) => 'transition' in words && words.after === 'never').filter(
      (refund) => pendingRefunds.has(refund),
    ),
    apiKey: config.apiKey,
    keyRetentionMs: contract.keyRetentionMs,
  }
}

/** What a tester sends again by hand says nothing about the platform. */
const isOfPlatform = ({ headers }: JournalEntry) => !headers['user-agent']?.startsWith(SENT_AGAIN)

/** In the words of the defaults, which the rules know. */
function requestOf(entry: JournalEntry, words: Translation | undefined): Picture['requests'][number] {
  const { method, status, answer } = entry
  const { target } = words?.ownCall(entry) ?? entry
  const { body, answeredAt, begunAt, durationMs, answerHeaders, idempotency, events } = entry
  const question = target.indexOf('?')
  const json = (body === '' ? {} : (parsed(body) ?? {})) as Readonly<Record<string, unknown>>
  const retryAfter = answerHeaders['retry-after']
  return {
    id: entry.id,
    stateNumber: entry.stateNumber,
    method,
    path: question === -1 ? target : target.slice(0, question),
    query: new URLSearchParams(question === -1 ? '' : target.slice(question)),
    target,
    operation: entry.operation,
    subject: entry.subject,
    key: entry.key,
    verdict: idempotency?.verdict ?? null,
    body,
    json,
    status,
    answer: answer === null ? null : (words?.text(answer, status ?? undefined) ?? answer),
    retryAfterMs: retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null,
    arrivedAt: entry.arrivedAt,
    answeredAt,
    begunMs: begunAt,
    endedMs: begunAt + durationMs,
    fault: entry.fault,
    clientLeft: entry.clientLeft,
    amount: amountOf(json.amount) ?? amountOfResource(entry.after ?? entry.before),
    events: events.map(({ id }) => id),
  }
}

const amountOf = (major: unknown): Cents | null =>
  typeof major === 'number' && major >= 0 && major < Number.MAX_SAFE_INTEGER / 100 ? fromMajor(major) : null

/** Inside it is in cents already. */
const amountOfResource = (resource: Resource | null): Cents | null =>
  (resource?.row as { amount?: Cents } | undefined)?.amount ?? null
