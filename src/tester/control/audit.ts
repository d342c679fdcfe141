/** The audit of a sandbox's platform. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import type { KnownSince } from '../audit/inquiries.ts'
import { type Audit, auditOf, type Ignored, type Judgment, judgePicture } from '../audit/judge.ts'
import type { Story } from '../story/story.ts'
import { takePicture } from './audit-picture.ts'
import { type DoubledMoney, doubledMoneyIn, ordersBegunAgain } from './doubled.ts'
import { AuditAsked } from './inputs.ts'
import { PlatformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import { orderOf, storyOf } from './stories.ts'

export class PlatformAudit {
  readonly #internals: Sandbox
  readonly #requests = new PlatformRequests()
  readonly #judgment: () => SandboxJudgment
  readonly doubled: () => readonly DoubledMoney[]

  constructor(internals: Sandbox) {
    this.#internals = internals
    this.#judgment = cached(internals, () => this.#judge())
    this.doubled = cached(internals, () => this.#doubledUnless(internals.config.audit.ignore))
  }

  under(asked: AuditOptions): Audit {
    const given = readParameters(AuditAsked, asked)
    const ignored = { ...this.#internals.config.audit.ignore, ...given.ignore }
    const orders = this.#doubledUnless(ignored).map(({ rows: _, ...sentence }) => sentence)
    return auditOf(this.#judgment(), ignored, orders)
  }

  /** How many requests were judged, with the number of errors and warnings. */
  counts(): Pick<Audit, 'errors' | 'warnings' | 'requests'> {
    return auditOf(this.#judgment(), this.#internals.config.audit.ignore, this.doubled())
  }

  /** What happened to an order or a checkout, or under a key. */
  story(about: string): Story | undefined {
    const { ignore } = this.#internals.config.audit
    const judgment = this.#judgment()
    const { findings } = auditOf(judgment, ignore)
    return storyOf(this.#internals, { ...notIgnored(judgment, ignore), findings }, about)
  }

  #doubledUnless(ignored: Ignored): DoubledMoney[] {
    const judgment = this.#judgment()
    return doubledMoneyIn(this.#internals, notIgnored(judgment, ignored), judgment.begunAgain)
  }

  #judge(): SandboxJudgment {
    const internals = this.#internals
    const orderOfId = (id: string) => orderOf(internals, internals.committedStore(), id)
    const picture = takePicture(internals, this.#requests)
    const ofThisState = picture.requests.filter(({ stateNumber }) => stateNumber === picture.stateNumber)
    return { ...judgePicture(picture, orderOfId), begunAgain: ordersBegunAgain(ofThisState) }
  }
}

/** With the orders for which more than one payment was started. */
interface SandboxJudgment extends Judgment {
  begunAgain: readonly string[]
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
