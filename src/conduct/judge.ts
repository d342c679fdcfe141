/** The verdict on one sandbox: what its rules found, what was silenced and why, and which trouble it met. */
import { z } from 'zod'
import { Money } from '../contract/money.ts'
import { TROUBLES } from './coverage.ts'
import type { Picture } from './picture.ts'
import type { Found, Rule } from './rule.ts'
import { RULES } from './rules.ts'

const Finding = z
  .object({
    rule: z.string().meta({ example: 'C1' }),
    severity: z.enum(['error', 'warning']),
    title: z.string(),
    what: z.string().meta({ description: 'What was found, in a sentence' }),
    requests: z.array(z.string()).meta({ description: 'The first requests that it concerns' }),
    about: z.array(z.string()).meta({ description: 'Deliveries, refunds, authorizations, checkouts' }),
    money: Money.nullable().meta({ description: 'How much is at stake, where it can be told' }),
    costs: z.string().meta({ description: 'Why it costs money' }),
    todo: z.string().meta({ description: 'What to do' }),
  })
  .meta({ id: 'Finding' })

export const Conduct = z
  .object({
    errors: z.int(),
    warnings: z.int(),
    findings: z.array(Finding),
    ignored: z
      .array(z.object({ rule: z.string(), reason: z.string(), findings: z.int() }))
      .meta({ description: 'Rules that are silenced, and how much they would have found' }),
    coverage: z
      .array(
        z.object({
          trouble: z.string(),
          title: z.string(),
          times: z.int(),
          met: z.array(z.string()).meta({
            description: 'The first that met it: requests, deliveries, events, refunds or checkouts',
          }),
          rules: z
            .array(z.string())
            .meta({ description: 'The rules with a finding that names one that met it' }),
        }),
      )
      .meta({ description: 'Which kinds of trouble this run met; 0 for what its tests never tried' }),
    requests: z.int().meta({ description: 'How many requests were judged' }),
    from: z.string().nullable().meta({ description: 'The first request that the journal still has' }),
    forgotten: z.int().meta({ description: 'How many earlier requests the journal does not have any more' }),
  })
  .meta({ id: 'Conduct', description: 'What the client did that would hurt in production' })

export type Conduct = z.input<typeof Conduct>
export type Finding = Conduct['findings'][number]

/** Rules that are silenced, each with a reason. */
export type Ignored = Readonly<Record<string, string>>

/** A finding of thousands of requests names the first ones. */
const NAMED_MAX = 50

/** Errors first, then in the order of the rules. */
export function judgeConduct(picture: Picture, ignore: Ignored = {}): Conduct {
  const judged = RULES.map((rule) => ({ rule, found: rule.find(picture) }))
  const findings = judged
    .filter(({ rule }) => ignore[rule.id] === undefined)
    .flatMap(({ rule, found }) => found.map((one) => findingOf(rule, one)))
    .sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  const countOf = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length
  return {
    errors: countOf('error'),
    warnings: countOf('warning'),
    findings,
    ignored: judged
      .filter(({ rule }) => ignore[rule.id] !== undefined)
      .map(({ rule, found }) => ({ rule: rule.id, reason: ignore[rule.id]!, findings: found.length })),
    coverage: TROUBLES.map(({ id, title, met }) => {
      const all = met(picture)
      return {
        trouble: id,
        title,
        times: all.length,
        met: all.slice(0, NAMED_MAX),
        rules: rulesAbout(all, findings),
      }
    }),
    requests: picture.requests.length,
    from: picture.requests[0]?.id ?? null,
    forgotten: picture.forgotten,
  }
}

function rulesAbout(met: readonly string[], findings: readonly Finding[]): string[] {
  const ids = new Set(met)
  const isAbout = ({ requests, about }: Finding) => [...requests, ...about].some((id) => ids.has(id))
  return [...new Set(findings.filter(isAbout).map(({ rule }) => rule))]
}

function findingOf(rule: Rule, { what, requests = [], about = [], amount = null, severity }: Found): Finding {
  return {
    rule: rule.id,
    severity: severity ?? rule.severity,
    title: rule.title,
    what,
    requests: requests.slice(0, NAMED_MAX),
    about: about.slice(0, NAMED_MAX),
    money: amount === null ? null : z.encode(Money, amount),
    costs: rule.costs,
    todo: rule.todo,
  }
}
