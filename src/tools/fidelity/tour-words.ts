/** Learns a service's names while a scenario is played there: what one response reveals is used in the next request. */
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { type OperationId, READING_IDS, usualPathOf } from '../../spec/contract/endpoints.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { type Translation, translationOf } from '../../spec/contract/translation.ts'
import type { Answered } from '../../spec/exchange.ts'
import { exchangesOfStep, type StepResult } from '../player/result.ts'
import type { PlayedFile } from '../player/session.ts'
import type { HeardResponse } from '../player/stage.ts'
import { withSingleValues } from '../player/wire.ts'
import type { ServiceExchange } from './evidence.ts'
import { givenKeys, learn } from './learn.ts'

/** A file with scripted faults, a profile or an environment reveals nothing about the service. */
export const isEvidence = ({ behaviors = [], sandbox = {}, steps = [] }: Scenario): boolean =>
  behaviors.length === 0 &&
  sandbox.profile === undefined &&
  sandbox.environment === undefined &&
  !/"arm":|"complete":|"x-sim":/i.test(JSON.stringify(steps))

/** Such as `first-refund.yaml step 1`. */
export const placeIn = (file: string, place: string) => `${file.split(/[\\/]/).at(-1)} step ${place}`

/** The only response to a step; undefined if it sent several requests, whose order is unknown. */
export function answeredOf(step: StepResult | undefined): Answered | undefined {
  const [exchange, ...others] = step === undefined || step.together ? [] : exchangesOfStep(step)
  return others.length > 0 || exchange?.ending !== null ? undefined : (exchange.answered ?? undefined)
}

/** Our side's responses, by step. */
export const byPlace = ({ steps }: PlayedFile): ReadonlyMap<string, Answered> =>
  new Map(
    steps.flatMap((step) => {
      const answered = answeredOf(step)
      return answered ? [[step.place, answered] as const] : []
    }),
  )

export type HeardWords = ReturnType<typeof heardWords>

/** `earlier`: what other files have revealed; undefined to learn nothing from this one. */
export function heardWords(
  file: string,
  responses: ReadonlyMap<string, Answered>,
  given: ProfileChanges,
  earlier: readonly ServiceExchange[] | undefined,
) {
  /** The last response to each step, as the service sent it; earlier responses were retried. */
  const heard = new Map<string, ServiceExchange>()
  function wordsNow(): Translation | undefined {
    if (!earlier) return translationOf(contractOf(given))
    const { profile } = learn([...earlier, ...heard.values()], givenKeys(given))
    // Keep the default list parameters, because a tour tries every name that a parameter may have.
    const { limit: _, cursor: __, ...lists } = profile.lists ?? {}
    return translationOf(contractOf({ ...profile, lists, paths: withBeginning(profile.paths) }))
  }
  const service = {
    heard,
    words: wordsNow(),
    hear({ place, asked, sentTo, exchange: { answered, ending } }: HeardResponse): void {
      if (answered === null || ending !== null) return
      heard.set(place, {
        seenIn: placeIn(file, place),
        asked: withSingleValues(asked),
        sentTo,
        theirs: answered,
        ours: responses.get(place),
      })
      if (earlier) service.words = wordsNow()
    },
  }
  return service
}

/** If the known paths do not start with /v1, the other paths are tried with the same start; only those that exist are learned. */
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
