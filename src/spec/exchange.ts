/**
 * A request and what came of it, as text: what a step of a scenario sent, what a service was asked beside a sandbox, what a
 * report shows. The journal has more of it, and conduct reads it in its own way.
 */

type Headers = Readonly<Record<string, string>>

export interface Asked {
  method: string
  /** Path and query. */
  target: string
  /** By their lower-case names. */
  headers: Headers
  body: string | undefined
}

export interface Answered {
  status: number
  /** By their lower-case names. */
  headers: Headers
  body: string
}

export interface Exchange {
  asked: Asked
  /** Null where not even its head arrived. */
  answered: Answered | null
  /** What went wrong with the connection, in a word; null where the whole answer arrived. */
  ending: string | null
  /** When it was asked, in ISO 8601. */
  at: string
  took: number
}
