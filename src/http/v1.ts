/** What a platform's request is, by whichever door it comes: over a socket, or as a Fetch request without one. */

import { chain, type MaybePromise } from '../gate/maybe-promise.ts'
import type { Answer, PlatformRequest } from '../gate/request.ts'
import { OPERATIONS } from '../operations/table.ts'
import type { Body } from './body.ts'
import { clientIp } from './client-ip.ts'
import { createRoutes } from './routes.ts'

/** A request as its door hands it on. */
export interface Asked {
  method: string
  /** Path and query as they were sent. */
  target: string
  /** What the platform addressed us by, such as http://127.0.0.1:4100. */
  origin: string
  /** The other end of the socket, where there is one. */
  address: string | undefined
  /** A header by its lower-case name; sent twice, its values are joined by commas. */
  header(name: string): string | undefined
  /** Every value that was sent under a name. */
  headerValues(name: string): readonly string[]
  readBody(): Promise<Body>
}

export type Ask = (asked: Asked) => MaybePromise<Answer>

export interface V1Options {
  trustProxy: boolean
  answer(request: PlatformRequest): MaybePromise<Answer>
}

export function v1({ trustProxy, answer }: V1Options): Ask {
  const routes = createRoutes(OPERATIONS)
  return (asked) => {
    const { method, target, origin, address, header } = asked
    const question = target.indexOf('?')
    const hasBody = method !== 'GET' && method !== 'HEAD'
    return chain(hasBody ? asked.readBody() : NOTHING, (body) =>
      answer({
        method,
        target,
        route: routes(method, pathOf(target)),
        query: question === -1 ? '' : target.slice(question),
        apiKey: header('x-api-key'),
        ip: clientIp(address, trustProxy ? header('x-forwarded-for') : undefined),
        idempotencyKeys: asked.headerValues('idempotency-key'),
        contentType: header('content-type'),
        body,
        header,
        origin,
      }),
    )
  }
}

const NOTHING: Body = Buffer.alloc(0)

/** Whether a target is answered by the operations, be it known or not. */
export function isV1(target: string): boolean {
  const path = pathOf(target)
  return path.startsWith('/v1') && (path.length === 3 || path[3] === '/')
}

/** The path that a target means. Hardly any is spelled in a way that has to be looked at twice. */
function pathOf(target: string): string {
  if (/%|#|\/\./.test(target) && URL.canParse(`http://paysim${target}`)) {
    return unescaped(new URL(`http://paysim${target}`).pathname)
  }
  const question = target.indexOf('?')
  return question === -1 ? target : target.slice(0, question)
}

/** What stands for a character of its own stands for it; what would change the path's parts stays escaped. */
function unescaped(path: string): string {
  try {
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return path
  }
}
