/** The rules by which keys of a profile are learned. */
import { keptRefusalsRule, rateRule, replayRule } from './rules/headers.ts'
import { listRule, maxSizeRule, pathRule } from './rules/lists.ts'
import { refusalRule, textRule } from './rules/refusals.ts'
import { requestRule } from './rules/requests.ts'
import {
  createdRule,
  eventRule,
  fieldRule,
  idRule,
  refundDelayRule,
  stateRule,
  timeRule,
} from './rules/resources.ts'
import type { LearningRule } from './rules/rule.ts'
import { signatureRule } from './rules/signature.ts'

/** In the order in which they are applied: what refusals say of a state needs its word. */
export const LEARNING_RULES: readonly LearningRule[] = [
  idRule,
  timeRule,
  fieldRule,
  createdRule,
  stateRule,
  eventRule,
  listRule,
  maxSizeRule,
  pathRule,
  replayRule,
  keptRefusalsRule,
  refundDelayRule,
  rateRule,
  requestRule,
  refusalRule,
  textRule,
  signatureRule,
]
