/** What the parts of this server tell each other beside Node's request and answer. */
import type { Socket } from 'node:net'
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

/** The sockets that a connection fault has broken: requests that were pipelined behind it are not answered. */
export const brokenSockets = new WeakSet<Socket>()
