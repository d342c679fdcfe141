/** Rules about the Idempotency-Key. */
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { groupBy } from '../../spec/grouping.ts'
import { chainsIn, retriedChainsIn, retriesOf } from './chains.ts'
import { inquiriesIn, isKnownBefore } from './inquiries.ts'
import {
  isDone,
  isUnknown,
  type JournaledRequest,
  keyedIn,
  needsKey,
  oncePerPicture,
  type Picture,
  scopedKeyOf,
  writesIn,
} from './picture.ts'
import { type Found, idsOf, sumOf, sumOfEach } from './rule.ts'

/** One finding for each operation, because the same lines of code send all its requests. The orders name double movements of money. */
export function moneyWithoutKey(picture: Picture): Found[] {
  const keyless = writesIn(picture).filter(
    (request) => needsKey(request) && request.key === null && (isDone(request) || isUnknown(request)),
  )
  const chainOf = new Map(
    chainsIn(picture).flatMap((chain) => chain.map((request) => [request, chain] as const)),
  )
  return [...groupBy(keyless, ({ operation }) => operation)].map(([operation, group]) => ({
    what: `${operation} was sent without an Idempotency-Key ${counted(group.length, 'time')}`,
    requests: idsOf(group),
    amount: sumOfEach(group, (request) => chainOf.get(request) ?? request),
  }))
}

export function retriedWithAnotherKey(picture: Picture): Found[] {
  return retriedChainsIn(picture).flatMap((chain) => {
    if (!writes(chain[0]!.asked.method)) return []
    // A 429 between the two does not reveal the outcome of the attempt before it.
    const blind = retriesOf(chain).flatMap(({ before: last, after }, index) => {
      const before = chain.slice(0, index + 1).findLast(isUnknown)
      const isBlind =
        before !== undefined &&
        last.key !== null &&
        after.key !== null &&
        scopedKeyOf(last) !== scopedKeyOf(after) &&
        scopedKeyOf(before) !== scopedKeyOf(after) &&
        !isKnownBefore(inquiriesIn(picture).knownOf(before), after)
      return isBlind ? [{ before, after }] : []
    })
    const [first] = blind
    if (!first) return []
    const happened = chain.filter(({ events }) => events.length > 0).length
    const { before, after } = first
    const under =
      before.key === after.key
        ? `under its key on ${after.path}, where it is another key`
        : 'under another key'
    const more = blind.length > 1 ? ` (${blind.length - 1} more after it)` : ''
    return {
      what: `${after.id} repeats ${before.id} (${before.operation}), whose outcome was unknown, ${under}${more}; ${happened > 1 ? `it happened ${happened === 2 ? 'twice' : `${happened} times`}` : 'this time it did not happen twice'}`,
      requests: [before.id, ...blind.map(({ after }) => after.id)],
      amount: sumOf(blind.map(({ after }) => after.amount)),
    }
  })
}

export function keyForTwoBodies(picture: Picture): Found[] {
  const uses = groupBy(keyedIn(picture), ({ key, asked, path }) => `${asked.method} ${path} ${key}`)
  return [...uses.values()].flatMap((group) => {
    const reused = group.filter(({ verdict }) => verdict === 'reused with another body')
    if (reused.length === 0) return []
    const [first] = group
    return {
      what: `The key ${first!.key} was sent with another body ${counted(reused.length, 'time')}`,
      requests: [...new Set([first!.id, ...idsOf(reused)])],
      amount: sumOfEach(reused, ({ call }) => call),
    }
  })
}

const EMAIL = /[^\s@:/]+@[^\s@:/]+\.\w+/
/** At most nine digits: timestamps have more. */
const COUNTER = /^\d{1,9}$/

export function guessableKey(picture: Picture): Found[] {
  const ofOrders = new Set(writesIn(picture).flatMap(({ json }) => [json.orderId, json.externalId]))
  const kindOf = ({ key }: JournaledRequest) => {
    if (key === null) return null
    if (ofOrders.has(key)) return "an order's or a business's id"
    if (EMAIL.test(key)) return 'an e-mail address'
    return COUNTER.test(key) ? 'a counter' : null
  }
  return [...groupBy(keyedIn(picture), kindOf)].map(([kind, group]) => ({
    what: `The key is ${kind}, such as ${group[0]!.key}`,
    requests: idsOf(group),
    amount: null,
  }))
}

export const keyAfterItsTime = oncePerPicture((picture): Found[] => {
  const { keyRetentionMs } = picture
  const uses = groupBy(keyedIn(picture), (request) =>
    request.verdict === 'first use'
      ? `${request.stateNumber} ${request.asked.method} ${request.path} ${request.key}`
      : null,
  )
  return [...uses.values()].flatMap((group) =>
    group.flatMap((request, index) => {
      const earlier = group.slice(0, index).findLast(isDone)
      if (!earlier || request.at - earlier.at < keyRetentionMs) return []
      const again = isDone(request) ? 'it was carried out again' : 'this time it was refused'
      return {
        what: `The key ${request.key} was sent again after ${formatDuration(keyRetentionMs)}, when it is forgotten; ${again}`,
        requests: [earlier.id, request.id],
        amount: request.amount,
      }
    }),
  )
})
