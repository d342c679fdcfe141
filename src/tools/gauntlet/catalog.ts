/** The troubles of the gauntlet: what makes a run meet each kind of trouble that the audit counts, and some that it does not. */

import { onRefunds, SLOW_MS, type Trouble } from '../../tester/audit/arms.ts'
import { TROUBLES } from '../../tester/audit/coverage.ts'
import { QUICK_TROUBLES } from '../options/test-commands.ts'

export const CATALOG: readonly Trouble[] = [
  ...TROUBLES.flatMap(({ arm }) => arm),
  onRefunds('slow', 'Each refund is completed after two seconds', { clock: SLOW_MS }),
  onRefunds('third-poll', 'Each refund is completed when it is read for the third time', { polls: 3 }),
]

/** `--quick` takes the first of these troubles that can act, as many as {@link QUICK_TROUBLES} says. */
const TELLING: readonly string[] = [
  'answer-lost:refund',
  'answer-lost-each',
  'internal-error-once',
  'in-flight-once',
  'silence-after-once',
  'rate-limit-once',
  'webhook-duplicated',
  'webhook-forged',
  'refund-immediate',
  'outage',
  'reads-fail',
  'refund-never',
  'answer-lost:capture',
  'garbled-once',
  'webhook-dropped',
  'answer-lost:confirm',
]

export function tellingOf(troubles: readonly Trouble[], canAct: (trouble: Trouble) => boolean): Trouble[] {
  // A trouble of the user's own file is always taken.
  const isOwn = (trouble: Trouble) => !CATALOG.includes(trouble)
  const quick = TELLING.flatMap((name) => troubles.filter((one) => one.name === name && canAct(one)))
  const chosen = quick.slice(0, QUICK_TROUBLES)
  return troubles.filter((one) => isOwn(one) || chosen.includes(one))
}
