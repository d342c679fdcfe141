/** The audit of a sandbox's platform. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import type { KnownSince } from '../audit/inquiries.ts'
import { type Audit, auditOf, type Ignored, type Judgment, judgePicture } from '../audit/judge.ts'
import type { Story } from '../story/story.ts'
import { takePicture } from './audit-picture.ts'
import { doubledMoneyIn, ordersBegunAgain } from './doubled.ts'
import { AuditAsked } from './inputs.ts'
import { platformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import { orderOf, storyOf } from './stories.ts'

export function platformAudit(internals: Sandbox) {
  const ignoredAlways = (): Ignored => internals.config.audit.ignore
  const requestsOf = platformRequests()
  const judgment = cached(internals, () => {
    const picture = takePicture(internals, requestsOf(internals))
    const orderOfId = (id: string) => orderOf(internals, internals.committedStore(), id)
    const ofThisState = picture.requests.filter(({ stateNumber }) => stateNumber === picture.stateNumber)
    return {
      ...judgePicture(picture, orderOfId),
      /** The orders for which more than one payment was started. */
      begunAgain: ordersBegunAgain(ofThisState),
    }
  })
  const doubledUnless = (ignored: Ignored) => {
    const judged = judgment()
    return doubledMoneyIn(internals, notIgnored(judged, ignored), judged.begunAgain)
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
