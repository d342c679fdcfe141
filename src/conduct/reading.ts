/** Rules about what a client reads, and what it leaves open. */
import { formatDuration } from '../contract/duration.ts'
import { PAGE_MAX_ROWS } from '../contract/limits.ts'
import { howMany, idsOf, sumOf } from './found.ts'
import { groupBy, type JournaledRequest, type Picture, pauseBetween } from './picture.ts'
import type { Found } from './rule.ts'

/** Refunds take days; webhooks tell when one is done. */
export const FASTEST_POLL_MS = 1_000
const POLLS = 5

const answerOf = ({ answer }: JournaledRequest): Record<string, unknown> => {
  try {
    return (JSON.parse(answer ?? '') ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}

export function polledTooOften({ requests }: Picture): Found[] {
  const reads = groupBy(requests, ({ operation, subject }) => (operation === 'refunds.get' ? subject : null))
  return [...reads].flatMap(([refund, group]) => {
    const fast = group.filter((read, index) => {
      const before = group[index - 1]
      return before && pauseBetween(before, read) < FASTEST_POLL_MS && answerOf(before).status === 'pending'
    })
    if (fast.length < POLLS) return []
    return {
      what: `${refund} was read ${howMany(fast.length, 'time')} while it was pending, less than ${formatDuration(FASTEST_POLL_MS)} after the time before`,
      requests: idsOf(fast),
      about: [refund],
    }
  })
}

const SHOW_REFUNDS = new Set(['refunds.list', 'checkouts.refunds', 'events.list'])

export function completionNotLearned({ requests, deliveries, completedRefunds }: Picture): Found[] {
  const last = requests.at(-1)
  const lists = requests.filter(({ operation }) => SHOW_REFUNDS.has(operation ?? ''))
  const lastList = lists.at(-1)?.arrivedAt ?? Number.NEGATIVE_INFINITY
  const lastRead = new Map<string | null, number>()
  for (const { operation, subject, arrivedAt } of requests)
    if (operation === 'refunds.get') lastRead.set(subject, arrivedAt)
  const told = new Set(
    deliveries
      .filter(
        ({ eventType, status }) =>
          // One that is still to come may tell.
          eventType === 'refund.completed' && (status === 'pending' || status === 'delivered'),
      )
      .map(({ resourceId }) => resourceId),
  )
  const unlearned = completedRefunds.filter(({ id, completedAt, createdAt }) => {
    // Whether the answer to its creation said so already, or nothing came after it, the client had no reason to ask.
    if (completedAt === createdAt || !last || last.arrivedAt <= completedAt) return false
    return !told.has(id) && lastList < completedAt && (lastRead.get(id) ?? lastList) < completedAt
  })
  if (unlearned.length === 0) return []
  return [
    {
      what: `${howMany(unlearned.length, 'refund')} completed without a webhook that was taken or a read since`,
      about: idsOf(unlearned),
      amount: sumOf(unlearned.map(({ amount }) => amount)),
    },
  ]
}

export function authorizationsLeftOpen({ openAuthorizations }: Picture): Found[] {
  if (openAuthorizations.length === 0) return []
  return [
    {
      what: `${howMany(openAuthorizations.length, 'authorization')} neither captured nor voided`,
      about: idsOf(openAuthorizations),
      amount: sumOf(openAuthorizations.map(({ amount }) => amount)),
    },
  ]
}

export function checkoutsLeftOpen({ openCheckouts }: Picture): Found[] {
  return [...groupBy(openCheckouts, ({ status }) => status)].map(([status, group]) => ({
    what:
      status === 'approved'
        ? `${howMany(group.length, 'checkout')} approved by the buyer, and neither confirmed nor canceled`
        : `${howMany(group.length, 'checkout')} left ${status}`,
    about: idsOf(group),
    amount: sumOf(group.map(({ amount }) => amount)),
  }))
}

/** A small page on purpose is no oversight; the default and the largest one are taken for the whole list. */
const looksWhole = ({ query }: JournaledRequest) =>
  !query.has('cursor') && (!query.has('limit') || query.get('limit') === String(PAGE_MAX_ROWS))

export function onlyTheFirstPage({ requests }: Picture): Found[] {
  const lists = requests.filter(({ method, operation }) => method === 'GET' && operation !== null)
  const followed = new Set(lists.map(({ query }) => query.get('cursor')))
  const cut = lists.filter((request) => {
    if (!looksWhole(request) || !request.answer?.includes('"nextCursor"')) return false
    const { nextCursor } = answerOf(request)
    return typeof nextCursor === 'string' && !followed.has(nextCursor)
  })
  return [...groupBy(cut, ({ operation }) => operation)].map(([operation, group]) => ({
    what: `${operation} had more pages, and only the first was read`,
    requests: idsOf(group),
  }))
}
