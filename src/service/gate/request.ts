/** A platform's request and its answer, free of HTTP libraries. */
import type { ConnectionFaultKind } from '../../spec/contract/connection-fault.ts'

export interface PlatformRequest {
  method: string
  /** Path and query as they were sent. */
  target: string
  /** As it is routed. */
  path: string
  /** With its question mark; empty where there is none. */
  query: string
  apiKey: string | undefined
  ip: string
  /** Every Idempotency-Key header that was sent. */
  idempotencyKeys: readonly string[]
  /** `too large` when it has more bytes than §3 allows. */
  body: Buffer | 'too large'
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** Where the platform sent it, such as http://127.0.0.1:4100. */
  origin: string
  /** Its socket; none where the simulator is embedded. */
  connection: { readonly destroyed: boolean } | undefined
}

export interface Answer {
  /** {@link NO_STATUS} where a fault breaks the connection before the operation. */
  status: number
  headers: Record<string, string>
  /** Whether one of them has characters beyond ASCII, which HTTP sends as Latin-1. */
  hasLatin1Header?: boolean
  body: string
  /** How the connection fails while the answer is sent. */
  fault?: ConnectionFault
}

export const NO_STATUS = 0

export type ConnectionFault =
  | { kind: Exclude<ConnectionFaultKind, 'drip'> }
  | { kind: 'drip'; durationMs: number }
