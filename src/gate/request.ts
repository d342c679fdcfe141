/** A platform's request without its HTTP, and the answer before it gets it back. */
import type { Operation } from '../operations/operation.ts'

export interface PlatformRequest {
  method: string
  /** Path and query as they were sent. */
  target: string
  /** What the path stands for, whatever the method; undefined for a path nobody knows. */
  route: Route | undefined
  /** From the question mark on; nothing where there is none. */
  query: string
  apiKey: string | undefined
  ip: string
  /** Every Idempotency-Key header that was sent. */
  idempotencyKeys: readonly string[]
  contentType: string | undefined
  /** The body's bytes; `too large` when there were more than §3 allows and reading stopped. */
  body: Buffer | 'too large'
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** What the platform addressed us by, such as http://127.0.0.1:4100. */
  origin: string
}

export interface Route {
  /** The operation for the method that was used, if there is one. */
  operation: Operation | undefined
  params: Readonly<Record<string, string>>
  allowed: readonly string[]
}

export interface Answer {
  /** {@link NO_STATUS} where a fault leaves nothing to be answered. */
  status: number
  headers: Record<string, string>
  body: string
  /** How the connection spoils the answer on its way. */
  fault?: ConnectionFault
}

export const NO_STATUS = 0

/** What a network can do to an answer. */
export type ConnectionFault =
  | { kind: 'reset' | 'close' | 'hang' | 'truncate' | 'bad-json' | 'bad-chunk' }
  | { kind: 'drip'; durationMs: number }
