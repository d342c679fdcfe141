/**
 * The findings of `run`, `gauntlet`, `grade`, `audit`, `exec` and `fidelity` in one shape, which all the
 * writers beside this file read.
 */
import { groupBy } from '../../tester/audit/picture.ts'

export type CheckOutcome = 'passed' | 'failed' | 'skipped'

export const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const

/** A scenario or a step of it, a failure of the gauntlet, an audit rule, a case of a receiver's grade. */
export interface Check {
  name: string
  /** The subject in a sentence, if the name does not say it. */
  about?: string | undefined
  outcome: CheckOutcome
  /** The command's own word for the outcome, such as `money wrong`. */
  verdict?: string | undefined
  /** Why it failed or was skipped, in one line; empty if there is nothing to say. */
  why: string
  /** The whole explanation, if it is longer than `why`. */
  text?: string | undefined
  /** How to fix it. */
  todo?: string | undefined
  ms?: number | undefined
  /** A word for failures of this kind, if it is not the verdict: `difference`, `C1`. */
  kind?: string | undefined
  /** The file that holds it, and its line there. */
  file?: string | undefined
  line?: number | undefined
  /** On the machine's clock, in ISO 8601. */
  startedAt?: string | undefined
  /** A remark that holds whether it passed or not. */
  note?: string | undefined
  /** Its parts: the steps of a scenario. */
  parts?: readonly Check[] | undefined
}

/** One cause to fix, with all the checks in which it showed. */
export interface Cause {
  what: string
  /** Such as `in 28 runs`. */
  where: string
  todo: string
  isMoney?: boolean
  /** The check that shows it, and what it says. */
  example?: { check: string; text: string } | undefined
}

export interface CheckReport {
  /** Such as `gauntlet`, of `paysim gauntlet`. */
  command: string
  /** The command with its subject, such as `gauntlet of npm test`. */
  name: string
  /** The result in a few words. */
  title: string
  /** More about the whole run, such as how long it took. */
  about: string
  startedAt?: string | undefined
  ms?: number | undefined
  /** What JUnit, which has no causes, says beside the checks. */
  note?: string | undefined
  /** In the order in which they were made. */
  checks: readonly Check[]
  /** The command's own verdicts, the worst first, where the outcomes alone would say too little. */
  verdicts?: readonly string[] | undefined
  /** The worst first. */
  causes?: readonly Cause[]
  /** The JSON report, in the shape that the command has documented. */
  json(): unknown
}

export const verdictOf = ({ verdict, outcome }: Check): string => verdict ?? outcome

const WORST_FIRST: readonly CheckOutcome[] = ['failed', 'passed', 'skipped']

/** Of equally bad ones the earlier comes first. */
export function worstFirst({ checks, verdicts = [] }: Pick<CheckReport, 'checks' | 'verdicts'>): Check[] {
  return checks.toSorted(
    (one, other) =>
      verdicts.indexOf(verdictOf(one)) - verdicts.indexOf(verdictOf(other)) ||
      WORST_FIRST.indexOf(one.outcome) - WORST_FIRST.indexOf(other.outcome),
  )
}

/** Such as `9 of 50 money wrong`: how many have the worst verdict. */
export function titleOf(found: Pick<CheckReport, 'checks' | 'verdicts'>, none: string): string {
  const [worst, ...others] = worstFirst(found)
  if (!worst) return none
  const alike = others.filter((one) => verdictOf(one) === verdictOf(worst)).length + 1
  const all = others.length + 1
  return `${alike}${alike === all ? '' : ` of ${all}`} ${verdictOf(worst)}`
}

/** The failed checks, grouped by their advice. */
export function causesByTodo(checks: readonly Check[]): Cause[] {
  const failed = checks.filter(({ outcome, todo }) => outcome === 'failed' && todo)
  return [...groupBy(failed, ({ todo = '' }) => todo)].map(([todo, alike]) => {
    const names = alike.map(({ name }) => name)
    return names.length === 1
      ? { what: names[0]!, where: '', todo }
      : { what: todo.replace(/\.$/, ''), where: names.join('; '), todo: '' }
  })
}
