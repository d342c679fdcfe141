/**
 * Whether a run moved the right money: its ledger against that of the calm run.
 *
 * Movements are put together by order, as a client that lost an answer may have made a second checkout for the same order.
 * An order is what moved for it, such as `charge 100.00, refund 25.00`; its name does not count, as many tests draw names
 * at random. So the tests must do the same in every run, but in any order and under any names.
 */
import type { SandboxControl } from '../../tester/control/control.ts'

/** What moved for one order, such as `charge 100.00`, sorted. */
export interface OrderMoney {
  order: string
  moved: readonly string[]
}

export function moneyOf(shop: Pick<SandboxControl, 'ledger' | 'resource'>): OrderMoney[] {
  const byOrder = new Map<string, string[]>()
  for (const { kind, amount, checkoutId, authorizationId } of shop.ledger().movements) {
    const order = orderOf(shop, (checkoutId ?? authorizationId)!)
    byOrder.set(order, [...(byOrder.get(order) ?? []), `${kind} ${amount.toFixed(2)}`])
  }
  return [...byOrder].map(([order, moved]) => ({ order, moved: moved.sort() }))
}

/** An authorization need not name one. */
function orderOf(shop: Pick<SandboxControl, 'resource'>, id: string): string {
  const { resource } = shop.resource(id)
  return ('orderId' in resource && resource.orderId) || id
}

export interface MoneyCompared {
  /** The same orders: each charge and each refund exactly once. */
  isRight: boolean
  /**
   * What is there could have become right: each order is one of the calm run, with nothing twice and nothing unknown. So
   * it is where a client stops in the middle and says so.
   */
  isUnfinished: boolean
  /** A sentence for each order that is not as it should be. */
  differences: string[]
}

export function compareMoney(calm: readonly OrderMoney[], now: readonly OrderMoney[]): MoneyCompared {
  const missing = [...calm]
  const wrong = now.filter((one) => {
    const same = missing.findIndex(({ moved }) => isSame(moved, one.moved))
    if (same !== -1) missing.splice(same, 1)
    return same === -1
  })
  return {
    isRight: wrong.length === 0 && missing.length === 0,
    isUnfinished: eachFitsOne(now, calm),
    differences: describe(wrong, missing),
  }
}

const isSame = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** What is in the first list and not in the second, each movement counted. */
function without(moved: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken]
  return moved.filter((one) => {
    const index = left.indexOf(one)
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
      if (tried.has(whole) || without(order.moved, whole.moved).length > 0) return false
      tried.add(whole)
      const holder = takenBy.get(whole)
      if (holder && !assign(holder, tried)) return false
      takenBy.set(whole, order)
      return true
    })
  return orders.every((order) => assign(order, new Set()))
}

/** Each wrong order beside the calm one that it most likely is: the one of its name, or the one it shares most with. */
function describe(wrong: readonly OrderMoney[], missing: readonly OrderMoney[]): string[] {
  const left = [...missing]
  const sentences = wrong.map(({ order, moved }) => {
    const likeness = (other: OrderMoney) =>
      other.order === order ? Number.POSITIVE_INFINITY : moved.length - without(moved, other.moved).length
    const [nearest] = [...left].sort((one, other) => likeness(other) - likeness(one))
    if (!nearest || likeness(nearest) === 0) return `${order} is one too many: ${moved.join(', ')}`
    left.splice(left.indexOf(nearest), 1)
    return [
      listed(`${order} has`, without(moved, nearest.moved), 'too much'),
      listed(`${order} lacks`, without(nearest.moved, moved), ''),
    ]
      .filter(Boolean)
      .join('; ')
  })
  return [...sentences, ...left.map(({ order, moved }) => `${order} is missing: ${moved.join(', ')}`)]
}

const listed = (before: string, moved: readonly string[], after: string) =>
  moved.length === 0 ? '' : [before, moved.join(', '), after].filter(Boolean).join(' ')
