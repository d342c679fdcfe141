/**
 * Compares the money of a run with that of the baseline run, by order, because a client that lost a response may have made a second
 * checkout. Orders with the same movements are equal under any name, because many tests draw names at random; the others are compared
 * by name, and the rest by their sum. Orders in which two baseline runs differ are compared without amounts, or not at all.
 */
import { LEDGER_KIND_NAMES } from '../../spec/contract/resources/ledger.ts'
import { paymentOf } from '../../spec/contract/resources/movements.ts'
import { groupBy } from '../../spec/grouping.ts'
import { type SandboxControl, steeredBy } from '../../tester/control/control.ts'
import { orderOf } from '../../tester/control/stories.ts'
import type { MoneyDifference, MovedMoney } from '../../tester/story/difference.ts'

/** The movements of money for one order, sorted by kind and amount. */
export interface OrderMoney {
  order: string
  /** The test of the sandbox in which it moved, if known. */
  test?: string | undefined
  moved: readonly MovedMoney[]
}

export function moneyOf(shop: SandboxControl): OrderMoney[] {
  const { internals } = steeredBy(shop)
  const store = internals.committedStore()
  const byOrder = groupBy(
    shop.ledger().movements,
    (movement) => orderOf(internals, store, paymentOf(movement))!,
  )
  return [...byOrder].map(([order, movements]) => ({
    order,
    moved: movements.map(({ kind, amount }) => ({ kind, amount })).sort(byKindAndAmount),
  }))
}

const byKindAndAmount = (a: MovedMoney, b: MovedMoney) =>
  LEDGER_KIND_NAMES.indexOf(a.kind) - LEDGER_KIND_NAMES.indexOf(b.kind) || (a.amount ?? 0) - (b.amount ?? 0)

/** An order whose money differs from the baseline run. */
export interface OrderDifference extends MoneyDifference {
  test?: string | undefined
  is: 'changed' | 'one too many' | 'missing'
}

/** The money that a run must have moved. */
export interface Yardstick {
  orders: readonly OrderMoney[]
  /** Tests in which more may have moved, as their runs differ; undefined stands for sandboxes that name no test. */
  open: ReadonlySet<string | undefined>
  /** The differences between two baseline runs. */
  unsteady: readonly OrderDifference[]
}

/** The yardstick of one baseline run, or of two that may differ. */
export function yardstickOf(first: readonly OrderMoney[], second = first): Yardstick {
  const { pairs, alone, left } = paired(second, first, isSame)
  const byKind = paired(alone.map(withoutAmounts), left.map(withoutAmounts), isSame)
  return {
    orders: [...pairs, ...byKind.pairs].map(([, expected]) => expected),
    open: new Set([...byKind.alone, ...byKind.left].map(({ test }) => test)),
    unsteady: differencesOf(alone, left),
  }
}

const withoutAmounts = (order: OrderMoney): OrderMoney => ({
  ...order,
  moved: order.moved.map(({ kind }) => ({ kind })),
})

/** One difference for each order that is not as it should be. */
export function compareMoney({ orders, open }: Yardstick, now: readonly OrderMoney[]): OrderDifference[] {
  const { alone, left } = paired(now, orders, isSame)
  return differencesOf(
    alone.filter(({ test }) => !open.has(test)),
    left,
  )
}

/** Pairs each item with one of the others, and returns what is left of both lists. */
function paired<Item>(
  items: readonly Item[],
  others: readonly Item[],
  isPair: (item: Item, other: Item) => boolean,
) {
  const left = [...others]
  const pairs: [item: Item, other: Item][] = []
  const alone = items.filter((item) => {
    const index = left.findIndex((other) => isPair(item, other))
    if (index !== -1) pairs.push([item, ...left.splice(index, 1)] as [Item, Item])
    return index === -1
  })
  return { pairs, alone, left }
}

const isSame = (order: OrderMoney, expected: OrderMoney) =>
  order.test === expected.test &&
  order.moved.length === expected.moved.length &&
  without(order.moved, expected.moved).length === 0

/** Removes the movements of the second list from the first, one for one. */
const without = (moved: readonly MovedMoney[], taken: readonly MovedMoney[]): MovedMoney[] =>
  paired(
    moved,
    taken,
    ({ kind, amount }, move) => move.kind === kind && (amount ?? move.amount) === (move.amount ?? amount),
  ).alone

/** By name; what is left of both lists is compared as one sum of movements. */
function differencesOf(wrong: readonly OrderMoney[], missing: readonly OrderMoney[]): OrderDifference[] {
  const named = paired(wrong, missing, (a, b) => a.order === b.order && a.test === b.test)
  const found = named.pairs.map(([{ order, test, moved }, expected]): OrderDifference => {
    const [tooMuch, lacks] = [without(moved, expected.moved), without(expected.moved, moved)]
    return { order, test, is: 'changed', tooMuch, lacks }
  })
  const left = named.left.map((order) => ({ ...order, lacks: order.moved }))
  for (const { order, test, moved } of named.alone) {
    let tooMuch = moved
    for (const expected of left.filter((difference) => difference.test === test)) {
      const { lacks } = expected
      expected.lacks = without(lacks, tooMuch)
      tooMuch = without(tooMuch, lacks)
    }
    const is = tooMuch.length < moved.length ? 'changed' : 'one too many'
    if (tooMuch.length > 0) found.push({ order, test, is, tooMuch, lacks: [] })
  }
  for (const { order, test, moved, lacks } of left) {
    const is = lacks.length < moved.length ? 'changed' : 'missing'
    if (lacks.length > 0) found.push({ order, test, is, tooMuch: [], lacks })
  }
  return found
}

/** Nothing that a client did twice or that the baseline run does not have: it stopped in the middle. */
export const isUnfinished = (differences: readonly OrderDifference[]): boolean =>
  differences.every(({ tooMuch }) => tooMuch.length === 0)

export function differenceText({ order, is, tooMuch, lacks }: OrderDifference): string {
  if (is === 'one too many') return `${order} is one too many: ${listText(tooMuch)}`
  if (is === 'missing') return `${order} is missing: ${listText(lacks)}`
  return [
    ...(tooMuch.length > 0 ? [`${order} has ${listText(tooMuch)} too much`] : []),
    ...(lacks.length > 0 ? [`${order} lacks ${listText(lacks)}`] : []),
  ].join('; ')
}

/** `3 × charge 20.00, refund 5.00`. */
const listText = (moved: readonly MovedMoney[]): string =>
  [...groupBy(moved.map(movementText), (movement) => movement)]
    .map(([movement, { length }]) => (length === 1 ? movement : `${length} × ${movement}`))
    .join(', ')

/** Such as `charge 100.00`. */
export const movementText = ({ kind, amount }: MovedMoney): string =>
  amount === undefined ? kind : `${kind} ${amount.toFixed(2)}`

/** Whether money moved again that had moved for this order; tests do not do that by accident. */
export const isMovedTwice = ({ is, tooMuch, lacks }: OrderDifference): boolean =>
  is === 'changed' && lacks.length === 0 && tooMuch.length > 0
