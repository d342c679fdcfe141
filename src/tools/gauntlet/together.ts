/** Joins the facts of all sandboxes of one run: the one that the command was given, and those of its tests. */

import { groupBy } from '../../spec/grouping.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { Audit, Finding } from '../../tester/audit/judge.ts'
import { errorsFirst } from '../../tester/audit/rule.ts'
import type { SandboxFacts } from './facts.ts'
import type { OrderMoney } from './money.ts'
import { hitsIn, type Seen } from './seen.ts'
import { ofTest } from './trail.ts'

export const testOf = ({ label }: Pick<SandboxFacts, 'label'>): string | undefined => label?.test

/** Of a test that was tried again only the last attempt counts. */
export function lastAttempts(facts: readonly SandboxFacts[]): SandboxFacts[] {
  const last = new Map<string, number>()
  for (const { label } of facts) {
    if (label) last.set(label.test, Math.max(label.attempt, last.get(label.test) ?? 0))
  }
  return facts.filter(({ label }) => label === null || label.attempt === last.get(label.test))
}

export const moneyOfAll = (facts: readonly SandboxFacts[]): OrderMoney[] =>
  facts.flatMap((sandbox) => sandbox.money.map((order) => ({ ...order, test: testOf(sandbox) })))

export const firedInAll = (facts: readonly SandboxFacts[]): number =>
  facts.flatMap(({ fired }) => fired).reduce((sum, count) => sum + count, 0)

export const isHit = (facts: SandboxFacts): boolean => firedInAll([facts]) > 0

/** Whether the trouble can act on anything that the baseline run did. */
export const isMetIn = (seen: readonly Seen[], { behaviors }: Pick<Trouble, 'behaviors'>): boolean =>
  behaviors.some((behavior) => seen.some((sandbox) => hitsIn(sandbox, behavior) > 0))

/** One verdict on all of them, of which there is at least one. Each sandbox counts its requests from req_1, so a finding says of which test it is. */
export function auditOfAll(facts: readonly SandboxFacts[]): Audit {
  const { audit: first } = facts[0]!
  const sum = (countOf: (audit: Audit) => number) => facts.reduce((all, { audit }) => all + countOf(audit), 0)
  return {
    errors: sum(({ errors }) => errors),
    warnings: sum(({ warnings }) => warnings),
    orders: facts.flatMap((sandbox) =>
      sandbox.audit.orders.map((sentence) => ({ ...sentence, text: ofTest(testOf(sandbox), sentence.text) })),
    ),
    findings: findingsOfAll(facts).sort(errorsFirst),
    ignored: first.ignored.map((exemption) => ({
      ...exemption,
      findings: sum(({ ignored }) => ignored.find(({ rule }) => rule === exemption.rule)?.findings ?? 0),
    })),
    coverage: first.coverage.map((kind, index) => {
      const kinds = facts.map(({ audit }) => audit.coverage[index]!)
      return {
        ...kind,
        times: kinds.reduce((all, { times }) => all + times, 0),
        met: kinds.flatMap(({ met }) => met),
        rules: [...new Set(kinds.flatMap(({ rules }) => rules))],
      }
    }),
    requests: sum(({ requests }) => requests),
    from: first.from,
    forgotten: sum(({ forgotten }) => forgotten),
  }
}

export const findingsOfAll = (facts: readonly SandboxFacts[]): Finding[] =>
  facts.flatMap((sandbox) =>
    sandbox.audit.findings.map((finding) => ({ ...finding, what: ofTest(testOf(sandbox), finding.what) })),
  )

/** Keeps one finding for each rule: many tests break a rule in the same way. */
export function oncePerRule<Found extends Pick<Finding, 'rule' | 'severity' | 'what'>>(
  findings: readonly Found[],
): Found[] {
  const rules = groupBy(findings, ({ rule, severity }) => `${rule} ${severity}`)
  return [...rules.values()].map(([first, ...others]) =>
    others.length === 0
      ? first!
      : { ...first!, what: `${first!.what} (and ${others.length} more of ${first!.rule})` },
  )
}
