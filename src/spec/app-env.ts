/** What the Hono apps are given beside a request. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface AppEnv {
  /** Node's request and response, and a faster class of Response; without a socket none of them. */
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse; Response?: typeof Response }
}
