/** Rules about a client's reads, and what it leaves unfinished. */
import { missedStates, waitsForBuyer } from '../../service/domain/states.ts'
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { PAGE_MAX_ROWS } from '../../spec/contract/limits.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { groupBy } from '../../spec/grouping.ts'
import { inquiriesIn } from './inquiries.ts'
import { isRead, type JournaledRequest, type Picture, pauseBetween } from './picture.ts'
import { type Found, idsOf, sumOf } from './rule.ts'

/** Reading faster than this is too fast: refunds take days, and a webhook reports their completion. */
const FASTEST_POLL_MS = 1_000
const POLLS = 5
const POLL_GROWTH = 1.2

const answerOf = ({ answered }: JournaledRequest) => parsedJson(answered?.body ?? '') ?? {}

export function polledTooOften({ requests }: Picture): Found[] {
  const reads = groupBy(requests, ({ operation, call }) => (operation === 'refunds.get' ? call : null))
  return [...reads.values()].flatMap((group) => {
    let pause = Number.POSITIVE_INFINITY
    const fast = group.filter((read, index) => {
      const before = group[index - 1]
      if (!before) return false
      const earlier = pause
      pause = pauseBetween(before, read)
      // A growing pause is soon long enough, so it does not count.
      const isFast = pause < FASTEST_POLL_MS && pause < earlier * POLL_GROWTH
      return isFast && (before.answered?.body.includes('"status":"pending"') ?? false)
    })
    if (fast.length < POLLS) return []
    return {
      what: `${group[0]!.subject} was read ${counted(fast.length, 'time')} while it was pending, less than ${formatDuration(FASTEST_POLL_MS)} after the time before`,
      requests: idsOf(fast),
      about: [group[0]!.subject ?? ''],
    }
  })
}

/** Reading pending refunds once a day is enough. */
const LEARN_WITHIN_MS = 24 * 60 * 60 * 1000

const showsRefunds = (request: JournaledRequest) =>
  isRead(request) &&
  request.operation !== null &&
  ENDPOINTS[request.operation].does === 'list' &&
  ['refund', 'event'].includes(ENDPOINTS[request.operation].what)

export function completionNotLearned({ requests, deliveries, completedRefunds }: Picture): Found[] {
  const last = requests.at(-1)
  const lists = requests.filter(showsRefunds)
  const lastList = lists.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  const lastRead = new Map<string | null, number>()
  for (const request of requests)
    if (request.operation === 'refunds.get' && isRead(request)) lastRead.set(request.subject, request.at)
  const notified = new Set(
    deliveries
      .filter(
        ({ eventType, status }) =>
          // A webhook that is pending may still arrive.
          eventType === 'refund.completed' && (status === 'pending' || status === 'delivered'),
      )
      .map(({ resourceId }) => resourceId),
  )
  const unlearned = completedRefunds.filter(({ id, completedAt, createdAt }) => {
    // Excluded: refunds completed in the response to their creation, and recent ones, which the client may still read.
    if (completedAt === createdAt || !last || last.at - completedAt < LEARN_WITHIN_MS) return false
    return !notified.has(id) && lastList < completedAt && (lastRead.get(id) ?? lastList) < completedAt
  })
  if (unlearned.length === 0) return []
  return [
    {
      what: `${counted(unlearned.length, 'refund')} completed without a webhook that was taken or a read since`,
      about: idsOf(unlearned),
      amount: sumOf(unlearned.map(({ amount }) => amount)),
    },
  ]
}

export const leftOpen =
  (payment: ResourceName) =>
  ({ leftOpen }: Picture): Found[] =>
    leftOpen
      .filter(({ kind }) => kind === payment)
      .map(({ kind, status, count, ids, amount }) => ({
        what: `${counted(count, kind)} ${leftOpenText(kind, status)}`,
        about: ids,
        amount,
      }))

/** The state is omitted if every payment of the kind enters it. */
function leftOpenText(kind: ResourceName, status: string): string {
  if (waitsForBuyer(kind, status)) return `left ${status}`
  const neither = `neither ${missedStates(kind, status).join(' nor ')}`
  return status === DEFINITIONS[kind].states[0] ? neither : `${status}, and ${neither}`
}

/**
 * Whether the page has the default or the maximum size, and so may be mistaken for the whole list. A small page was requested on
 * purpose.
 */
const looksWhole = ({ query }: JournaledRequest) =>
  !query.has('cursor') && (!query.has('limit') || query.get('limit') === String(PAGE_MAX_ROWS))

/** Reads of a first page without the rest. A page that shows a row of an earlier one is enough, because the rest is known. */
export function onlyTheFirstPage(picture: Picture): Found[] {
  const { requests, forgotten } = picture
  const isList = (request: JournaledRequest) =>
    isRead(request) && request.operation !== null && looksWhole(request)
  const withMore = new Set(
    requests.filter((request) => request.hasMore && isList(request)).map(({ asked }) => asked.target),
  )
  const lists = requests.filter((request) => withMore.has(request.asked.target) && isList(request))
  const followed = new Set(requests.map(({ query }) => query.get('cursor')))
  const lastNamed = new Map(requests.map(({ subject, number }) => [subject, number]))
  const inquiries = inquiriesIn(picture)
  const cut = [...groupBy(lists, ({ asked }) => asked.target).values()].flatMap((reads) => {
    const known = new Set<string>()
    return reads.filter((request, index) => {
      const { data = [], nextCursor } = answerOf(request) as {
        data?: { id: string }[]
        nextCursor?: string
      }
      const isEnough =
        !request.hasMore ||
        followed.has(nextCursor ?? '') ||
        data.some(({ id }) => known.has(id)) ||
        // The client found the row it looked for.
        data.some(({ id }) => (lastNamed.get(id) ?? 0) > request.number) ||
        inquiries.isAnswer(request) ||
        // A forgotten request may have read the rest.
        (index === 0 && forgotten > 0)
      if (isEnough) for (const { id } of data) known.add(id)
      return !isEnough
    })
  })
  return [...groupBy(cut, ({ operation }) => operation)].map(([operation, group]) => ({
    what: `${operation} had more pages, and only the first was read`,
    requests: idsOf(group),
  }))
}
