/** The evidence in a scenario that was played at the service and in a simulator of ours. */

import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import type { Exchange } from '../../spec/exchange.ts'
import { exchangesOfStep, type StepResult } from '../player/result.ts'
import type { PlayedFile } from '../player/session.ts'
import type { ServiceEvidence, ServiceExchange } from './evidence.ts'

/** A file with scripted trouble, or with settings that a profile has too, shows nothing of the service. */
export const isEvidence = ({ behaviors = [], sandbox = {}, steps = [] }: Scenario): boolean =>
  behaviors.length === 0 &&
  sandbox.profile === undefined &&
  sandbox.environment === undefined &&
  sandbox.refundDelay === undefined &&
  !/"arm":|"complete":|"x-sim":/i.test(JSON.stringify(steps))

export function evidenceOf(ours: PlayedFile, theirs: PlayedFile): ServiceEvidence {
  const exchanges = theirs.steps.flatMap((step): ServiceExchange[] => {
    const exchange = answeredIn(step)
    if (!exchange?.answered) return []
    const own = ours.steps.find(({ place }) => place === step.place)
    return [
      {
        seenIn: placeIn(theirs, `step ${step.place}`),
        asked: exchange.asked,
        theirs: exchange.answered,
        ours: (own && answeredIn(own)?.answered) ?? undefined,
      },
    ]
  })
  const webhooks = theirs.webhooks.map(({ sent }) => ({
    ...sent,
    seenIn: placeIn(theirs, 'webhooks'),
    secret: theirs.signingSecret,
  }))
  return { exchanges, webhooks }
}

/** Such as `first-refund.yaml step 1`. */
export const placeIn = ({ file }: Pick<PlayedFile, 'file'>, part: string) =>
  `${file.split(/[\\/]/).at(-1)} ${part}`

/** For several requests at once the order is unknown. */
export function answeredIn(step: StepResult): Exchange | undefined {
  const [exchange, ...others] = step.together ? [] : exchangesOfStep(step)
  return others.length > 0 || exchange?.ending !== null ? undefined : exchange
}
