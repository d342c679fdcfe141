/** A behavior's `when` as functions. */

import { matchesEvent } from '../../spec/contract/event.ts'
import type { When } from '../scenario-file/behavior.ts'
import { comparison, differenceSentence } from '../scenario-file/comparison.ts'
import type { Trigger } from './trigger.ts'

export interface Conditions {
  /** Whether call, operation and event match. If not, the journal does not mention this behavior. */
  isAbout(trigger: Trigger): boolean
  /** The first other condition that does not hold, as a sentence. */
  firstMiss(trigger: Trigger): string | undefined
}

export function conditionsOf({
  op,
  call,
  stub,
  event,
  resource,
  enters,
  replay,
  ...others
}: When): Conditions {
  const otherSubjects = comparison({ op, call, stub })
  const missesOf = comparison(others)
  return {
    isAbout: (trigger) =>
      otherSubjects(trigger).length === 0 &&
      (event === undefined || (trigger.event !== undefined && matchesEvent(event, trigger.event))) &&
      (resource ?? trigger.resource) === trigger.resource &&
      (enters ?? trigger.enters) === trigger.enters,
    firstMiss(trigger) {
      const [miss] = missesOf(trigger)
      // Without its value: a header may be the API key.
      if (miss?.path.startsWith('header.')) return `${miss.path} is another one, or is missing`
      if (miss) return differenceSentence(miss)
      const { isReplay = false } = trigger
      if ((replay ?? isReplay) === isReplay) return undefined
      return isReplay ? 'it is a replay' : 'it is not a replay'
    },
  }
}
