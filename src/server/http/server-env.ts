/** What the parts of this server share besides Node's request and response. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { AppEnv } from '../../spec/node-http.ts'

export type ServerEnv = AppEnv

/** The sockets that a connection fault has broken: requests pipelined behind it get no response. */
export const brokenSockets = new WeakSet<Socket>()

type Connection = Pick<IncomingMessage['socket'], 'destroyed' | 'destroy' | 'once'>

/** In HTTP/2 each request has its own stream, which a client ends to leave. */
export const connectionOf = (incoming: IncomingMessage): Connection =>
  (incoming as { stream?: Connection }).stream ?? incoming.socket
