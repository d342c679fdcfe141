/** §1.5: the money that production would move. Each kind of movement is a row here; the definitions name its causes. */

export const LEDGER_KINDS = {
  charge: {
    sign: 1,
    sum: 'charged',
    count: 'charges',
    about: 'How much was charged by confirming checkouts',
  },
  capture: { sign: 1, sum: 'captured', count: 'captures', about: 'How much of authorizations was captured' },
  refund: { sign: -1, sum: 'refunded', count: 'refunds', about: 'How much was refunded' },
} as const satisfies Record<string, LedgerKindRow>

interface LedgerKindRow {
  /** 1 for money that the platform's business receives, -1 for money that it returns. */
  readonly sign: 1 | -1
  /** The verb of the movement, and the name of its sum. */
  readonly sum: string
  readonly count: string
  readonly about: string
}

export type LedgerKind = keyof typeof LEDGER_KINDS
export const LEDGER_KIND_NAMES = Object.keys(LEDGER_KINDS) as [LedgerKind, ...LedgerKind[]]

type Kinds = typeof LEDGER_KINDS
export type SumName = Kinds[LedgerKind]['sum']
export type CountName = Kinds[LedgerKind]['count']

/** A table of sums by name, and a table of counts by name. */
export const ofSums = <Sum, Count>(sum: (kind: LedgerKind) => Sum, count: (kind: LedgerKind) => Count) =>
  Object.fromEntries([
    ...LEDGER_KIND_NAMES.map((kind) => [LEDGER_KINDS[kind].sum, sum(kind)]),
    ...LEDGER_KIND_NAMES.map((kind) => [LEDGER_KINDS[kind].count, count(kind)]),
  ]) as Record<SumName, Sum> & Record<CountName, Count>

export const isGivenBack = (kind: LedgerKind): boolean => LEDGER_KINDS[kind].sign === -1

/** The effect of a creation or a move on money. */
export interface LedgerEffect {
  readonly kind: LedgerKind
  /** The field with the amount. */
  readonly amount: string
}
