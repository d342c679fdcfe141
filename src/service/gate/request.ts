/** A platform's request and its answer, free of HTTP libraries. */
import type { ConnectionFaultKind } from '../../spec/contract/connection-fault.ts'

export interface PlatformRequest {
  method: string
  /** Path and query, as sent. */
  target: string
  /** The path that is routed. */
  path: string
  /** With its question mark; empty without a query. */
  query: string
  apiKey: string | undefined
  ip: string
  /** Every Idempotency-Key header that was sent. */
  idempotencyKeys: readonly string[]
  /** `too large` for a body of more bytes than §3 allows. */
  body: Buffer | 'too large'
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** The address that the platform used, such as http://127.0.0.1:4100. */
  origin: string
  /** The socket; undefined for a request by `simulator.fetch`. */
  connection: { readonly destroyed: boolean } | undefined
}

export interface Answer {
  /** {@link NO_STATUS} where a fault breaks the connection before the operation. */
  status: number
  headers: Record<string, string>
  /** Whether a header has characters beyond ASCII, which HTTP sends as Latin-1. */
  hasLatin1Header?: boolean
  body: string
  /** How the connection fails while the answer is sent. */
  fault?: ConnectionFault
}

export const NO_STATUS = 0

export type ConnectionFault =
  | { kind: Exclude<ConnectionFaultKind, 'drip'> }
  | { kind: 'drip'; durationMs: number }
