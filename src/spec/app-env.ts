/** Node's request and answer, which the HTTP server hands to the Hono apps as bindings. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface AppEnv {
  /** Empty where the request came by `simulator.fetch`, which has no socket. */
  Bindings: {
    incoming?: IncomingMessage
    outgoing?: ServerResponse
    /** The class that makes answers of /v1: writes to Node's response without a Fetch Response in between. */
    Response?: typeof Response
    /** A connection fault has written to the socket itself, so the server sends no answer any more. */
    isSent?: boolean
  }
}
