/**
 * Reads a recording: a HAR file, as browsers and proxies write it, with the calls of /v1; or the exchanges in a JSON report of
 * `paysim fidelity --proxy`.
 */
import { z } from 'zod'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import type { RecordedTraffic, ServiceExchange } from './evidence.ts'

/** Undefined if the text is neither a HAR file nor a recording of `paysim fidelity --proxy`. */
export function readRecording(name: string, text: string): RecordedTraffic | undefined {
  const json = jsonIn(text)
  if (isObject(json) && Array.isArray(json.exchanges)) {
    const read = z.array(OwnExchange).safeParse(json.exchanges)
    return read.data && { name, exchanges: read.data }
  }
  const entries = isObject(json) && isObject(json.log) ? json.log.entries : undefined
  if (!Array.isArray(entries)) return undefined
  const exchanges: ServiceExchange[] = []
  for (const [index, entry] of entries.entries()) {
    const read = readEntry(entry, `entry ${index + 1}`)
    if (read?.asked.target.startsWith('/v1/')) exchanges.push(read)
  }
  return { name, exchanges }
}

function readEntry(entry: unknown, seenIn: string): ServiceExchange | undefined {
  if (!isObject(entry) || !isObject(entry.request) || !isObject(entry.response)) return undefined
  const { request, response } = entry
  const url = URL.canParse(String(request.url)) ? new URL(String(request.url)) : undefined
  const status = Number(response.status)
  // A browser writes 0 for a request without a response.
  if (url === undefined || !(status >= 100)) return undefined
  const content = isObject(response.content) ? response.content : {}
  const { text: sent = '', mimeType } = isObject(request.postData) ? request.postData : {}
  const body = String(content.text ?? '')
  const at = Date.parse(String(entry.startedDateTime))
  return {
    seenIn,
    ...(Number.isFinite(at) && { at }),
    asked: {
      method: String(request.method),
      // A service may serve /v1 under another base path.
      target: `${url.pathname.replace(/^.*?(?=\/v1\/)/, '')}${url.search}`,
      // Some tools write the type of the body only beside it.
      headers: {
        ...(mimeType !== undefined && { 'content-type': String(mimeType) }),
        ...headersIn(request.headers),
      },
      body: isObject(request.postData) ? String(sent) : undefined,
    },
    theirs: {
      status,
      headers: headersIn(response.headers),
      body: content.encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body,
    },
  }
}

const headersIn = (list: unknown): Record<string, string> =>
  Object.fromEntries(
    (Array.isArray(list) ? list : []).flatMap((header) =>
      isObject(header) ? [[String(header.name).toLowerCase(), String(header.value)]] : [],
    ),
  )

const Headers = z.record(z.string(), z.string())
const OwnExchange = z.object({
  seenIn: z.string(),
  at: z.number().optional(),
  asked: z
    .object({ method: z.string(), target: z.string(), headers: Headers, body: z.string().optional() })
    .transform((asked) => ({ ...asked, body: asked.body })),
  theirs: z.object({ status: z.number(), headers: Headers, body: z.string() }),
})
