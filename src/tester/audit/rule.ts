/** What an audit rule is, and how it reports findings. */
import type { AuditRule } from '../../spec/contract/audit-rules.ts'
import { type Cents, cents } from '../../spec/contract/money.ts'
import type { JournaledRequest, Picture } from './picture.ts'

export type Severity = 'error' | 'warning'

export const errorsFirst = (a: { severity: Severity }, b: { severity: Severity }): number =>
  Number(a.severity === 'warning') - Number(b.severity === 'warning')

/** One finding of a rule. */
export interface Found {
  what: string
  requests?: readonly string[]
  /** Deliveries, refunds, authorizations and checkouts. */
  about?: readonly string[]
  /** The money at stake, if known. */
  amount?: Cents | null
  /** Set only if it differs from the rule's severity. */
  severity?: Severity
}

export interface Rule {
  id: AuditRule
  severity: Severity
  /** The possible consequence: money moves again, or does not move. Unset for neither. */
  moves?: readonly ('again' | 'not')[]
  title: string
  /** A short label for an order; null if orders have their own sentences about it. */
  label: string | null
  /** Why it costs money. */
  costs: string
  /** What to do. */
  todo: string
  /**
   * True for a rule about omissions of the client, or about closed connections. Not judged if the client was killed, because then
   * neither is the client's doing.
   */
  needsTheEnd?: true
  /**
   * True for a rule about pauses. A busy machine makes them look shorter: a response arrives late, but the client counts from its
   * request.
   */
  hangsOnTime?: true
  find(picture: Picture): Found[]
}

export const totalOf = (amounts: readonly Cents[]) => cents(amounts.reduce((sum, amount) => sum + amount, 0))

/** Null if none is known. */
export function sumOf(amounts: Iterable<Cents | null>): Cents | null {
  const known = [...amounts].filter((amount) => amount !== null)
  return known.length === 0 ? null : totalOf(known)
}

/** One finding about all of these requests; none without any. */
export const foundIn = (requests: readonly JournaledRequest[], what: string): Found[] =>
  requests.length === 0
    ? []
    : [{ what, requests: idsOf(requests), amount: sumOf(requests.map(({ amount }) => amount)) }]

/** The same money counts once, however often it was requested. */
export const sumOfEach = <One extends { amount: Cents | null }>(
  rows: readonly One[],
  nameOf: (row: One) => unknown,
): Cents | null => sumOf(new Map(rows.map((row) => [nameOf(row), row.amount])).values())

export const idsOf = (requests: readonly { id: string }[]): string[] => requests.map(({ id }) => id)
