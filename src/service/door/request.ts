/** A platform's request and its answer, free of HTTP libraries. */

import { isIP } from 'node:net'
import type { ConnectionFaultKind, SlowFault } from '../../spec/contract/connection-fault.ts'

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
  | { kind: Exclude<ConnectionFaultKind, SlowFault> }
  | { kind: SlowFault; durationMs: number }

/** A value, or a promise of it. A read is answered without a promise, because an `await` at every step takes CPU time. */
export type MaybePromise<Value> = Value | Promise<Value>

export const chain = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value))

/** An IPv4 address as a socket for both kinds writes it. */
export const plainIp = (address: string): string =>
  address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address

/** The same request with the IP that §8 counts behind a trusted proxy: the first of X-Forwarded-For (D47). */
export function fromProxy(request: PlatformRequest): PlatformRequest {
  const ip = forwardedIp(request.header('x-forwarded-for'))
  return ip === undefined ? request : { ...request, ip: plainIp(ip) }
}

/**
 * The first address of X-Forwarded-For, without the port that some proxies add. Undefined for a text that is
 * no IP: a proxy that adds to the list keeps the client's own text.
 */
function forwardedIp(list: string | undefined): string | undefined {
  const first = list?.split(',', 1)[0]?.trim() ?? ''
  const [, v6, v4] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(first) ?? []
  const address = v6 ?? v4 ?? first
  return isIP(address) ? address : undefined
}
