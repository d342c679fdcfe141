import type { ConnectionFaultKind } from './connection-fault.ts'

/** Thrown instead of a broken connection when there is no socket. */
export class ConnectionError extends Error {
  readonly kind: ConnectionFaultKind

  constructor(kind: ConnectionFaultKind) {
    super(`the connection failed: ${kind}`)
    this.name = 'ConnectionError'
    this.kind = kind
  }
}
