import type { ConnectionFault } from '../gate/request.ts'

/** Where there is no connection that could fail, this is how it fails. */
export class ConnectionError extends Error {
  readonly kind: ConnectionFault['kind']

  constructor(kind: ConnectionFault['kind']) {
    super(`the connection failed: ${kind}`)
    this.name = 'ConnectionError'
    this.kind = kind
  }
}
