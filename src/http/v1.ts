/** Takes the HTTP off a platform's request, and puts it on its answer. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import type { Answer, PlatformRequest } from '../gate/request.ts'
import { after, type Soon } from '../gate/soon.ts'
import { OPERATIONS } from '../operations/table.ts'
import { type Body, readBody } from './body.ts'
import { clientIp } from './client-ip.ts'
import { play } from './connection.ts'
import { createRoutes } from './routes.ts'

export interface V1Options {
  trustProxy: boolean
  answer(request: PlatformRequest): Soon<Answer>
}

/** The bindings of a socket; none of them is there when the simulator is embedded and no socket exists. */
export type Bindings = Partial<HttpBindings>

export type HttpContext = Context<{ Bindings: Bindings }>

export function v1({ trustProxy, answer }: V1Options): (c: HttpContext) => Soon<Response> {
  const routes = createRoutes(OPERATIONS)
  return (c) => {
    const { incoming } = c.env ?? {}
    const { method, url, path } = c.req
    const sent = incoming?.headers
    const header = sent
      ? (name: string) => sent[name] as string | undefined
      : (name: string) => c.req.header(name)
    const origin = url.slice(0, url.indexOf('/', 8))
    const target = url.slice(origin.length)
    const question = target.indexOf('?')
    const hasBody = method !== 'GET' && method !== 'HEAD'

    const answered = after(hasBody ? readBody(c, BODY_MAX_BYTES) : NOTHING, (body) =>
      answer({
        method,
        target,
        route: routes(method, path),
        query: question === -1 ? '' : target.slice(question),
        apiKey: header('x-api-key'),
        ip: clientIp(incoming, trustProxy ? header('x-forwarded-for') : undefined),
        idempotencyKeys: headerValues(incoming, 'idempotency-key', header),
        contentType: header('content-type'),
        body,
        header,
        origin,
      }),
    )
    return after(answered, (answer) => play(c, answer))
  }
}

const NOTHING: Body = new Uint8Array()

/** A header that was sent twice is joined in every view but the raw one, where it shows (§4, D31). */
function headerValues(
  incoming: Bindings['incoming'],
  name: string,
  header: (name: string) => string | undefined,
): readonly string[] {
  const joined = header(name)
  if (joined === undefined) return []
  if (!joined.includes(', ')) return [joined]
  const raw = incoming?.rawHeaders ?? []
  const values = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === name)
  return values.length > 0 ? values : [joined]
}
