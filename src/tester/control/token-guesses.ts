/**
 * Limits guessing of the admin token, by its header and the dashboard's log-in together: after five wrong tokens in a minute a
 * client must wait for the minute to end. Meanwhile even the right token is refused, so a guess reveals nothing. Repeating the
 * same wrong token does not count, so that a program with an outdated token does not lock out others at its address.
 */
import { createHash } from 'node:crypto'
import { ipIn, plainIp } from '../../service/door/request.ts'
import type { AppEnv } from '../../spec/node-http.ts'
import { stopwatch } from '../../spec/world/clock.ts'

const WRONG_MOST = 5
const MINUTE_MS = 60_000
const CLIENTS_MAX = 1_000
/** Counts for every new client once a thousand others are counted. */
const ANY_OTHER = 'any other'

export type TokenGuesses = ReturnType<typeof tokenGuesses>

/** `trustProxy`: count by the address that the proxy appended to X-Forwarded-For. */
export function tokenGuesses({ trustProxy = false, now = stopwatch } = {}) {
  /** The hashes of the wrong tokens of each client in this minute: a token may be as long as a body. */
  const wrongOf = new Map<string, Set<string>>()
  let minuteEndsAt = 0
  return {
    /** Whole seconds that the client must wait. 0 if the guess may be checked; a wrong guess has then been counted. */
    waitSeconds(client: string, guess: string, isRight: boolean): number {
      const at = now()
      if (at >= minuteEndsAt) {
        wrongOf.clear()
        minuteEndsAt = at + MINUTE_MS
      }
      const counted = wrongOf.has(client) || wrongOf.size < CLIENTS_MAX ? client : ANY_OTHER
      const wrong = wrongOf.get(counted) ?? new Set()
      if (wrong.size >= WRONG_MOST) return Math.ceil((minuteEndsAt - at) / 1_000)
      if (!isRight) wrongOf.set(counted, wrong.add(createHash('sha256').update(guess).digest('base64')))
      return 0
    },

    /**
     * The last address of X-Forwarded-For behind a trusted proxy: earlier ones are the client's own text, and could differ for
     * each guess. Otherwise the address of the socket. An embedded simulator has one caller.
     */
    clientOf({ headers }: Request, bindings: object | undefined): string {
      const forwarded = trustProxy ? ipIn(headers.get('x-forwarded-for')?.split(',').at(-1)) : undefined
      const socket = (bindings as AppEnv['Bindings'] | undefined)?.incoming?.socket.remoteAddress
      return plainIp(forwarded ?? socket ?? 'embedded')
    },
  }
}
