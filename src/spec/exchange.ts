/**
 * A request and what came of it, as text. What a scenario played, what a service was asked beside a sandbox, what the journal
 * has, what the audit judges and what a page shows are this one value, with more of each where it has more.
 */

/** `Value`: of a header. A scenario may send one name several times. */
export interface Asked<Value = string> {
  method: string
  /** Path and query. */
  target: string
  /** By their lower-case names. */
  headers: Readonly<Record<string, Value>>
  body: string | undefined
}

export interface Answered {
  status: number
  /** By their lower-case names; repeated ones are joined by commas. */
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Exchange<Request = Asked, Ending extends string = string> {
  asked: Request
  /** The answer; null where not even its head arrived. */
  answered: Answered | null
  /** What went wrong with the connection, in a word; null where nothing did. */
  ending: Ending | null
  /** When it was asked, in milliseconds since 1970. */
  at: number
  /** In milliseconds. */
  took: number
}
