// A shop as a process: it stores its state on disk before it uses it, so it may be killed at any moment.
// It charges for an order, and refunds its deposit when a webhook reports that the order is paid.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const { PAYSIM_URL, PAYSIM_API_KEY, PAYSIM_WEBHOOK_PORT, PAYSIM_APP_FOLDER } = process.env
const FILE = join(PAYSIM_APP_FOLDER, 'shop.json')
const stored = existsSync(FILE)
  ? JSON.parse(readFileSync(FILE, 'utf8'))
  : { orders: {}, outbox: [], events: [] }
const { orders, outbox } = stored
const events = new Set(stored.events)

function store() {
  writeFileSync(`${FILE}.new`, JSON.stringify({ orders, outbox, events: [...events] }))
  renameSync(`${FILE}.new`, FILE)
}

/** One key for one intent, stored before it is sent. */
function keyOf(order, intent) {
  order.keys[intent] ??= randomUUID()
  store()
  return order.keys[intent]
}

/** A key stores a refusal, so the next attempt needs another key. */
function forget(key) {
  for (const { keys } of Object.values(orders))
    for (const intent of Object.keys(keys)) if (keys[intent] === key) delete keys[intent]
  store()
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function post(path, body, key) {
  for (let attempt = 0; ; attempt += 1) {
    const { status, json } = await ask(path, body, key)
    if (json !== undefined && status < 300) return json
    const isInFlight = status === 409 && /in progress/.test(json?.message)
    const isWorthIt = status === 0 || isInFlight || status === 429 || status >= 500 || json === undefined
    if (!isWorthIt) forget(key)
    if (!isWorthIt || attempt === 8) throw new Error(`${path}: ${status}`)
    await pause(Math.min(250 * 2 ** attempt, 4000))
  }
}

async function ask(path, body, key) {
  const headers = { 'x-api-key': PAYSIM_API_KEY, 'content-type': 'application/json', 'idempotency-key': key }
  const signal = AbortSignal.timeout(10_000)
  try {
    const response = await fetch(`${PAYSIM_URL}/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    })
    return { status: response.status, json: await response.json() }
  } catch {
    return { status: 0, json: undefined }
  }
}

const OF_BUYER = {
  externalId: 'ada',
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
}

async function charge(id) {
  const order = orders[id]
  const json = { orderId: id, amount: order.amount, ...OF_BUYER }
  order.checkout ??= (await post('/checkouts', json, keyOf(order, 'checkout'))).id
  store()
  await post(`/checkouts/${order.checkout}/confirm`, {}, keyOf(order, 'confirm'))
  order.paid = true
  store()
}

async function refundDeposit({ id: event, type, data }) {
  const [, order] = Object.entries(orders).find(([id]) => id === data.orderId) ?? []
  if (type !== 'checkout.confirmed' || !order || events.has(event)) return
  await post(`/checkouts/${data.id}/refunds`, { amount: 10 }, keyOf(order, 'deposit'))
  order.refunded = true
  events.add(event)
  store()
}

let working = Promise.resolve()

/** Processes the outbox, one order after another. A row is deleted once its order is paid. */
function work() {
  working = working.then(async () => {
    while (outbox.length > 0) {
      await charge(outbox[0])
      outbox.shift()
      store()
    }
  })
  working.catch((error) => {
    console.error(error.message)
    working = Promise.resolve()
  })
}

async function bodyOf(request) {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const shop = createServer(async (request, response) => {
  const answer = (status, body = {}) => response.writeHead(status).end(JSON.stringify(body))
  const body = await bodyOf(request)
  if (request.url === '/webhooks') {
    return refundDeposit(JSON.parse(body)).then(
      () => answer(200),
      () => answer(500),
    )
  }
  const id = request.url.slice(1)
  if (request.method === 'POST' && orders[id] === undefined) {
    orders[id] = { amount: 100, keys: {} }
    outbox.push(id)
    store()
    work()
  }
  return answer(200, orders[id])
})

// It finishes its orders before it listens, so its retries arrive while the crash is still in progress.
work()
await working.catch(() => {})
shop.listen(Number(PAYSIM_WEBHOOK_PORT), '127.0.0.1')
