/** The exchanges in a HAR file, which browsers and proxies write: the calls of /v1, and webhooks if they are in it. */
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import type { SentWebhook, ServiceEvidence, ServiceExchange } from './evidence.ts'

/** Undefined where the text is no HAR file. */
export function readHar(text: string, secret?: string): ServiceEvidence | undefined {
  // Some tools of Windows write a byte order mark before it.
  const har = jsonIn(text.replace(/^\uFEFF/, ''))
  const entries = isObject(har) && isObject(har.log) ? har.log.entries : undefined
  if (!Array.isArray(entries)) return undefined
  const exchanges: ServiceExchange[] = []
  const webhooks: SentWebhook[] = []
  for (const [index, entry] of entries.entries()) {
    const read = readEntry(entry, `entry ${index + 1}`)
    if (read === undefined) continue
    if (read.asked.target.startsWith('/v1/')) exchanges.push(read)
    else if (isEvent(read.asked.body)) {
      const body = Buffer.from(read.asked.body ?? '')
      webhooks.push({ seenIn: read.seenIn, headers: read.asked.headers, body, secret })
    }
  }
  return { exchanges, webhooks }
}

function readEntry(entry: unknown, seenIn: string): ServiceExchange | undefined {
  if (!isObject(entry) || !isObject(entry.request) || !isObject(entry.response)) return undefined
  const { request, response } = entry
  const url = URL.canParse(String(request.url)) ? new URL(String(request.url)) : undefined
  const status = Number(response.status)
  // A browser writes 0 for a request without an answer.
  if (url === undefined || !(status >= 100)) return undefined
  const content = isObject(response.content) ? response.content : {}
  const body = String(content.text ?? '')
  return {
    seenIn,
    asked: {
      method: String(request.method),
      // A service may have its /v1 below another path.
      target: `${url.pathname.replace(/^.*?(?=\/v1\/)/, '')}${url.search}`,
      headers: headersIn(request.headers),
      body: isObject(request.postData) ? String(request.postData.text ?? '') : undefined,
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
    (Array.isArray(list) ? list : []).flatMap((one) =>
      isObject(one) ? [[String(one.name).toLowerCase(), String(one.value)]] : [],
    ),
  )

const isEvent = (body = '') => {
  const event = jsonIn(body)
  return isObject(event) && typeof event.type === 'string' && isObject(event.data)
}
