import type { ConnectionFaultKind } from './connection-fault.ts'

/** Thrown when a fault breaks a connection that has no socket, such as that of an in-process request. */
export class ConnectionError extends Error {
  readonly kind: ConnectionFaultKind

  constructor(kind: ConnectionFaultKind) {
    super(`the connection failed: ${kind}`)
    this.name = 'ConnectionError'
    this.kind = kind
  }
}
