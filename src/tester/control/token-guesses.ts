/**
 * Slows down guessing of the admin token, by its header and by the log-in of the dashboard together. Five wrong tokens from one
 * address are judged at once; each further one doubles the wait of that address, from one second to five minutes. During the wait
 * even the right token is refused, so a guess shows nothing. The same wrong token again does not count: a program with an old token
 * locks out no other program at its address.
 */
import { createHash } from 'node:crypto'
import { stopwatch } from '../../spec/world/clock.ts'

const FREE_GUESSES = 5
const WAIT_MAX_MS = 300_000
/** How long after its wait an address is forgotten. Guessing that slowly gains nothing over waiting. */
const FORGOTTEN_AFTER_MS = 3 * WAIT_MAX_MS
/** Bounds the memory: beyond it, the address that guessed longest ago is forgotten. */
const ADDRESSES_MAX = 1_000

interface Guesses {
  wrong: Set<string>
  waitUntil: number
}

export class TokenGuesses {
  readonly #byAddress = new Map<string, Guesses>()
  readonly #now: () => number

  constructor(now: () => number = stopwatch) {
    this.#now = now
  }

  /**
   * Whole seconds that the address has to wait: not even a right token is accepted meanwhile. 0 where the guess may be answered: a
   * wrong one has been counted then, however many come at once.
   */
  waitSeconds(address: string, guess: string, isRight: boolean): number {
    const now = this.#now()
    const guesses = this.#guessesOf(address, now)
    if (guesses.waitUntil > now) return Math.ceil((guesses.waitUntil - now) / 1_000)
    const hashed = hash(guess)
    if (isRight || guesses.wrong.has(hashed)) return 0
    guesses.wrong.add(hashed)
    guesses.waitUntil = now + waitMs(guesses.wrong.size)
    this.#byAddress.delete(address)
    if (this.#byAddress.size >= ADDRESSES_MAX) this.#byAddress.delete(this.#byAddress.keys().next().value!)
    this.#byAddress.set(address, guesses)
    return 0
  }

  #guessesOf(address: string, now: number): Guesses {
    const found = this.#byAddress.get(address)
    const isOver = !found || now - found.waitUntil > FORGOTTEN_AFTER_MS
    return isOver ? { wrong: new Set(), waitUntil: now } : found
  }
}

const waitMs = (wrong: number) =>
  wrong < FREE_GUESSES ? 0 : Math.min(1_000 * 2 ** (wrong - FREE_GUESSES), WAIT_MAX_MS)

/** Hashed so that each guess takes the same memory: it may be as long as a body. */
const hash = (guess: string) => createHash('sha256').update(guess).digest('base64')
