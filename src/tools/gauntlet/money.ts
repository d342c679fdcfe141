/**
 * Whether a run moved the right money: its ledger against that of the calm run.
 *
 * Movements are put together by order, as a client that lost an answer may have made a second checkout for the same order.
 * An order is what moved for it, such as `charge 100.00, refund 25.00`; its name does not count, as many tests draw names
 * at random. So the tests must do the same in every run, but in any order and under any names. What two calm runs do not
 * do the same is compared by less: without amounts, or not at all. Where each test has a sandbox of its own, its orders are
 * compared with those of the same test.
 */
import { paymentOf } from '../../spec/contract/refund.ts'
import type { SandboxControl } from '../../tester/control/control.ts'

/** The movements of money for one order, such as `charge 100.00`, sorted. */
export interface OrderMoney {
  order: string
  /** The test of the sandbox in which it moved, if known. */
  test?: string | undefined
  moved: readonly string[]
}

export function moneyOf(shop: Pick<SandboxControl, 'ledger' | 'resource'>): OrderMoney[] {
  const byOrder = new Map<string, string[]>()
  for (const movement of shop.ledger().movements) {
    const order = orderOf(shop, paymentOf(movement))
    byOrder.set(order, [...(byOrder.get(order) ?? []), `${movement.kind} ${movement.amount.toFixed(2)}`])
  }
  return [...byOrder].map(([order, moved]) => ({ order, moved: moved.sort() }))
}

/** The order's name, or the authorization's id if it names none. */
function orderOf(shop: Pick<SandboxControl, 'resource'>, id: string): string {
  const { resource } = shop.resource(id)
  return ('orderId' in resource && resource.orderId) || id
}

/** An order whose money differs from the calm run's. */
export interface OrderDifference {
  order: string
  test?: string | undefined
  is: 'changed' | 'one too many' | 'missing'
  /** What moved and should not have. */
  tooMuch: readonly string[]
  /** What should have moved. */
  lacks: readonly string[]
}

/** The money that a run must have moved. */
export interface Yardstick {
  /** Compared to the cent. */
  orders: readonly OrderMoney[]
  /** Compared by the kinds of their movements, as their amounts differ from run to run. */
  kinds: readonly OrderMoney[]
  /** Tests whose money differs from run to run and is not compared; undefined stands for sandboxes that name no test. */
  open: ReadonlySet<string | undefined>
  /** The differences between two calm runs. */
  unsteady: readonly OrderDifference[]
}

/** The yardstick of one calm run, or of two that may differ. */
export function yardstickOf(calm: readonly OrderMoney[], again: readonly OrderMoney[] = calm): Yardstick {
  const { pairs, wrong, missing } = paired(calm, again)
  const byKind = paired(missing.map(withoutAmounts), wrong.map(withoutAmounts))
  return {
    orders: pairs,
    kinds: byKind.pairs,
    open: new Set([...byKind.wrong, ...byKind.missing].map(({ test }) => test)),
    unsteady: differencesOf(wrong, missing),
  }
}

const withoutAmounts = (order: OrderMoney): OrderMoney => ({ ...order, moved: order.moved.map(kindOf) })

const kindOf = (movement: string): string => movement.split(' ', 1)[0]!

export interface MoneyCompared {
  /** The same orders: each charge and each refund exactly once. */
  isRight: boolean
  /**
   * The money could still become right: each order is the beginning of one of the calm run, with nothing
   * twice and nothing unknown. That is so if a client stops in the middle and reports it.
   */
  isUnfinished: boolean
  /** One for each order that is not as it should be. */
  differences: OrderDifference[]
}

export function compareMoney({ orders, kinds, open }: Yardstick, now: readonly OrderMoney[]): MoneyCompared {
  const exact = paired(orders, now)
  const byKind = new Map(exact.wrong.map((order) => [withoutAmounts(order), order]))
  const rest = paired(kinds, [...byKind.keys()])
  const wrong = rest.wrong.filter(({ test }) => !open.has(test)).map((bare) => byKind.get(bare)!)
  const missing = [...exact.missing, ...rest.missing]
  const closed = now.filter(({ test }) => !open.has(test))
  return {
    isRight: missing.length === 0 && wrong.length === 0,
    isUnfinished: eachFitsOne(closed, [...orders, ...kinds]),
    differences: differencesOf(wrong, missing),
  }
}

/** Pairs each order of the second list with an equal one of the first, and gives what is left of both lists. */
function paired(expected: readonly OrderMoney[], now: readonly OrderMoney[]) {
  const missing = [...expected]
  const pairs: OrderMoney[] = []
  const wrong = now.filter((one) => {
    const same = missing.findIndex((other) => isSame(one, other))
    if (same !== -1) pairs.push(...missing.splice(same, 1))
    return same === -1
  })
  return { pairs, wrong, missing }
}

const isSame = (one: OrderMoney, other: OrderMoney) =>
  one.test === other.test && one.moved.join() === other.moved.join()

/**
 * Removes the movements of the second list from the first, one for one. A movement without an amount equals
 * any of its kind.
 */
function without(moved: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken]
  return moved.filter((one) => {
    const index = left.findIndex((other) => other === one || other === kindOf(one) || kindOf(other) === one)
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
}

/**
 * Whether each order can be the beginning of a calm one of its own. Which one is not known by name, so they are assigned
 * to each other: by augmenting paths, as taking the first that fits may take it from one that fits nowhere else.
 */
function eachFitsOne(orders: readonly OrderMoney[], calm: readonly OrderMoney[]): boolean {
  const takenBy = new Map<OrderMoney, OrderMoney>()
  const assign = (order: OrderMoney, tried: Set<OrderMoney>): boolean =>
    calm.some((whole) => {
      if (order.test !== whole.test || tried.has(whole)) return false
      if (without(order.moved, whole.moved).length > 0) return false
      tried.add(whole)
      const holder = takenBy.get(whole)
      if (holder && !assign(holder, tried)) return false
      takenBy.set(whole, order)
      return true
    })
  return orders.every((order) => assign(order, new Set()))
}

/** Each wrong order beside the calm one that it most likely is: the one of its name, or the one it shares most with. */
function differencesOf(wrong: readonly OrderMoney[], missing: readonly OrderMoney[]): OrderDifference[] {
  const left = [...missing]
  const found = wrong.map(({ order, test, moved }): OrderDifference => {
    const likeness = (other: OrderMoney) =>
      other.order === order ? Number.POSITIVE_INFINITY : moved.length - without(moved, other.moved).length
    const [nearest] = left
      .filter((other) => other.test === test)
      .sort((one, other) => likeness(other) - likeness(one))
    if (!nearest || likeness(nearest) === 0)
      return { order, test, is: 'one too many', tooMuch: moved, lacks: [] }
    left.splice(left.indexOf(nearest), 1)
    return {
      order,
      test,
      is: 'changed',
      tooMuch: without(moved, nearest.moved),
      lacks: without(nearest.moved, moved),
    }
  })
  return [
    ...found,
    ...left.map(
      ({ order, test, moved }): OrderDifference => ({
        order,
        test,
        is: 'missing',
        tooMuch: [],
        lacks: moved,
      }),
    ),
  ]
}

export function differenceText({ order, is, tooMuch, lacks }: OrderDifference): string {
  if (is === 'one too many') return `${order} is one too many: ${listText(tooMuch)}`
  if (is === 'missing') return `${order} is missing: ${listText(lacks)}`
  return [
    tooMuch.length > 0 && `${order} has ${listText(tooMuch)} too much`,
    lacks.length > 0 && `${order} lacks ${listText(lacks)}`,
  ]
    .filter((part) => part !== false)
    .join('; ')
}

/** `3 × charge 20.00, refund 5.00`. */
const listText = (moved: readonly string[]): string =>
  [...new Set(moved)]
    .map((one) => [moved.filter((other) => other === one).length, one] as const)
    .map(([times, one]) => (times === 1 ? one : `${times} × ${one}`))
    .join(', ')

/** Whether money moved again that had moved for this order; tests do not do that by accident. */
export const isMovedTwice = ({ is, tooMuch, lacks }: OrderDifference): boolean =>
  is === 'changed' && lacks.length === 0 && tooMuch.length > 0
