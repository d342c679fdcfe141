/** The audit of a sandbox's platform. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { tableOf } from '../../service/operations/unit.ts'
import type { Store } from '../../service/store/store.ts'
import { beginsPayment } from '../../spec/contract/endpoints.ts'
import { KINDS_OF_PAYMENT, paymentOf } from '../../spec/contract/resources/movements.ts'
import { groupBy } from '../../spec/grouping.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import type { KnownSince } from '../audit/inquiries.ts'
import { type Audit, auditOf, type Ignored, type Judgment, judgePicture, NAMED_MAX } from '../audit/judge.ts'
import type { OrderSentence } from '../audit/order-sentence.ts'
import type { JournaledRequest } from '../audit/picture.ts'
import type { Story } from '../story/story.ts'
import { LATEST, takePicture } from './audit-picture.ts'
import { AuditAsked } from './inputs.ts'
import { platformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import { type JudgedRequests, orderOf, storiesOf, storyOf } from './stories.ts'

export function platformAudit(internals: Sandbox) {
  const ignoredAlways = (): Ignored => internals.config.audit.ignore
  const requestsOf = platformRequests()
  const judgment = cached(internals, () => {
    const picture = takePicture(internals, requestsOf(internals))
    const ofThisState = picture.requests.filter(({ stateNumber }) => stateNumber === picture.stateNumber)
    const store = internals.committedStore()
    const orderOfId = (id: string) => orderOf(internals, store, id)
    const returnedTwice = store.ledger.returnedTwice(LATEST.limit).flatMap((id) => orderOfId(id) ?? [])
    return {
      ...judgePicture(picture, orderOfId),
      /** The orders whose money may have moved twice without a retry. */
      suspects: [...ordersBegunAgain(ofThisState), ...returnedTwice],
    }
  })
  const doubledUnless = (ignored: Ignored) => {
    const judged = judgment()
    return doubledMoneyIn(internals, notIgnored(judged, ignored), judged.suspects)
  }
  const doubled = cached(internals, () => doubledUnless(ignoredAlways()))
  return {
    doubled,
    under(asked: AuditOptions): Audit {
      const ignored = { ...ignoredAlways(), ...readParameters(AuditAsked, asked).ignore }
      const orders = doubledUnless(ignored).map(({ rows: _, ...sentence }) => sentence)
      return auditOf(judgment(), ignored, orders)
    },
    /** How many requests were judged, with the number of errors and warnings. */
    counts: (): Pick<Audit, 'errors' | 'warnings' | 'requests'> =>
      auditOf(judgment(), ignoredAlways(), doubled()),
    /** What happened to an order or a checkout, or under a key. */
    story(about: string): Story | undefined {
      const judged = judgment()
      const { findings } = auditOf(judged, ignoredAlways())
      return storyOf(internals, { ...notIgnored(judged, ignoredAlways()), findings }, about)
    },
  }
}

/**
 * A result cached until a request arrives or the database changes, because a page that follows asks twice a second. While a
 * request is in flight nothing is cached: its entry changes without changing any counter.
 */
function cached<Result>(internals: Sandbox, make: () => Result): () => Result {
  let known: Result | undefined
  /** The version of the database, the counters of the journal and the options behind the result. */
  let restsOn: readonly unknown[] = []
  return () => {
    const { journal, config, contract } = internals
    const { arrived, forgotten, stateNumber } = journal
    const { version } = internals.committedStore()
    const now = [version, arrived, forgotten, stateNumber, config.apiKey, contract]
    if (known && now.every((part, index) => part === restsOn[index])) return known
    const result = make()
    known = journal.inFlight.length === 0 ? result : undefined
    restsOn = now
    return result
  }
}

/** Omits what only ignored rules forbid: repeats, and a payment after one with an unknown outcome (C6). */
const notIgnored = ({ repeats, known }: Pick<Judgment, 'repeats' | 'known'>, ignored: Ignored) => ({
  repeats: repeats.filter(({ rule }) => ignored[rule] === undefined),
  known: ignored.C6 === undefined ? known : new Map<string, KnownSince>(),
})

// Money that moved twice, for the audit, the list of orders and the timeline

export interface DoubledMoney extends OrderSentence {
  /** The checkouts and authorizations concerned. */
  rows: readonly string[]
}

/** Money that moved twice in the orders of these repeats, and in the orders `others`. */
function doubledMoneyIn(
  internals: Sandbox,
  judged: Omit<JudgedRequests, 'findings'>,
  others: readonly string[],
): DoubledMoney[] {
  const store = internals.committedStore()
  const retried = judged.repeats.flatMap(({ after }) => orderOf(internals, store, after) ?? [])
  const again = new Set([...retried, ...others])
  // `storiesOf` would read the whole journal even without orders.
  if (again.size === 0) return []
  const stories = storiesOf(internals, { ...judged, findings: [] }, [...again].slice(0, NAMED_MAX))
  return stories
    .flatMap(({ sentences }) => sentences.filter(({ tooMuch }) => tooMuch !== null))
    .map((sentence) => ({ ...sentence, rows: sentence.about.map((id) => paymentOfMove(store, id)) }))
}

/** The orders for which more than one payment was started: both may have been paid, without a retry. */
function ordersBegunAgain(requests: readonly JournaledRequest[]): string[] {
  const begun = groupBy(requests, ({ operation, events, json: { orderId } }) =>
    operation !== null && beginsPayment(operation) && events.length > 0 && typeof orderId === 'string'
      ? orderId
      : null,
  )
  return [...begun].flatMap(([orderId, { length }]) => (length > 1 ? orderId : []))
}

function paymentOfMove(store: Store, id: string): string {
  const row = KINDS_OF_PAYMENT.map((kind) => tableOf(store, kind).find(id)).find(Boolean)
  return row ? paymentOf(row) : id
}
