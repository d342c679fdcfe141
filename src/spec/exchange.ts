/**
 * A request and its outcome, as text. One type for scenarios, comparisons with a service, the journal, the audit and pages; each
 * adds its own fields.
 */

/** `Value`: of a header. A scenario may send one name several times. */
export interface Asked<Value = string> {
  method: string
  /** Path and query. */
  target: string
  /** By lower-case name. */
  headers: Readonly<Record<string, Value>>
  body: string | undefined
}

export interface Answered {
  status: number
  /** By lower-case name; repeated headers are joined by commas. */
  headers: Readonly<Record<string, string>>
  body: string
}

/** 2xx. `status` is null without a response. */
export const isSuccess = ({ status }: { status: number | null }): boolean =>
  status !== null && status >= 200 && status < 300

export interface Exchange<Request = Asked, Ending extends string = string> {
  asked: Request
  /** The response; null if not even its head arrived. */
  answered: Answered | null
  /** The connection's failure in a word; null if there was none. */
  ending: Ending | null
  /** When the request was sent, in milliseconds since 1970. */
  at: number
  /** In milliseconds. */
  took: number
}
