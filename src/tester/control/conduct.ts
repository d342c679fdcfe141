/** The conduct of one sandbox's platform. */

import { invalidParameter } from '../../spec/contract/errors.ts'
import type { ConductOptions } from '../../spec/options/sandbox.ts'
import { IgnoredRules } from '../../spec/options/values.ts'
import { type Conduct, conductOf, type Judgment, judgePicture } from '../conduct/judge.ts'
import { takePicture } from './conduct-picture.ts'
import { ConductAsked } from './inputs.ts'
import type { SandboxInternals } from './internals.ts'
import { PlatformRequests } from './platform-requests.ts'
import { readParameters } from './read-input.ts'
import type { InTurns } from './turns.ts'

/** A page that follows asks for it twice a second, so the judgment stays for as long as nothing happens. */
export class PlatformConduct {
  readonly #internals: SandboxInternals
  #judgment: Judgment | undefined
  /** What the judgment rests on. */
  #restsOn: readonly unknown[] = []
  readonly #requests = new PlatformRequests()

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
    const judgment = yield* judgePicture(yield* takePicture(this.#internals, this.#requests))
    // A request that is under way changes without a new number.
    this.#judgment = wasQuiet && inFlight.length === 0 ? judgment : undefined
    this.#restsOn = now
    return judgment
  }
}
