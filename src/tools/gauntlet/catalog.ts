/** The troubles of the gauntlet: what makes a run meet each kind of trouble that the audit counts, and some that it does not. */
import { onRefunds, SLOW_MS, type Trouble } from '../../tester/audit/arms.ts'
import { TROUBLES } from '../../tester/audit/coverage.ts'

export const CATALOG: readonly Trouble[] = [
  ...TROUBLES.flatMap(({ arm = [] }) => arm),
  onRefunds('slow', 'Each refund is completed after two seconds', { clock: SLOW_MS }),
  onRefunds('third-poll', 'Each refund is completed when it is read for the third time', { polls: 3 }),
]

/** For `--quick`: of each kind of trouble, which is what the client gets, the first that can act. A trouble of the user's own is always taken. */
export function firstOfEachKind(
  troubles: readonly Trouble[],
  canAct: (trouble: Trouble) => boolean,
): Trouble[] {
  const first = TROUBLES.map(({ arm = [] }) =>
    arm.find((trouble) => troubles.includes(trouble) && canAct(trouble)),
  )
  return troubles.filter((trouble) => first.includes(trouble) || !CATALOG.includes(trouble))
}
