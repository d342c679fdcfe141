/** The picture of a sandbox that its platform's conduct is judged by. */

import { type Conduct, conductOf, type Judgment, judgePicture, NAMED_MAX } from '../conduct/judge.ts'
import {
  type CompletedRefund,
  callOf,
  type JournaledRequest,
  type OpenResources,
  type Picture,
  saysMore,
} from '../conduct/picture.ts'
import type { Contract } from '../contract/contract.ts'
import { invalidParameter } from '../contract/errors.ts'
import { type Cents, cents, fromMajor } from '../contract/money.ts'
import { Cursor } from '../contract/pages.ts'
import type { Refund } from '../contract/refund.ts'
import { SENT_AGAIN } from '../contract/tester.ts'
import { type Translation, translationOf } from '../contract/translation.ts'
import type { JournalEntry } from '../gate/journal.ts'
import type { Resource } from '../operations/resources.ts'
import type { ConductOptions } from '../options/sandbox.ts'
import { IgnoredRules } from '../options/values.ts'
import type { Do } from '../scenario-file/behavior.ts'
import type { Table } from '../store/table.ts'
import { ConductAsked } from './inputs.ts'
import type { SandboxInternals } from './internals.ts'
import { readParameters } from './read-input.ts'
import { parsed } from './requests.ts'
import type { InTurns } from './turns.ts'

/**
 * The conduct of one sandbox's platform. A page that follows asks for it twice a second, so what was found is kept while nothing
 * happens, and each answered request is read once.
 */
export class PlatformConduct {
  readonly #internals: SandboxInternals
  #judgment: Judgment | undefined
  /** What the judgment rests on. */
  #restsOn: readonly unknown[] = []
  #requests = new WeakMap<JournalEntry, JournaledRequest>()
  #contract: Contract | undefined

  constructor(internals: SandboxInternals) {
    this.#internals = internals
  }

  *under(asked: ConductOptions): InTurns<Conduct> {
    const given = readParameters(ConductAsked, asked)
    const ignore = IgnoredRules.safeParse(given.ignore ?? {})
    if (!ignore.success) throw invalidParameter('ignore', ignore.error.issues[0]!.message)
    return conductOf(yield* this.#judge(), { ...this.#internals.config.conduct.ignore, ...ignore.data })
  }

  *#judge(): InTurns<Judgment> {
    const { store, journal, behaviors, config, contract } = this.#internals
    const results = behaviors.backgroundResults()
    const { arrived, forgotten, stateNumber, inFlight } = journal
    const now = [
      store.version,
      arrived,
      forgotten,
      stateNumber,
      results,
      results.at(-1),
      config.apiKey,
      contract,
    ]
    if (this.#judgment && now.every((part, index) => part === this.#restsOn[index])) return this.#judgment
    const wasQuiet = inFlight.length === 0
    const judgment = yield* judgePicture(yield* this.#picture())
    // A request that is under way changes without a new number.
    this.#judgment = wasQuiet && inFlight.length === 0 ? judgment : undefined
    this.#restsOn = now
    return judgment
  }

  /** Read from the tables as they are: a delivery as the tester sees it would cost ten times as much. */
  *#picture(): InTurns<Picture> {
    const { store, journal, behaviors, config, contract } = this.#internals
    const acted = behaviors.backgroundResults().filter(({ fired }) => fired)
    const subjectsWhere = (holds: (words: Do) => boolean) =>
      acted.filter(({ words }) => holds(words)).map(({ subject }) => subject)
    const declined = yield* all(store.applications, {}, ({ checkoutId, decision }) =>
      decision?.approved === false ? [checkoutId] : [],
    )
    const stuck = subjectsWhere((words) => 'transition' in words && words.after === 'never')
    return {
      requests: yield* this.#platformsRequests(),
      forgotten: journal.forgotten,
      stateNumber: journal.stateNumber,
      deliveries: yield* store.deliveries.made(({ amount, ...delivery }) => ({
        ...delivery,
        signatureFault: behaviors.signatureFaultOf(delivery.eventId) ?? null,
        amount: amountOf(amount),
      })),
      completedRefunds: (yield* all(store.refunds, { status: 'completed' }, completed)).flat(),
      openAuthorizations: yield* open(store.authorizations, ['authorized']),
      openCheckouts: yield* open(store.checkouts, ['pending', 'approved']),
      droppedEvents: subjectsWhere((words) => 'webhook' in words && words.webhook.drop === true).filter(
        (event) => store.deliveries.ofEvent(event).length === 0,
      ),
      declinedCheckouts: [...new Set([...declined.flat(), ...subjectsWhere((words) => 'decision' in words)])],
      stuckRefunds: stuck.filter((refund) => store.refunds.find(refund)?.status === 'pending'),
      apiKey: config.apiKey,
      keyRetentionMs: contract.keyRetentionMs,
    }
  }

  *#platformsRequests(): InTurns<JournaledRequest[]> {
    const { journal, contract } = this.#internals
    if (this.#contract !== contract) this.#requests = new WeakMap()
    this.#contract = contract
    const words = translationOf(contract)
    const requests: JournaledRequest[] = []
    // Those that come later are left to the next time.
    for (const entry of [...journal.newestFirst()]) {
      if (!isOfPlatform(entry)) continue
      const request = this.#requests.get(entry) ?? requestOf(entry, words)
      if (request.answeredAt !== null) this.#requests.set(entry, request)
      requests.push(request)
      if (requests.length % ROWS_OF_A_STEP === 0) yield
    }
    return requests.reverse()
  }
}

/** Read and put in a picture in 1 to 2 ms. */
const ROWS_OF_A_STEP = 500

/** What is shown of the rows of a list, newest first. */
function* all<Row extends { id: string }, Shown>(
  table: Pick<Table<Row>, 'list'>,
  filter: { status?: string },
  shown: (row: Row) => Shown,
): InTurns<Shown[]> {
  const found: Shown[] = []
  for (let cursor: number | undefined; ; ) {
    const { data, nextCursor } = table.list({ ...filter, limit: ROWS_OF_A_STEP, cursor })
    found.push(...data.map(shown))
    if (nextCursor === null) return found
    cursor = Cursor.parse(nextCursor)
    yield
  }
}

/** Those that are in one of these states, by their state. */
function* open(
  table: Pick<Table<{ id: string }>, 'list' | 'amountsOf'>,
  statuses: readonly string[],
): InTurns<OpenResources[]> {
  const found: OpenResources[] = []
  for (const status of statuses) {
    const { count, amount } = yield* table.amountsOf(status)
    const { data } = table.list({ status, limit: NAMED_MAX })
    if (count > 0) found.push({ status, count, ids: data.map(({ id }) => id), amount: cents(amount) })
  }
  return found
}

const completed = ({ id, amount, createdAt, completedAt }: Refund): CompletedRefund[] =>
  completedAt === null ? [] : [{ id, amount, createdAt, completedAt }]

/** What a tester sends again by hand says nothing about the platform. */
const isOfPlatform = ({ headers }: JournalEntry) => !headers['user-agent']?.startsWith(SENT_AGAIN)

const NO_QUERY = new URLSearchParams()

/** In the words of the defaults, which the rules know. */
function requestOf(entry: JournalEntry, words: Translation | undefined): JournaledRequest {
  const { method, status, answer } = entry
  const { target } = words?.ownCall(entry) ?? entry
  const { body, answeredAt, begunAt, durationMs, answerHeaders, idempotency, events } = entry
  const queryAt = target.indexOf('?')
  const { id, number, stateNumber } = entry
  const json = (body === '' ? {} : (parsed(body) ?? {})) as Readonly<Record<string, unknown>>
  const retryAfter = answerHeaders['retry-after']
  const inOurWords = answer === null ? null : (words?.text(answer, status ?? undefined) ?? answer)
  return {
    id,
    number,
    stateNumber,
    call: callOf({ stateNumber, method, target, body }),
    method,
    path: queryAt === -1 ? target : target.slice(0, queryAt),
    query: queryAt === -1 ? NO_QUERY : new URLSearchParams(target.slice(queryAt)),
    target,
    operation: entry.operation,
    subject: entry.subject,
    key: entry.key,
    verdict: idempotency?.verdict ?? null,
    body,
    json,
    status,
    answer: inOurWords,
    hasMore: saysMore(inOurWords),
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
