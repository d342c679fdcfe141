/** Stays below a rate limit: before a request that would exceed it, it waits and prints that it does. */
export interface RequestPace {
  readonly limit: number
  say(line: string): void
  /** Resolves when `count` requests may be sent together; `count` is at most the limit. */
  take(count: number): Promise<void>
}

interface PaceClock {
  /** A monotonic clock, in milliseconds. */
  now(): number
  sleep(ms: number): Promise<unknown>
}

/** A minute and a second, because an earlier request may have arrived late. */
const WINDOW_MS = 61_000

export function requestPace(
  limit: number,
  { now, sleep }: PaceClock,
  say: (line: string) => void,
): RequestPace {
  /** When each of the last `limit` requests was sent. */
  const sentAt: number[] = []
  /** Resolves when all earlier callers have had their turn. */
  let turn = Promise.resolve()

  async function send(count: number): Promise<void> {
    const tooMany = Math.max(0, sentAt.length + count - limit)
    const wait = tooMany > 0 ? sentAt[tooMany - 1]! + WINDOW_MS - now() : 0
    if (wait > 0) {
      say(`the target allows ${limit} requests a minute: sending the next in ${Math.ceil(wait / 1000)} s`)
      await sleep(wait)
    }
    sentAt.splice(0, tooMany)
    for (let sent = 0; sent < count; sent += 1) sentAt.push(now())
  }

  return {
    limit,
    say,
    take(count) {
      turn = turn.then(() => send(count))
      return turn
    },
  }
}
