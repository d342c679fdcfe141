/** The conduct of one sandbox's platform. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { ConductOptions } from '../../spec/options/sandbox.ts'
import { type Conduct, conductOf, type Ignored, type Judgment, judgePicture } from '../conduct/judge.ts'
import { repeatsIn } from '../conduct/repeats.ts'
import type { Story } from '../story/story.ts'
import { takePicture } from './conduct-picture.ts'
import { type DoubledMoney, doubledMoneyIn, ordersBegunAgain } from './doubled.ts'
import { ConductAsked } from './inputs.ts'
import { PlatformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import { orderOf, storyOf } from './stories.ts'
import type { InTurns } from './turns.ts'

export class PlatformConduct {
  readonly #internals: Sandbox
  readonly #requests = new PlatformRequests()
  readonly #judgment: CachedResult<Judgment>
  readonly #doubled: CachedResult<readonly DoubledMoney[]>

  constructor(internals: Sandbox) {
    this.#internals = internals
    this.#judgment = new CachedResult(internals, () => this.#judge())
    this.#doubled = new CachedResult(internals, () => this.#findDoubled())
  }

  *under(asked: ConductOptions): InTurns<Conduct> {
    const given = readParameters(ConductAsked, asked)
    const ignored = { ...this.#internals.config.conduct.ignore, ...given.ignore }
    const { conduct, repeats } = yield* this.#judged(ignored)
    const doubled = yield* doubledMoneyIn(this.#internals, repeats)
    const orders = doubled.map(({ rows: _, ...sentence }) => sentence)
    return { ...conduct, orders }
  }

  /** How many errors the conduct has. */
  *errors(): InTurns<number> {
    return (yield* this.#judged()).conduct.errors
  }

  /** What happened to an order, a checkout or under a key. */
  *story(about: string): InTurns<Story | undefined> {
    const { conduct, repeats } = yield* this.#judged()
    return yield* storyOf(this.#internals, { ...conduct, repeats }, about)
  }

  *#judged(ignored: Ignored = this.#internals.config.conduct.ignore) {
    const judgment = yield* this.#judgment.get()
    const conduct = conductOf(judgment, ignored)
    return { conduct, repeats: judgment.repeats.filter(isNotIgnored(ignored)) }
  }

  /** Reads the journal, and only orders with repeated requests or several payments: the sandbox's size does not matter. */
  doubled(): InTurns<readonly DoubledMoney[]> {
    return this.#doubled.get()
  }

  *#findDoubled(): InTurns<readonly DoubledMoney[]> {
    const { journal, config } = this.#internals
    const { stateNumber } = journal
    const requests = (yield* this.#requests.read(this.#internals)).filter(
      (one) => one.stateNumber === stateNumber,
    )
    const repeats = repeatsIn({ requests }).filter(isNotIgnored(config.conduct.ignore))
    return yield* doubledMoneyIn(this.#internals, repeats, ordersBegunAgain(requests))
  }

  *#judge(): InTurns<Judgment> {
    const internals = this.#internals
    const orderOfId = (id: string) => orderOf(internals, internals.committedStore(), id)
    return yield* judgePicture(yield* takePicture(internals, this.#requests), orderOfId)
  }
}

/**
 * A result that is cached until a request arrives or the database changes: a page that follows asks for it twice a second. While
 * a request is in flight nothing is cached.
 */
class CachedResult<Result> {
  readonly #internals: Sandbox
  readonly #make: () => InTurns<Result>
  #result: Result | undefined
  /**
   * The version of the database, the counters of the journal and the options with which the result was made.
   */
  #restsOn: readonly unknown[] = []

  constructor(internals: Sandbox, make: () => InTurns<Result>) {
    this.#internals = internals
    this.#make = make
  }

  *get(): InTurns<Result> {
    const { journal, config, contract } = this.#internals
    const { arrived, forgotten, stateNumber, inFlight } = journal
    const now = [
      this.#internals.committedStore().version,
      arrived,
      forgotten,
      stateNumber,
      config.apiKey,
      contract,
    ]
    if (this.#result && now.every((part, index) => part === this.#restsOn[index])) return this.#result
    const wasQuiet = inFlight.length === 0
    const result = yield* this.#make()
    // Not kept while a request is in flight: its entry changes without changing any of these counters.
    this.#result = wasQuiet && inFlight.length === 0 ? result : undefined
    this.#restsOn = now
    return result
  }
}

/** Leaves out repeats that only ignored rules forbid. */
const isNotIgnored =
  (ignored: Ignored) =>
  ({ rule }: { rule: string }) =>
    ignored[rule] === undefined
