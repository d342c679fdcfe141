/**
 * Slows down guessing of the admin token, by its header and by the log-in of the dashboard together. Five wrong tokens from one
 * client are answered at once; each further one doubles the client's wait, from one second to five minutes. During the wait even the
 * right token is refused, so a guess reveals nothing. The same wrong token again does not count: a program with an old token locks
 * out no other program at its address.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { ipIn, plainIp } from '../../service/door/request.ts'
import type { AppEnv } from '../../spec/node-http.ts'
import { stopwatch } from '../../spec/world/clock.ts'

const FREE_GUESSES = 5
const WAIT_MAX_MS = 300_000
/** How long after its wait a client is forgotten. Guessing that slowly gains nothing over waiting. */
const FORGOTTEN_AFTER_MS = 3 * WAIT_MAX_MS
const CLIENTS_MAX = 1_000
/** Counts for every new client once a thousand others are throttled. */
const ANY_OTHER = 'any other'

interface Guesses {
  wrong: Set<string>
  waitUntil: number
}

interface TokenGuessesOptions {
  /** Count by the address that the proxy appended to X-Forwarded-For. */
  trustProxy?: boolean | undefined
  now?: () => number
}

export class TokenGuesses {
  readonly #byClient = new Map<string, Guesses>()
  readonly #trustProxy: boolean
  readonly #now: () => number

  constructor({ trustProxy = false, now = stopwatch }: TokenGuessesOptions = {}) {
    this.#trustProxy = trustProxy
    this.#now = now
  }

  /**
   * Whole seconds that the client has to wait: not even a right token is accepted meanwhile. 0 if the guess may be answered; a
   * wrong one has then been counted, however many arrive at once.
   */
  waitSeconds(client: string, guess: string, isRight: boolean): number {
    const now = this.#now()
    const isFull = this.#byClient.size >= CLIENTS_MAX
    const evictable = isFull ? this.#evictable(now) : undefined
    const hasPlace = !isFull || evictable !== undefined || this.#byClient.has(client)
    const counted = hasPlace ? client : ANY_OTHER
    const guesses = this.#guessesOf(counted, now)
    if (guesses.waitUntil > now) return Math.ceil((guesses.waitUntil - now) / 1_000)
    const hashed = hash(guess)
    if (isRight || guesses.wrong.has(hashed)) return 0
    guesses.wrong.add(hashed)
    guesses.waitUntil = now + waitMs(guesses.wrong.size)
    this.#byClient.delete(counted)
    if (evictable !== undefined && this.#byClient.size >= CLIENTS_MAX) this.#byClient.delete(evictable)
    this.#byClient.set(counted, guesses)
    return 0
  }

  /**
   * The last address of X-Forwarded-For behind a trusted proxy: those before it are the client's own text, and could differ for
   * each guess. Otherwise the address of the socket. An embedded simulator has one caller.
   */
  clientOf({ headers }: Request, bindings: object | undefined): string {
    const forwarded = this.#trustProxy ? ipIn(headers.get('x-forwarded-for')?.split(',').at(-1)) : undefined
    const socket = (bindings as AppEnv['Bindings'] | undefined)?.incoming?.socket.remoteAddress
    return networkOf(plainIp(forwarded ?? socket ?? 'embedded'))
  }

  #guessesOf(client: string, now: number): Guesses {
    const found = this.#byClient.get(client)
    return found && !isForgotten(found, now) ? found : { wrong: new Set(), waitUntil: now }
  }

  /** The client that guessed longest ago and is not throttled: evicting a throttled one would give it new guesses. */
  #evictable(now: number): string | undefined {
    const clients = [...this.#byClient]
    return clients.find(([, it]) => it.wrong.size < FREE_GUESSES || isForgotten(it, now))?.[0]
  }
}

const isForgotten = ({ waitUntil }: Guesses, now: number) => now - waitUntil > FORGOTTEN_AFTER_MS

const waitMs = (wrong: number) =>
  wrong < FREE_GUESSES ? 0 : Math.min(1_000 * 2 ** (wrong - FREE_GUESSES), WAIT_MAX_MS)

/** Hashed so that each guess takes the same memory: it may be as long as a body. */
const hash = (guess: string) => createHash('sha256').update(guess).digest('base64')

/** The first 64 bits of an IPv6 address: one client commonly has all addresses that share them. */
function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const { hostname } = new URL(`http://[${ip.replace(/%.*/, '')}]`)
  const [front = [], back] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = back ? Array(8 - front.length - back.length).fill('0') : []
  return [...front, ...zeros, ...(back ?? [])].slice(0, 4).join(':')
}
