/** The conduct of one sandbox's platform. */

import { invalidParameter } from '../../spec/contract/errors.ts'
import type { ConductOptions } from '../../spec/options/sandbox.ts'
import { IgnoredRules } from '../../spec/options/values.ts'
import { type Conduct, conductOf, type Ignored, type Judgment, judgePicture } from '../conduct/judge.ts'
import { repeatsIn } from '../conduct/repeats.ts'
import type { Story } from '../story/story.ts'
import { takePicture } from './conduct-picture.ts'
import { type DoubledMoney, doubledMoneyIn } from './doubled.ts'
import { ConductAsked } from './inputs.ts'
import type { SandboxInternals } from './internals.ts'
import { PlatformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import { orderOf, storiesOf, storyOf } from './stories.ts'
import type { InTurns } from './turns.ts'

/** A page that follows asks for it twice a second, so the judgment stays for as long as nothing happens. */
export class PlatformConduct {
  readonly #internals: SandboxInternals
  #judgment: Judgment | undefined
  /** What the judgment rests on. */
  #restsOn: readonly unknown[] = []
  readonly #requests = new PlatformRequests()
  readonly #orderOf = (id: string) => orderOf(this.#internals, this.#internals.committedStore(), id)
  #doubled: readonly DoubledMoney[] | undefined
  #doubledRestsOn: readonly unknown[] = []

  constructor(internals: SandboxInternals) {
    this.#internals = internals
  }

  *under(asked: ConductOptions): InTurns<Conduct> {
    const given = readParameters(ConductAsked, asked)
    const ignore = IgnoredRules.safeParse(given.ignore ?? {})
    if (!ignore.success) throw invalidParameter('ignore', ignore.error.issues[0]!.message)
    const ignored = { ...this.#internals.config.conduct.ignore, ...ignore.data }
    const { conduct, repeats } = yield* this.#judged(ignored)
    const doubled = yield* doubledMoneyIn(this.#internals, repeats)
    const orders = doubled.map(({ rows: _, ...sentence }) => sentence)
    return { ...conduct, orders }
  }

  /** What happened to an order, a checkout or under a key. */
  *story(about: string): InTurns<Story> {
    const { conduct, repeats } = yield* this.#judged()
    return yield* storyOf(this.#internals, { ...conduct, repeats }, about)
  }

  /** The same of many orders, by their names. */
  *stories(orders: readonly string[]): InTurns<Story[]> {
    const { conduct, repeats } = yield* this.#judged()
    return yield* storiesOf(this.#internals, { ...conduct, repeats }, orders)
  }

  *#judged(ignored: Ignored = this.#internals.config.conduct.ignore) {
    const judgment = yield* this.#judge()
    const conduct = conductOf(judgment, ignored)
    return { conduct, repeats: judgment.repeats.filter(isNotIgnored(ignored)) }
  }

  /**
   * Reads the journal and only the orders with repeated requests, so the size of the sandbox does not matter. Cached until a
   * request arrives or the database changes; not cached while a request is in flight.
   */
  *doubled(): InTurns<readonly DoubledMoney[]> {
    const { journal, contract, config } = this.#internals
    const { arrived, forgotten, stateNumber, inFlight } = journal
    const now = [this.#internals.committedStore().version, arrived, forgotten, stateNumber, contract]
    if (this.#doubled && now.every((part, index) => part === this.#doubledRestsOn[index]))
      return this.#doubled
    const wasQuiet = inFlight.length === 0
    const requests = (yield* this.#requests.read(this.#internals)).filter(
      (one) => one.stateNumber === stateNumber,
    )
    const repeats = repeatsIn({ requests }).filter(isNotIgnored(config.conduct.ignore))
    const doubled = yield* doubledMoneyIn(this.#internals, repeats)
    this.#doubled = wasQuiet ? doubled : undefined
    this.#doubledRestsOn = now
    return doubled
  }

  *#judge(): InTurns<Judgment> {
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
    if (this.#judgment && now.every((part, index) => part === this.#restsOn[index])) return this.#judgment
    const wasQuiet = inFlight.length === 0
    const judgment = yield* judgePicture(yield* takePicture(this.#internals, this.#requests), this.#orderOf)
    // A request that is under way changes without a new number.
    this.#judgment = wasQuiet && inFlight.length === 0 ? judgment : undefined
    this.#restsOn = now
    return judgment
  }
}

/** A rule that is ignored forbids no retry. */
const isNotIgnored =
  (ignored: Ignored) =>
  ({ rule }: { rule: string }) =>
    ignored[rule] === undefined
