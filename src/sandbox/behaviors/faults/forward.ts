import { isUtf8 } from 'node:buffer'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { MatchedRequest } from '../../../service/door/interruptions.ts'
import type { Answer } from '../../../service/door/request.ts'
import { readUpTo } from '../../../spec/body.ts'
import { decoded, pathOfTarget } from '../../../spec/contract/endpoints.ts'
import { ApiError, cannotForward, forwardFailed, invalidField } from '../../../spec/contract/errors.ts'
import { answerTo, clientFor, passedOnHeaders, socketHost } from '../../../spec/node-http.ts'
import { within } from '../../../spec/world/clock.ts'
import type { Fault } from './fault.ts'

export const forward: Fault<'forward'> = {
  sentence: 'Asks the real staging, under its key, in place of a `stub`, and hands back what it answers.',
  actsOn: 'request',
  prepare({ forward: address, apiKey }, { contract, realKey = () => apiKey }) {
    for (const [name, value] of [
      ['forward', address],
      ['apiKey', realKey() ?? ''],
    ] as const)
      if (value.includes('${')) throw invalidField(`do.${name}`, `must be written out here, not ${value}`)
    const { origin } = new URL(address)
    return {
      does: `asks ${origin}`,
      async before(matched) {
        const { method, target } = matched.request
        const why = whyNotForwarded(target, (path) => contract.operationAt(method, path) !== undefined)
        if (why !== undefined) throw cannotForward(origin, why)
        const key = realKey()
        if (key === undefined) throw forwardFailed(502, KEY_IS_GONE)
        return askStaging(origin, key, matched)
      },
    }
  },
}

const PATIENCE_MS = 10_000
const ANSWER_MAX_BYTES = 1024 * 1024

/** Marks forwarded requests (RFC 9110, 7.6.3), so that a loop back to this simulator is refused instead of forwarded forever. */
const VIA = '1.1 paysim'

/** Journaled headers that staging does not get: they are for paysim, or describe the connection to it. */
const NOT_SENT = ['x-sim', 'host', 'content-length', 'expect']

/** Headers of staging's response that are dropped: they describe its body's encoding and length, its connection or its host. */
const NOT_HANDED_BACK = [
  'content-length',
  'content-encoding',
  'set-cookie',
  'strict-transport-security',
  'via',
]

const KEY_IS_GONE =
  'The key of the real staging is kept in memory only, and it is gone: set the key again by arming the behavior'

/**
 * Staging gets the target exactly as sent, so paysim and staging must read the same path in it, and none of an endpoint that is
 * served here: otherwise the real key would pay for what the test believes to be simulated.
 */
function whyNotForwarded(target: string, isEndpoint: (path: string) => boolean): string | undefined {
  const path = decoded(pathOfTarget(target))
  const normalized = decoded(new URL(path, 'http://paysim').pathname)
  const read = normalized
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/+/g, '/')
    .replace(/\/$/, '')
  if (isEndpoint(read) || isEndpoint(read.toLowerCase())) return `its path may be read as ${read}`
  return normalized === path && path.startsWith('/v1/') ? undefined : `its path may be read as ${normalized}`
}

/** Within bounded time and size, with staging's own key; `address` is an origin. */
async function askStaging(address: string, apiKey: string, matched: MatchedRequest): Promise<Answer> {
  const { request, entry } = matched
  const marks = { 'x-sim-forwarded-to': address }
  const failed = (status: 502 | 504, why: string) => forwardFailed(status, `${address} ${why}`, marks)
  if (request.header('via')?.includes(VIA))
    throw failed(502, 'is this simulator: the request came back in a loop')
  const { hostname, port, protocol } = new URL(address)
  let asked: ClientRequest | undefined
  const read = async (): Promise<{ answer: IncomingMessage; bytes: Buffer }> => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    asked = clientFor(protocol).request({
      hostname: socketHost(hostname),
      port,
      // A connection that staging has closed meanwhile would fail a POST, which is never sent again.
      agent: false,
      path: request.target,
      method: request.method,
      headers: {
        ...Object.fromEntries(passedOnHeaders(Object.entries(entry.asked.headers).flat(), NOT_SENT)),
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
    if (!isUtf8(bytes)) throw failed(502, 'gave a response that is not text')
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
