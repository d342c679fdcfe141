/** The evidence in a scenario that was played at the service and in a simulator of ours. */

import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import type { StepResult } from '../player/result.ts'
import type { PlayedFile } from '../player/session.ts'
import type { PlayedRequest, ReceivedAnswer } from '../player/wire.ts'
import type { AskedRequest, GivenAnswer, ServiceEvidence, ServiceExchange } from './evidence.ts'

/** A file with scripted trouble, or with settings that a profile has too, shows nothing of the service. */
export const isEvidence = ({ behaviors = [], sandbox = {}, steps = [] }: Scenario): boolean =>
  behaviors.length === 0 &&
  sandbox.profile === undefined &&
  sandbox.environment === undefined &&
  sandbox.refundDelay === undefined &&
  !/"arm":|"complete":|"x-sim":/i.test(JSON.stringify(steps))

export function evidenceOf(ours: PlayedFile, theirs: PlayedFile): ServiceEvidence {
  const inFile = (rest: string) => `${theirs.file.split(/[\\/]/).at(-1)} ${rest}`
  const exchanges = theirs.steps.flatMap((step): ServiceExchange[] => {
    const answer = answerOf(step)
    if (step.request === undefined || answer === undefined) return []
    const own = ours.steps.find(({ place }) => place === step.place)
    return [
      {
        seenIn: inFile(`step ${step.place}`),
        asked: asked(step.request),
        theirs: answer,
        ours: own && answerOf(own),
      },
    ]
  })
  const webhooks = theirs.webhooks.map(({ sent }) => ({
    ...sent,
    seenIn: inFile('webhooks'),
    secret: theirs.signingSecret,
  }))
  return { exchanges, webhooks }
}

/** Of several at once it is not known which one came first. */
function answerOf({ together, received }: StepResult): GivenAnswer | undefined {
  const [answer] = received
  return together || received.length !== 1 || answer?.connection !== 'answered' ? undefined : given(answer)
}

const given = ({ status = 0, headers, body }: ReceivedAnswer): GivenAnswer => ({
  status,
  headers,
  body: body.toString('utf8'),
})

const asked = ({ method, target, headers, body }: PlayedRequest): AskedRequest => ({
  method,
  target,
  headers: Object.fromEntries(headers),
  body: body?.toString('utf8'),
})
