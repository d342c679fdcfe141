/** What a scenario shows that is played at the service and in a simulator of ours, and the words that are learned meanwhile. */
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { type OperationId, READING_IDS, usualPathOf } from '../../spec/contract/endpoints.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { type Translation, translationOf } from '../../spec/contract/translation.ts'
import type { Exchange } from '../../spec/exchange.ts'
import type { HeardAnswer, ServiceWords } from '../player/request.ts'
import { exchangesOfStep, type StepResult } from '../player/result.ts'
import type { PlayedFile } from '../player/session.ts'
import { type PlayedExchange, withSingleValues } from '../player/wire.ts'
import type { ServiceEvidence, ServiceExchange } from './evidence.ts'
import { learn } from './learn.ts'

/** A file with scripted trouble, or with a profile or an environment of its own, shows nothing of the service. */
export const isEvidence = ({ behaviors = [], sandbox = {}, steps = [] }: Scenario): boolean =>
  behaviors.length === 0 &&
  sandbox.profile === undefined &&
  sandbox.environment === undefined &&
  !/"arm":|"complete":|"x-sim":/i.test(JSON.stringify(steps))

export function evidenceOf(ours: PlayedFile, theirs: PlayedFile): ServiceEvidence {
  const exchanges = theirs.steps.flatMap((step): ServiceExchange[] => {
    const exchange = answeredIn(step)
    if (!exchange?.answered) return []
    return [evidenceOfStep(ours, step.place, { asked: exchange.asked, theirs: exchange.answered })]
  })
  const webhooks = theirs.webhooks.map(({ sent }) => ({
    ...sent,
    seenIn: placeIn(theirs, 'webhooks'),
    secret: theirs.signingSecret,
  }))
  return { exchanges, webhooks }
}

function evidenceOfStep(
  ours: PlayedFile,
  place: string,
  shown: Pick<ServiceExchange, 'asked' | 'sentTo' | 'theirs'>,
): ServiceExchange {
  const step = ours.steps.find((one) => one.place === place)
  return {
    ...shown,
    seenIn: placeIn(ours, `step ${place}`),
    ours: (step && answeredIn(step)?.answered) ?? undefined,
  }
}

/** Such as `first-refund.yaml step 1`. */
const placeIn = ({ file }: Pick<PlayedFile, 'file'>, part: string) => `${file.split(/[\\/]/).at(-1)} ${part}`

/** For several requests at once the order is unknown. */
function answeredIn(step: StepResult): Exchange | undefined {
  const [exchange, ...others] = step.together ? [] : exchangesOfStep(step)
  return others.length > 0 || exchange?.ending !== null ? undefined : exchange
}

/** The words of a service, learned while it is played: what one answer shows, the next request is sent in. */
export class LearnedWords implements ServiceWords {
  words: Translation | undefined
  readonly #ours: PlayedFile
  readonly #earlier: readonly ServiceExchange[]
  readonly #isEvidence: boolean
  /** The last exchange of each step: earlier ones waited for it. */
  readonly #heard = new Map<string, { evidence: ServiceExchange; exchange: PlayedExchange }>()

  /** `earlier` is what other files have shown. A file that is no evidence is played in these words alone. */
  constructor(ours: PlayedFile, earlier: readonly ServiceExchange[], isEvidence: boolean) {
    this.#ours = ours
    this.#earlier = earlier
    this.#isEvidence = isEvidence
    if (earlier.length > 0) this.#learn()
  }

  get exchanges(): ServiceExchange[] {
    return this.#isEvidence ? [...this.#heard.values()].map(({ evidence }) => evidence) : []
  }

  hear({ place, asked, sentTo, exchange }: HeardAnswer): void {
    const { answered, ending } = exchange
    if (answered === null || ending !== null) return
    const shown = { asked: withSingleValues(asked), sentTo, theirs: answered }
    const evidence = evidenceOfStep(this.#ours, place, shown)
    this.#heard.set(place, { evidence, exchange: { ...exchange, asked } })
    if (this.#isEvidence) this.#learn()
  }

  #learn(): void {
    const { profile } = learn({ exchanges: [...this.#earlier, ...this.exchanges], webhooks: [] })
    // A tour asks by each of the names that a parameter may have.
    const { limit: _, cursor: __, ...lists } = profile.lists ?? {}
    this.words = translationOf(contractOf({ ...profile, lists, paths: withBeginning(profile.paths) }))
  }

  /** With the answers in the service's words. */
  asItCame(theirs: PlayedFile): PlayedFile {
    const steps = theirs.steps.map((step) => {
      const heard = this.#heard.get(step.place)
      return heard && step.received.length === 1 ? { ...step, received: [heard.exchange] } : step
    })
    return { ...theirs, steps, profile: this.words?.contract.changes }
  }
}

/**
 * Where the paths that were seen have another beginning than /v1, the others are asked for there too: only what is answered is
 * learned.
 */
function withBeginning(seen: ProfileChanges['paths'] = {}): ProfileChanges['paths'] {
  const tailOf = (id: OperationId) => usualPathOf(id).replace('/v1', '')
  const beginnings = Object.entries(seen).map(([id, path = '']) => {
    const tail = tailOf(id as OperationId)
    return path.endsWith(tail) ? path.slice(0, -tail.length) : undefined
  })
  const [beginning, ...others] = new Set(beginnings)
  if (beginning === undefined || others.length > 0) return seen
  return Object.fromEntries(READING_IDS.map((id) => [id, `${beginning}${tailOf(id)}`]))
}
