/** What an audit rule is, and how it says what it found. */
import type { AuditRule } from '../../spec/contract/audit-rules.ts'
import { type Cents, cents } from '../../spec/contract/money.ts'
import type { Picture } from './picture.ts'

export type Severity = 'error' | 'warning'

/** One thing that a rule found. */
export interface Found {
  what: string
  requests?: readonly string[]
  /** Deliveries, refunds, authorizations and checkouts. */
  about?: readonly string[]
  /** The money at stake, where it can be told. */
  amount?: Cents | null
  /** Only where it differs from the rule's severity. */
  severity?: Severity
}

export interface Rule {
  id: AuditRule
  severity: Severity
  /** What may come of it: money moves again, or does not move. Left out where it leads to neither. */
  moves?: readonly ('again' | 'not')[]
  title: string
  /** In a few words, as the label of an order; null where a story has sentences of its own for it. */
  label: string | null
  /** Why it costs money. */
  costs: string
  /** What to do. */
  todo: string
  /**
   * True for a rule about what the client failed to do, or about closed connections. It is not judged when
   * the client was killed, as neither is the client's doing then.
   */
  needsTheEnd?: true
  /**
   * True for a rule about pauses. A busy machine makes them look shorter: an answer arrives late, but the
   * client counts from its request.
   */
  hangsOnTime?: true
  find(picture: Picture): Found[]
}

/** Null where none is known. */
export const sumOf = (amounts: Iterable<Cents | null>): Cents | null => {
  let sum = 0
  let known = false
  for (const amount of amounts) {
    sum += amount ?? 0
    known ||= amount !== null
  }
  return known ? cents(sum) : null
}

/** The same money counts once, however often it was asked for. */
export const sumOfEach = <One extends { amount: Cents | null }>(
  rows: readonly One[],
  nameOf: (row: One) => unknown,
): Cents | null => sumOf(new Map(rows.map((row) => [nameOf(row), row.amount])).values())

export const idsOf = (requests: readonly { id: string }[]): string[] => requests.map(({ id }) => id)
