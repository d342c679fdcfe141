// A shop in Node: it sells, refunds, and learns from a webhook or by polling that the refund is completed.
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { PAYSIM_URL, PAYSIM_API_KEY, PAYSIM_WEBHOOK_SECRET, PAYSIM_WEBHOOK_PORT } = process.env
const WAIT_MS = 10_000
const TRIES = 12

async function send(method, path, body, key) {
  for (let tried = 1, pauseMs = 500; ; tried += 1, pauseMs = Math.min(pauseMs * 2, 8_000)) {
    let retryAfter = 0
    try {
      const response = await fetch(PAYSIM_URL + path, {
        method,
        signal: AbortSignal.timeout(WAIT_MS),
        headers: {
          'x-api-key': PAYSIM_API_KEY,
          ...(key && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      })
      retryAfter = Number(response.headers.get('retry-after') ?? 0) * 1000
      const answer = await response.json()
      if (response.ok) return answer
      const isInFlight = response.status === 409 && /in progress/.test(answer.message)
      if (!isInFlight && response.status !== 429 && response.status < 500)
        throw Object.assign(new Error(answer.message), { isFinal: true })
    } catch (error) {
      if (error.isFinal) throw error
    }
    if (tried === TRIES) throw new Error(`${method} ${path}: no answer after ${TRIES} tries`)
    await pause(Math.max(retryAfter, pauseMs * (1 + Math.random() / 4)))
  }
}

const seen = new Set()
const completed = new Set()
let wake = () => {}
const key = Buffer.from(PAYSIM_WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = request.headers
  const valid = `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
  const isFresh = Math.abs(Date.now() / 1000 - Number(at)) < 300
  if (!isFresh || !signatures.split(' ').includes(valid)) return response.writeHead(401).end()
  response.writeHead(204).end()
  if (seen.has(id)) return undefined
  seen.add(id)
  const { type, data } = JSON.parse(body)
  if (type !== 'refund.completed') return undefined
  completed.add(data.id)
  return wake()
}).listen(Number(PAYSIM_WEBHOOK_PORT), '127.0.0.1')

const { id } = await send(
  'POST',
  '/v1/checkouts',
  {
    orderId: 'order-1',
    externalId: 'ada',
    amount: 100,
    successUrl: 'https://shop.example/ok',
    cancelUrl: 'https://shop.example/no',
  },
  randomUUID(),
)
await send('POST', `/v1/checkouts/${id}/confirm`, {}, randomUUID())
const refund = await send('POST', `/v1/checkouts/${id}/refunds`, { amount: 20 }, randomUUID())
if (refund.status !== 'completed' && !completed.has(refund.id)) {
  await Promise.race([new Promise((resolve) => (wake = resolve)), pause(3_000)])
  const { status } = await send('GET', `/v1/refunds/${refund.id}`)
  // A refund may take days, so the open ones are polled again tomorrow.
  console.log(`${refund.id} is ${status}`)
}
receiver.close()
process.exit()
