/** Rules about a client's behavior after an error or a missing response. */
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { groupBy, runsOf } from '../../spec/grouping.ts'
import { chainsIn, retriedChainsIn, retriesOf } from './chains.ts'
import { inquiriesIn } from './inquiries.ts'
import {
  endedMs,
  isDamaged,
  isDone,
  isInFlight,
  isUnknown,
  type JournaledRequest,
  movesMoney,
  oncePerPicture,
  type Picture,
  pauseBetween,
} from './picture.ts'
import { type Found, idsOf, sumOf } from './rule.ts'

/**
 * Only chains of the current state: the webhooks of a replaced state were deleted, so they cannot show whether the client was
 * informed.
 */
const chainsOfWritesIn = oncePerPicture((picture) =>
  chainsIn(picture).filter(
    ([first]) => writes(first!.asked.method) && first!.stateNumber === picture.stateNumber,
  ),
)

// The outcome stayed unknown

const severityOf = (request: JournaledRequest) => (movesMoney(request) ? 'error' : 'warning')

/** Whether the client ever knew the outcome; a webhook may be about an earlier attempt under another key. */
function isOutcomeLearned(picture: Picture, chain: readonly JournaledRequest[]): boolean {
  const { knownOf } = inquiriesIn(picture)
  return (
    Number.isFinite(knownOf(chain.at(-1)!).byRequest) ||
    chain.some((request) => Number.isFinite(knownOf(request).toldAt))
  )
}

export function unknownAndLeftSo(picture: Picture): Found[] {
  return chainsOfWritesIn(picture).flatMap((chain) => {
    // A 429 does not reveal the outcome of the attempt before it.
    const last = chain.findLast(({ status }) => status !== 429) ?? chain.at(-1)!
    // Requests in flight are judged by `inFlightAndLeftSo`.
    if (!isUnknown(last) || isInFlight(last)) return []
    const isRetried = chain.length > 1
    const happened = chain.some(({ events }) => events.length > 0)
    // If all retries were refused, nothing had happened, and further retries would tell the client no more.
    if (isRetried && !happened) return []
    if (isOutcomeLearned(picture, chain)) return []
    return {
      what: `${last.id} (${last.operation}) ${whatCame(last)} and was not asked for again; it ${happened ? 'did happen' : 'did not happen'}`,
      requests: idsOf(chain),
      amount: last.amount,
      // The status alone is enough for a client that needs nothing of the body.
      severity: isSuccessWithoutBody(last) ? 'warning' : severityOf(last),
    }
  })
}

const isSuccessWithoutBody = (request: JournaledRequest) => isDone(request) && isDamaged(request)

function whatCame(request: JournaledRequest): string {
  const { status } = request
  if (isSuccessWithoutBody(request)) return `was answered ${status} with a broken body`
  return status !== null && status >= 500 ? `was answered ${status}` : 'got no complete response'
}

export function inFlightAndLeftSo(picture: Picture): Found[] {
  return chainsOfWritesIn(picture).flatMap((chain) => {
    const last = chain.at(-1)!
    if (!isInFlight(last) || isOutcomeLearned(picture, chain)) return []
    return {
      what: `${last.id} (${last.operation}) was answered 409 while the first request was in flight, and was not asked for again`,
      requests: idsOf(chain),
      amount: last.amount,
      severity: severityOf(last),
    }
  })
}

// Pauses

/** A shorter pause does not let a service recover. One immediate retry is common, because connections are closed while idle. */
const SHORTEST_PAUSE_MS = 100
const CLOSE_RETRIES = 2
/** From this many retries on, equal pauses count as a pause that does not grow; and how much they may vary. */
const EQUAL_PAUSES = 4
const GROWTH = 1.2
/** A pause this long is considerate even if it does not grow; a job may run every minute. */
const LONG_PAUSE_MS = 5_000

/** How much too early a retry may arrive: timers are inexact, and requests take time on their way. */
const TOLERANCE_MS = 50

/**
 * The pauses between attempts. After a request that its client abandoned, or that was never answered, there is none: the client
 * itself was waiting until then.
 */
const pausesOf = (chain: readonly JournaledRequest[]) =>
  retriesOf(chain)
    .filter(({ before }) => !before.clientLeft && before.fault !== 'hang')
    .map(({ before, after }) => ({ before, after, ms: pauseBetween(before, after) }))

/** Only of requests with a key: without one, equal requests of several workers look like retries. */
const keyedChainsIn = (picture: Picture) => retriedChainsIn(picture).filter(([first]) => first!.key !== null)

export function pausesTooShort(picture: Picture): Found[] {
  return keyedChainsIn(picture).flatMap((chain) => {
    const pauses = pausesOf(chain).filter(({ before }) => before.retryAfterMs === null)
    const close = pauses.filter(({ ms }) => ms < SHORTEST_PAUSE_MS)
    const sentAgain = (times: number, how: string) => ({
      what: `${chain[0]!.id} was sent again ${counted(times, 'time')} with ${how}`,
      requests: idsOf(chain),
      amount: chain[0]!.amount,
    })
    if (close.length >= CLOSE_RETRIES)
      return sentAgain(close.length, `less than ${formatDuration(SHORTEST_PAUSE_MS)} between`)
    const lengths = pauses.map(({ ms }) => ms).sort((a, b) => a - b)
    if (lengths.length < EQUAL_PAUSES) return []
    const shortest = lengths[0]!
    // A busy machine makes all pauses a little longer, and one of them much longer.
    const longest = lengths.at(lengths.length > EQUAL_PAUSES ? -2 : -1)!
    if (shortest >= LONG_PAUSE_MS || longest > shortest * GROWTH + TOLERANCE_MS) return []
    return sentAgain(pauses.length, `the same pause of about ${formatDuration(Math.round(shortest))}`)
  })
}

export function againstRetryAfter(picture: Picture): Found[] {
  return keyedChainsIn(picture).flatMap((chain) => {
    const early = pausesOf(chain).filter(
      ({ before, ms }) => before.retryAfterMs !== null && ms + TOLERANCE_MS < before.retryAfterMs,
    )
    const [first] = early
    if (!first) return []
    return {
      what: `${first.after.id} came ${formatDuration(Math.round(first.ms))} after ${first.before.id}, whose Retry-After was ${formatDuration(first.before.retryAfterMs!)}`,
      requests: [...new Set(early.flatMap(({ before, after }) => [before.id, after.id]))],
      amount: chain[0]!.amount,
    }
  })
}

const GOING_ON = 3
/** Requests within this time were sent by other workers before the first 429 was read, so they do not count. */
const HEEDED_AFTER_MS = 500

/**
 * Counts only later requests that also got 429. A later success shows that a behavior limited only some requests, not the whole
 * client.
 */
export function goingOnAfter429(picture: Picture): Found[] {
  const limited = picture.requests.filter(({ status }) => status === 429)
  // Only first attempts: pauses before retries are judged by another rule.
  const firstTries = new Set(chainsIn(picture).map(([first]) => first))
  const windows = runsOf(
    limited,
    (first, request) => pauseBetween(first, request) + TOLERANCE_MS < (first.retryAfterMs ?? 0),
  )
  return windows.flatMap((window) => {
    const first = window[0]!
    const more = window.filter(
      (request) => pauseBetween(first, request) > HEEDED_AFTER_MS && firstTries.has(request),
    )
    if (more.length < GOING_ON) return []
    return {
      what: `After ${first.id} was answered 429, ${counted(more.length, 'other request')} came before its Retry-After had passed`,
      requests: [first.id, ...idsOf(more)],
      amount: sumOf(more.map(({ amount }) => amount)),
    }
  })
}

// What cannot succeed

const REFUSALS = new Set([400, 401, 403, 404, 405, 409, 413, 415, 422])
const REPEATED = 3
/** Later, the same request may be a new one. */
const SOON_MS = 60_000

export function repeatedInVain({ requests }: Picture): Found[] {
  const isFinal = (request: JournaledRequest) =>
    request.status !== null && REFUSALS.has(request.status) && !isInFlight(request)
  const nameOf = ({ operation, asked, path }: JournaledRequest) => operation ?? `${asked.method} ${path}`
  const lastDone = new Map(requests.filter(isDone).map(({ call, begunMs }) => [call, begunMs]))
  // A request that succeeded in the end was not repeated in vain.
  const succeededAfter = (run: readonly JournaledRequest[]) =>
    (lastDone.get(run[0]!.call) ?? Number.NEGATIVE_INFINITY) > run.at(-1)!.begunMs
  const isRepeated = (before: JournaledRequest, request: JournaledRequest) =>
    isFinal(before) &&
    before.status === request.status &&
    before.call === request.call &&
    request.begunMs >= endedMs(before) &&
    pauseBetween(before, request) < SOON_MS
  return [...groupBy(requests, nameOf).values()]
    .flatMap((group) => runsOf(group, (_, request, last) => isRepeated(last, request)))
    .filter((run) => run.length >= REPEATED && !succeededAfter(run))
    .map((run) => ({ ...vainText(run), requests: idsOf(run), amount: run[0]!.amount }))
}

/** A state may change, but a key that keeps its refusal blocks the request for as long as the key lasts. */
function vainText(run: readonly JournaledRequest[]): Pick<Found, 'what' | 'severity'> {
  const first = run[0]!
  const again = run.filter(({ verdict }) => verdict === 'replayed').length
  const isBlocked = first.status === 409 && movesMoney(first) && again === run.length - 1
  return isBlocked
    ? {
        what: `${first.id} (${first.operation}) was refused with 409, and its key keeps the refusal: ${counted(again, 'retry', 'retries')} under that key got it again`,
        severity: 'error',
      }
    : {
        what: `${first.asked.method} ${first.asked.target} was answered ${first.status} ${run.length} times in a row`,
      }
}
