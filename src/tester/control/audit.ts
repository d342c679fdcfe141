/** The audit of a sandbox's platform. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import { inquiriesIn, type KnownSince } from '../audit/inquiries.ts'
import { type Audit, auditOf, type Ignored, type Judgment, judgePicture } from '../audit/judge.ts'
import type { JournaledRequest } from '../audit/picture.ts'
import { repeatsIn } from '../audit/repeats.ts'
import type { Story } from '../story/story.ts'
import { deliveriesOfUnknown, takePicture } from './audit-picture.ts'
import { type DoubledMoney, doubledMoneyIn, ordersBegunAgain } from './doubled.ts'
import { AuditAsked } from './inputs.ts'
import { PlatformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import { orderOf, storyOf } from './stories.ts'

export class PlatformAudit {
  readonly #internals: Sandbox
  readonly #requests = new PlatformRequests()
  readonly #judgment: () => SandboxJudgment
  /** Reads the journal, and only orders with repeated requests or several payments, so the sandbox's size does not matter. */
  readonly doubled: () => readonly DoubledMoney[]

  constructor(internals: Sandbox) {
    this.#internals = internals
    this.#judgment = cached(internals, () => this.#judge())
    this.doubled = cached(internals, () => this.#findDoubled())
  }

  under(asked: AuditOptions): Audit {
    const given = readParameters(AuditAsked, asked)
    const ignored = { ...this.#internals.config.audit.ignore, ...given.ignore }
    const judgment = this.#judgment()
    const judged = notIgnored(judgment, ignored)
    const doubled = doubledMoneyIn(this.#internals, judged, judgment.begunAgain)
    const orders = doubled.map(({ rows: _, ...sentence }) => sentence)
    return auditOf(judgment, ignored, orders)
  }

  /** The audit's number of errors and warnings. */
  counts(): Pick<Audit, 'errors' | 'warnings'> {
    const { ignore } = this.#internals.config.audit
    const { errors, warnings } = auditOf(this.#judgment(), ignore, this.doubled())
    return { errors, warnings }
  }

  /** What happened to an order or a checkout, or under a key. */
  story(about: string): Story | undefined {
    const { ignore } = this.#internals.config.audit
    const judgment = this.#judgment()
    const { findings } = auditOf(judgment, ignore)
    return storyOf(this.#internals, { ...notIgnored(judgment, ignore), findings }, about)
  }

  #findDoubled(): readonly DoubledMoney[] {
    const { stateNumber } = this.#internals.journal
    const requests = inState(stateNumber, this.#requests.read(this.#internals))
    const begunAgain = ordersBegunAgain(requests)
    // Webhooks only show that a repeat was intended, so without a repeat they are not read.
    if (begunAgain.length + repeatsIn({ requests, deliveries: [] }).length === 0) return []
    const asked = { requests, deliveries: deliveriesOfUnknown(this.#internals, requests) }
    const judged = { repeats: repeatsIn(asked), known: inquiriesIn(asked).known() }
    const counted = notIgnored(judged, this.#internals.config.audit.ignore)
    return doubledMoneyIn(this.#internals, counted, begunAgain)
  }

  #judge(): SandboxJudgment {
    const internals = this.#internals
    const orderOfId = (id: string) => orderOf(internals, internals.committedStore(), id)
    const picture = takePicture(internals, this.#requests)
    const begunAgain = ordersBegunAgain(inState(picture.stateNumber, picture.requests))
    return { ...judgePicture(picture, orderOfId), begunAgain }
  }
}

/** With the orders for which more than one payment was started. */
interface SandboxJudgment extends Judgment {
  begunAgain: readonly string[]
}

const inState = (stateNumber: number, requests: readonly JournaledRequest[]) =>
  requests.filter((request) => request.stateNumber === stateNumber)

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
