/** The verdict on one sandbox: the findings of the rules, the ignored rules with the reasons, and the troubles that it met. */
import { z } from 'zod'
import { Money } from '../../spec/contract/money.ts'
import { troublesIn } from './coverage.ts'
import { inquiriesIn } from './inquiries.ts'
import { OrderSentence } from './order-sentence.ts'
import type { Picture } from './picture.ts'
import { repeatsIn } from './repeats.ts'
import { errorsFirst, type Found, type Rule } from './rule.ts'
import { RULES } from './rules.ts'

const Finding = z
  .object({
    rule: z.string().meta({ example: 'C1' }),
    severity: z.enum(['error', 'warning']),
    title: z.string(),
    what: z.string().describe('What was found, in a sentence'),
    requests: z.array(z.string()).describe('The first requests that it concerns'),
    about: z.array(z.string()).describe('The ids of the resources and deliveries concerned'),
    orders: z.array(z.string()).describe('The orders to which they belong'),
    money: Money.nullable().describe('The money at stake, if known'),
    currency: z.string().meta({ description: 'Of that money', example: 'USD' }),
    costs: z.string().describe('Why it costs money'),
    todo: z.string().describe('What to do'),
  })
  .meta({ id: 'Finding' })

export const Audit = z
  .object({
    errors: z.int(),
    warnings: z.int(),
    orders: z.array(OrderSentence).describe('Orders for which too much money moved'),
    findings: z.array(Finding),
    ignored: z
      .array(z.object({ rule: z.string(), reason: z.string(), findings: z.int() }))
      .describe('Ignored rules, and how much they would have found'),
    coverage: z
      .array(
        z.object({
          trouble: z.string(),
          title: z.string(),
          times: z.int(),
          met: z
            .array(z.string())
            .describe('The first occurrences: requests, deliveries, events, refunds or checkouts'),
          rules: z.array(z.string()).describe('The audit rules that these occurrences broke'),
          armed: z.string().nullable().meta({
            description: 'The trouble that causes it in a run of the gauntlet',
            example: 'answer-lost-once',
          }),
          command: z.string().nullable().meta({
            description: 'What causes it in a run; null if only the client or its receiver can',
            example: 'paysim gauntlet --only answer-lost-once',
          }),
        }),
      )
      .describe('Which kinds of trouble this run met; 0 for what its tests never tried'),
    requests: z.int().describe('How many requests were judged'),
    from: z.string().nullable().describe('The first request that the journal still has'),
    forgotten: z
      .int()
      .describe(
        'How many requests the journal does not have any more; some may have come after the first that it has',
      ),
  })
  .meta({ id: 'Audit', description: 'What the client did that would break in production' })

export type Audit = z.input<typeof Audit>
export type Finding = Audit['findings'][number]

/** Ignored rules, each with a reason. */
export type Ignored = Readonly<Record<string, string>>

/** A finding about thousands of requests names the first ones. */
export const NAMED_MAX = 50

/** Starts a count if a finding names the maximum of requests, so that there may be more. */
export const atLeastOf = (found: readonly Pick<Finding, 'requests' | 'about'>[]): string =>
  found.some(({ requests, about }) => Math.max(requests.length, about.length) >= NAMED_MAX) ? 'at least ' : ''

/** All findings of a sandbox, before ignored rules are removed. It holds no requests, so it may be kept in memory. */
export type Judgment = ReturnType<typeof judgePicture>

/** Finds the order of a request, a resource, an event or a delivery by its id. */
type OrderOf = (id: string) => string | undefined

export const judgePicture = (picture: Picture, orderOf: OrderOf = () => undefined) => ({
  found: RULES.map((rule) => ({
    rule,
    findings: rule.find(picture).map((result) => findingOf(rule, result, picture.currency, orderOf)),
  })),
  troubles: troublesIn(picture),
  repeats: repeatsIn(picture),
  /** From when on the client knew the outcome of a request, by its id. */
  known: inquiriesIn(picture).known(),
  requests: picture.requests.length,
  from: picture.requests[0]?.id ?? null,
  forgotten: picture.forgotten,
})

/** Errors first, then in the order of the rules. */
export function auditOf(
  { found, troubles, requests, from, forgotten }: Judgment,
  ignore: Ignored = {},
  orders: readonly OrderSentence[] = [],
): Audit {
  const findings = found
    .flatMap(({ rule, findings }) => (ignore[rule.id] === undefined ? findings : []))
    .sort(errorsFirst)
  return {
    ...countsOf({ findings, orders }),
    orders: [...orders],
    findings,
    ignored: found.flatMap(({ rule, findings: silenced }) => {
      const reason = ignore[rule.id]
      return reason === undefined ? [] : { rule: rule.id, reason, findings: silenced.length }
    }),
    coverage: troubles.map(({ id, title, met, armed }) => ({
      trouble: id,
      title,
      times: met.length,
      met: met.slice(0, NAMED_MAX),
      rules: rulesAbout(findings, met),
      armed,
      command: armed === null ? null : `paysim gauntlet --only ${armed}`,
    })),
    requests,
    from,
    forgotten,
  }
}

type Told = Pick<Audit, 'findings'> & { orders: readonly OrderSentence[] }

/** The number of errors and warnings, of findings and of orders. */
export function countsOf(reported: Told): Pick<Audit, 'errors' | 'warnings'> {
  const all = [...reported.findings, ...onlyToldOfOrders(reported)]
  const countOf = (severity: Finding['severity']) => all.filter((found) => found.severity === severity).length
  return { errors: countOf('error'), warnings: countOf('warning') }
}

/** Sentences about orders that no finding covers, such as two payments for one order. */
export const onlyToldOfOrders = ({ findings, orders }: Told): OrderSentence[] =>
  orders.filter(
    ({ rule, requests }) =>
      !findings.some(
        (finding) => finding.rule === rule && finding.requests.some((id) => requests.includes(id)),
      ),
  )

/** The rules with a finding about one of these, in order of findings. */
function rulesAbout(findings: readonly Finding[], met: readonly string[]): string[] {
  const ids = new Set(met)
  const about = findings.filter((finding) =>
    [...finding.requests, ...finding.about].some((id) => ids.has(id)),
  )
  return [...new Set(about.map(({ rule }) => rule))]
}

function findingOf(
  rule: Rule,
  { what, requests: all = [], about: others = [], amount = null, severity }: Found,
  currency: string,
  orderOf: OrderOf,
): Finding {
  const requests = all.slice(0, NAMED_MAX)
  const about = others.slice(0, NAMED_MAX)
  return {
    rule: rule.id,
    severity: severity ?? rule.severity,
    title: rule.title,
    what,
    requests,
    about,
    orders: [...new Set([...requests, ...about].flatMap((id) => orderOf(id) ?? []))],
    money: amount === null ? null : z.encode(Money, amount),
    currency,
    costs: rule.costs,
    todo: rule.todo,
  }
}
