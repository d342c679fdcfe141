/** What this server hands to its Hono app beside Node's request and answer. */
import type { Context } from 'hono'
import type { AppEnv } from '../../spec/node-http.ts'

export interface ServerEnv extends AppEnv {
  Bindings: AppEnv['Bindings'] & {
    /** The class that makes answers of /v1: writes to Node's response without a Fetch Response in between. */
    Response?: typeof Response
    /** A connection fault has written to the socket itself, so the server sends no answer any more. */
    isSent?: boolean
  }
}

/** Fetch's own where the request came by `simulator.fetch`. */
export const responseClass = ({ env }: Context<ServerEnv>): typeof Response =>
  env.Response ?? globalThis.Response
