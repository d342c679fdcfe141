/**
 * The receiver of webhooks. A webhook is only a hint that something changed: it may arrive twice, late, after a newer one, or be
 * forged. The signature is verified over the bytes as received, each id is handled once, and the resource is read again.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const TOLERANCE_SECONDS = 5 * 60
const BODY_MAX_BYTES = 1024 * 1024

/** `handle` gets each event once. The response does not wait for it. */
export function createReceiver({ secret, handle }) {
  const seen = new Set()
  return createServer(async (request, response) => {
    const answer = (status) => response.writeHead(status).end()
    if (request.method !== 'POST' || request.url !== '/webhooks') return answer(404)
    const body = await readBody(request)
    if (body === undefined) return answer(413)
    if (!isSigned(body, request.headers, secret)) return answer(401)
    const event = readEvent(body)
    if (event === undefined) return answer(400)
    const id = request.headers['webhook-id']
    if (seen.has(id)) return answer(204)
    seen.add(id)
    answer(204)
    // A real shop stores the event in its database before it responds, and handles it from there.
    handle(event).catch((error) => console.error(`webhook ${id} was not handled: ${error.message}`))
  })
}

async function readBody(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Standard Webhooks: an HMAC-SHA256 over id, timestamp and the bytes of the body. During a rotation there are two signatures. */
function isSigned(body, headers, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !/^\d+$/.test(timestamp ?? '') || !signatures) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`)
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function readEvent(body) {
  try {
    const event = JSON.parse(body)
    return typeof event?.type === 'string' ? event : undefined
  } catch {
    return undefined
  }
}
