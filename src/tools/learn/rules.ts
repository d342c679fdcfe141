/** The rules by which keys of a profile are learned. */
import type { Learner } from '../../spec/contract/profile-key.ts'
import { keptRefusalsRule, rateRule, replayRule } from './rules/headers.ts'
import { listRule, maxSizeRule, pathRule } from './rules/lists.ts'
import { refusalRule, textRule } from './rules/refusals.ts'
import { requestRule } from './rules/requests.ts'
import {
  createdRule,
  currencyRule,
  eventRule,
  fieldRule,
  idRule,
  leaveOutRule,
  nameRule,
  refundDelayRule,
  stateRule,
  timeRule,
} from './rules/resources.ts'
import type { LearningRule } from './rules/rule.ts'
import { signatureRule } from './rules/signature.ts'

/**
 * By the name that the rows of their keys give, in the order in which they are applied: what refusals say of a state needs its
 * word.
 */
export const LEARNING_RULES: Readonly<Record<Learner, LearningRule>> = {
  names: nameRule,
  ids: idRule,
  times: timeRule,
  fields: fieldRule,
  leaveOut: leaveOutRule,
  currency: currencyRule,
  created: createdRule,
  states: stateRule,
  events: eventRule,
  lists: listRule,
  maxSize: maxSizeRule,
  paths: pathRule,
  replay: replayRule,
  keptRefusals: keptRefusalsRule,
  refundDelay: refundDelayRule,
  rate: rateRule,
  requests: requestRule,
  refusals: refusalRule,
  texts: textRule,
  signature: signatureRule,
}
