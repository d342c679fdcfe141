/**
 * `npm run bench:workers`: many workers of one test process share one paysim over HTTP, each in its own sandbox.
 *
 *   npm run bench:workers -- --workers 50 --seconds 60
 *
 * Each round of a worker resembles a test: it resets, charges, refunds, retries, moves the clock, and reads everything that it
 * can see. Anything from another worker, in its reads or its webhooks, is cross-talk.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { connect, type RemoteSandbox } from 'paysim/control'
import { URLS } from '../order.ts'
import { startPaysim } from './server.ts'

const { values: flags } = parseArgs({
  options: { workers: { type: 'string', default: '50' }, seconds: { type: 'string', default: '60' } },
})
const seconds = Number(flags.seconds)

interface Worker {
  name: string
  shop: RemoteSandbox
  /** The orders named in its webhooks. */
  seen: string[]
}

const count = { rounds: 0, requests: 0, webhooks: 0, errors: 0, crossTalk: 0 }
const roundMs: number[] = []
const said = new Map<string, number>()

const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  response.end()
  count.webhooks += 1
  const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (data.orderId) workers.get(request.url!.slice(1))!.seen.push(data.orderId)
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const server = await startPaysim()
const control = connect(server.url)
const workers = new Map<string, Worker>()
for (let number = 0; number < Number(flags.workers); number += 1) {
  const name = `worker-${number}`
  const options = { clock: 'frozen', rateLimit: 'off', webhook: { url: `${hooks}/${name}` } } as const
  workers.set(name, { name, shop: await control.create({ name, ...options }), seen: [] })
}

const began = performance.now()
const elapsed = () => (performance.now() - began) / 1000
const memory = new Map<number, number>([[0, server.memoryMb()]])
const marks = [10, 20, 30, 40, 50, 60].filter((mark) => mark <= seconds)
const watch = setInterval(() => {
  const mark = marks.find((minute) => minute <= elapsed() && !memory.has(minute))
  if (mark !== undefined) memory.set(mark, server.memoryMb())
}, 100)

const all = [...workers.values()]
await Promise.all(all.map((worker, index) => work(worker, all[(index + 1) % all.length]!)))
memory.set(Math.round(elapsed()), server.memoryMb())
clearInterval(watch)
receiver.closeAllConnections()
receiver.close()
await server.stop()

roundMs.sort((a, b) => a - b)
const share = (part: number) => Math.round(roundMs[Math.floor(roundMs.length * part)]!)
console.log(
  `${all.length} workers for ${Math.round(elapsed())} s: ${count.rounds} rounds, ${count.requests} requests`,
)
console.log(`  a round    median ${share(0.5)} ms, 99 % within ${share(0.99)} ms`)
console.log(`  webhooks   ${count.webhooks}`)
console.log(`  errors     ${count.errors}`)
console.log(`  cross-talk ${count.crossTalk}`)
console.log(`  memory     ${[...memory].map(([at, mb]) => `${mb} MB at ${at} s`).join(', ')}`)
for (const [message, times] of said) console.log(`  ${times} × ${message}`)
if (count.errors + count.crossTalk > 0) process.exitCode = 1

async function work(worker: Worker, neighbor: Worker): Promise<void> {
  for (let number = 0; elapsed() < seconds; number += 1) {
    const start = performance.now()
    try {
      await round(worker, neighbor, `${worker.name}-order-${number}`)
    } catch (cause) {
      count.errors += 1
      note(String(cause))
    }
    count.rounds += 1
    roundMs.push(performance.now() - start)
  }
}

async function round({ name, shop, seen }: Worker, neighbor: Worker, orderId: string): Promise<void> {
  await shop.reset()
  seen.length = 0
  const amount = 1000 + Number(orderId.split('-').at(-1))
  const checkout = await ask(shop, 'POST', '/checkouts', 201, {
    orderId,
    externalId: name,
    amount,
    ...URLS,
  })
  await ask(shop, 'POST', `/checkouts/${checkout.id}/confirm`, 200)
  const refund = () => ask(shop, 'POST', `/checkouts/${checkout.id}/refunds`, 201, { amount: 250 }, orderId)
  const [first, again] = [await refund(), await refund()]
  mustBe('a retry', again.id, first.id)
  await shop.clock.advance('2d')

  const { data: checkouts } = await ask(shop, 'GET', '/checkouts', 200)
  mustBe('the checkouts', checkouts.map((checkout: { orderId: string }) => checkout.orderId).join(), orderId)
  const { sums } = await shop.ledger()
  mustBe('the sums', `${sums.charged} ${sums.refunded} ${sums.refunds}`, `${amount} 250 1`)
  mustBe('the webhooks', [...new Set(seen)].join(), orderId)
  await ask(neighbor.shop, 'GET', `/checkouts/${checkout.id}`, 404)
}

async function ask(
  { apiKey }: RemoteSandbox,
  method: string,
  path: string,
  status: number,
  body?: unknown,
  key?: string,
) {
  count.requests += 1
  const response = await fetch(`${server.url}/v1${path}`, {
    method,
    headers: {
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = JSON.parse(await response.text())
  if (response.status !== status)
    throw new Error(`${method} ${path} answered ${response.status}: ${answer.message}`)
  return answer
}

function mustBe(what: string, seen: string, expected: string): void {
  if (seen === expected) return
  count.crossTalk += 1
  note(`${what} are ${seen}, not ${expected}`)
}

function note(message: string): void {
  said.set(message, (said.get(message) ?? 0) + 1)
}
