import { isUtf8 } from 'node:buffer'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { MatchedRequest } from '../../../service/door/interruptions.ts'
import type { Answer } from '../../../service/door/request.ts'
import { readUpTo } from '../../../spec/body.ts'
import { ApiError, invalidField, notPassed, routeNotFound } from '../../../spec/contract/errors.ts'
import { answerTo, clientFor, passedOnHeaders, socketHost } from '../../../spec/node-http.ts'
import { within } from '../../../spec/world/clock.ts'
import type { Fault } from './fault.ts'

export const pass: Fault<'pass'> = {
  sentence: 'Asks the real staging, under its key, in place of a `stub`, and hands back what it answers.',
  actsOn: 'request',
  prepare({ pass: address, apiKey }) {
    for (const [name, value] of [
      ['pass', address],
      ['apiKey', apiKey],
    ] as const)
      if (value.includes('${')) throw invalidField(`do.${name}`, `must be written out here, not ${value}`)
    const { origin } = new URL(address)
    return {
      does: `asks ${origin}`,
      async before(matched) {
        return { ...(await askStaging(origin, apiKey, matched)), stored: false }
      },
    }
  },
}

const PATIENCE_MS = 10_000
const ANSWER_MAX_BYTES = 1024 * 1024

/**
 * Marks passed requests (RFC 9110, 7.6.3): one that comes back to this simulator is refused instead of passed
 * on for ever.
 */
const VIA = '1.1 paysim'

/** Headers of staging's answer that are not handed on: they describe its body's encoding and length, its connection or its host. */
const NOT_HANDED_BACK = [
  'content-length',
  'content-encoding',
  'set-cookie',
  'strict-transport-security',
  'via',
]

/** Within bounded time and size, with staging's own key; `address` is an origin. */
async function askStaging(address: string, apiKey: string, matched: MatchedRequest): Promise<Answer> {
  const { request, entry } = matched
  const marks = { 'x-sim-passed-to': address }
  const failed = (status: 502 | 504, why: string) => notPassed(status, `${address} ${why}`, marks)
  if (request.header('via')?.includes(VIA)) throw failed(502, 'is this simulator: the request has come round')
  // The path must begin with /v1 even after `..` is resolved: paths outside of it are not a platform's.
  const { hostname, port, protocol, pathname, search } = new URL(request.path + request.query, address)
  if (!pathname.startsWith('/v1/')) throw routeNotFound()
  let asked: ClientRequest | undefined
  const read = async (): Promise<{ answer: IncomingMessage; bytes: Buffer }> => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    asked = clientFor(protocol).request({
      hostname: socketHost(hostname),
      port,
      path: pathname + search,
      method: request.method,
      headers: {
        ...withoutOurs(entry.asked.headers),
        accept: request.header('accept') ?? 'application/json',
        'accept-encoding': 'identity',
        'x-api-key': apiKey,
        via: VIA,
        ...(body.length > 0 && { 'content-length': String(body.length) }),
      },
    })
    const answering = answerTo(asked)
    asked.end(body)
    const answer = await answering
    return { answer, bytes: await readUpTo(answer, ANSWER_MAX_BYTES) }
  }
  try {
    const given = await within(PATIENCE_MS, read(), undefined)
    if (!given) throw failed(504, `gave no answer within ${PATIENCE_MS / 1000} s`)
    const { answer, bytes } = given
    const status = answer.statusCode ?? 0
    if (status < 200 || status > 599) throw failed(502, `gave an answer with the status ${status}`)
    if (bytes.length > ANSWER_MAX_BYTES) throw failed(502, 'gave an answer of more than 1 MB')
    if (!isUtf8(bytes)) throw failed(502, 'gave an answer that is no text')
    const headers = Object.fromEntries(
      passedOnHeaders(answer.rawHeaders, NOT_HANDED_BACK).map(([name, value]) => [name.toLowerCase(), value]),
    )
    return {
      status,
      body: bytes.toString('utf8'),
      headers: { ...headers, ...marks },
    }
  } catch (cause) {
    if (cause instanceof ApiError || !(cause instanceof Error)) throw cause
    throw failed(502, `gave no answer: ${(cause as NodeJS.ErrnoException).code ?? cause.message}`)
  } finally {
    asked?.destroy()
  }
}

/** The journaled headers, which contain no secrets, without X-Sim, which is for the simulator. */
const withoutOurs = ({ 'x-sim': _, ...headers }: Readonly<Record<string, string>>) => headers
