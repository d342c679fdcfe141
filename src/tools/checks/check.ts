/**
 * The common shape for the findings of `run`, `gauntlet`, `grade`, `audit`, `exec` and `fidelity`; all report writers in this
 * folder read it.
 */
import { groupBy } from '../../spec/grouping.ts'

export type CheckOutcome = 'passed' | 'failed' | 'skipped'

export const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const

/** A scenario or one of its steps, a trouble of the gauntlet, an audit rule, or a case of a receiver's grade. */
export interface Check {
  name: string
  /** A sentence about the subject, if the name is not enough. */
  about?: string | undefined
  outcome: CheckOutcome
  /** The command's own word for the outcome, such as `money wrong`. */
  verdict?: string | undefined
  /** Why it failed or was skipped, in one line; empty if there is nothing to add. */
  why: string
  /** The full explanation, if it is longer than `why`. */
  text?: string | undefined
  todo?: string | undefined
  ms?: number | undefined
  /** The kind of failure, such as `difference` or `C1`. Default: the verdict. */
  kind?: string | undefined
  /** The file it is about, and the line. */
  file?: string | undefined
  line?: number | undefined
  /** Wall-clock time in ISO 8601. */
  startedAt?: string | undefined
  /** A remark that applies whether it passed or failed. */
  note?: string | undefined
  /** The parts of a check, such as the steps of a scenario. */
  parts?: readonly Check[] | undefined
  /** Details that only the HTML page has room for. */
  page?: PageDetails | undefined
}

export interface PageDetails {
  /** A sentence before everything else. */
  intro?: string | undefined
  /** What was received, in a word or two. */
  saw?: string | undefined
  /** Long texts, collapsed under their titles unless they are `open`. */
  sections: readonly { title: string; text: string; open?: boolean }[]
}

/** A cause to fix, with all checks that failed because of it. */
export interface Cause {
  what: string
  /** Such as `in 28 runs`. */
  where: string
  todo: string
  isMoney?: boolean
  /** A check that it broke, with the text of the failure. */
  example?: { check: string; text: string } | undefined
}

export interface CheckReport {
  /** Such as `gauntlet` for `paysim gauntlet`. */
  command: string
  /** The command with its subject, such as `gauntlet of npm test`. */
  name: string
  /** The result in a few words. */
  title: string
  /** More about the run, such as how long it took. */
  about: string
  startedAt?: string | undefined
  ms?: number | undefined
  /** A remark for JUnit, which cannot show causes. */
  note?: string | undefined
  /** In the order in which they ran. */
  checks: readonly Check[]
  /** The command's own verdicts, worst first, if the outcomes alone are too coarse. */
  verdicts?: readonly string[] | undefined
  /** The worst first. */
  causes?: readonly Cause[]
  /** The JSON report, in the shape that the command has documented. */
  json(): unknown
}

export const verdictOf = ({ verdict, outcome }: Check): string => verdict ?? outcome

const WORST_FIRST: readonly CheckOutcome[] = ['failed', 'passed', 'skipped']

/** Equally bad checks stay in order. */
export function worstFirst({ checks, verdicts = [] }: Pick<CheckReport, 'checks' | 'verdicts'>): Check[] {
  return checks.toSorted(
    (a, b) =>
      verdicts.indexOf(verdictOf(a)) - verdicts.indexOf(verdictOf(b)) ||
      WORST_FIRST.indexOf(a.outcome) - WORST_FIRST.indexOf(b.outcome),
  )
}

/** The number of checks with the worst verdict, such as `9 of 50 money wrong`. */
export function titleOf(found: Pick<CheckReport, 'checks' | 'verdicts'>, none: string): string {
  const [worst, ...others] = worstFirst(found)
  if (!worst) return none
  const alike = others.filter((check) => verdictOf(check) === verdictOf(worst)).length + 1
  const all = others.length + 1
  return `${alike}${alike === all ? '' : ` of ${all}`} ${verdictOf(worst)}`
}

export function causesByTodo(checks: readonly Check[]): Cause[] {
  const failed = checks.filter(({ outcome, todo }) => outcome === 'failed' && todo)
  return [...groupBy(failed, ({ todo = '' }) => todo)].map(([todo, alike]) => {
    const names = alike.map(({ name }) => name)
    return names.length === 1
      ? { what: names[0]!, where: '', todo }
      : { what: todo.replace(/\.$/, ''), where: names.join('; '), todo: '' }
  })
}
