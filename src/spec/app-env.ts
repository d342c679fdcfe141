/** What the Hono apps are given beside a request. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface AppEnv {
  /** Without a socket none of them. */
  Bindings: {
    incoming?: IncomingMessage
    outgoing?: ServerResponse
    /** For platforms, a Response without Fetch. */
    Response?: typeof Response
    /** Set where a fault has sent all that is sent of the answer. */
    isSent?: boolean
  }
}
