/**
 * Twenty minutes at 500 requests a second, in stored sandboxes that are constantly created and removed:
 * `node test/bench/built/soak.js [minutes] [requests a second]`. After each minute it prints the resources of the process and its
 * response times; minute 3 and the last one must look alike.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { URLS } from '../order.ts'
import { startPaysim } from './server.ts'

const [minutes = 20, perSecond = 500] = process.argv.slice(2).map(Number)
const SANDBOXES = 10
/** Each sandbox lives for twenty seconds. */
const NEW_SANDBOX_MS = 2_000
const TICK_MS = 10

interface Shop {
  name: string
  created: string[]
  confirmed: string[]
}

const data = mkdtempSync(join(tmpdir(), 'paysim-soak-'))
process.once('exit', () => rmSync(data, { recursive: true, force: true }))
const paysim = await startPaysim('--data', data)
const { hostname, port } = new URL(paysim.url)
/** The limit of concurrent requests. On a busy machine fewer requests are sent, instead of a growing queue. */
const CONNECTIONS = 64
const platforms = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
const tester = new Agent({ keepAlive: true })

let shops: Shop[] = []
let made = 0
let sent = 0
let failed = 0
let underWay = 0
let latencies: number[] = []

function send(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body)
    const asked = request(
      {
        ...{ hostname, port, method, path },
        agent: path.startsWith('/_sim') ? tester : platforms,
        headers: {
          ...(text !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
          ...headers,
        },
      },
      (answer) => {
        let received = ''
        answer.setEncoding('utf8').on('data', (part) => {
          received += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, text: received }))
      },
    )
    asked.on('error', reject)
    asked.end(text)
  })
}

/** One request of a platform, which pays, refunds, reads, and makes mistakes. */
async function ask(shop: Shop): Promise<void> {
  const { created, confirmed } = shop
  const key = { 'x-api-key': `sk_staging_${shop.name}` }
  const any = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)] ?? 'chk_none'
  const what = Math.random()
  sent += 1
  const call = (method: string, path: string, body?: object) =>
    send(method, path, body, method === 'GET' ? key : { ...key, 'idempotency-key': `k-${sent}` })
  const began = performance.now()
  let answer: { status: number; text: string }
  if (what < 0.3) {
    answer = await call('POST', '/v1/checkouts', {
      orderId: `o-${sent}`,
      externalId: `b-${sent % 50}`,
      amount: 100,
      ...URLS,
    })
    if (answer.status === 201) created.push(JSON.parse(answer.text).id)
  } else if (what < 0.5) {
    const id = any(created)
    answer = await call('POST', `/v1/checkouts/${id}/confirm`)
    if (answer.status === 200) confirmed.push(id)
  } else if (what < 0.65)
    answer = await call('POST', `/v1/checkouts/${any(confirmed)}/refunds`, { amount: 1 })
  else if (what < 0.9) answer = await call('GET', `/v1/checkouts/${any(created)}`)
  else if (what < 0.95) answer = await call('GET', '/v1/checkouts?limit=20')
  else answer = await call('POST', '/v1/refunds', { amount: 'much' })
  latencies.push(performance.now() - began)
  if (answer.status >= 500) throw new Error(`${answer.status} ${answer.text}`)
}

async function addShop(): Promise<void> {
  const name = `s-${++made}`
  const { status, text } = await send('POST', '/_sim/sandboxes', { name })
  if (status !== 201) throw new Error(text)
  shops.push({ name, created: [], confirmed: [] })
}

function fail(cause: Error): void {
  failed += 1
  if (failed <= 10) console.log(`failed: ${cause.message}`)
}

async function turnOver(until: number): Promise<void> {
  while (performance.now() < until) {
    const [oldest] = shops
    shops = shops.slice(1)
    await addShop().catch(fail)
    if (oldest) await send('DELETE', `/_sim/sandboxes/${oldest.name}`).catch(fail)
    await wait(NEW_SANDBOX_MS)
  }
}

async function load(until: number): Promise<void> {
  const began = performance.now()
  let asked = 0
  for (let now = began; now < until; now = performance.now()) {
    for (; asked < ((now - began) * perSecond) / 1000; asked += 1) {
      if (underWay >= CONNECTIONS) continue
      underWay += 1
      ask(shops[asked % shops.length]!)
        .catch(fail)
        .finally(() => {
          underWay -= 1
        })
    }
    await wait(TICK_MS)
  }
}

const at = (sorted: readonly number[], part: number) => sorted[Math.floor(sorted.length * part)]?.toFixed(1)

function describe(minute: number): string {
  const sorted = latencies.sort((a, b) => a - b)
  latencies = []
  return `minute ${String(minute).padStart(2)}: ${paysim.memoryMb()} MB, ${paysim.descriptors()} descriptors, p50 ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms, ${Math.round(sorted.length / 60)} answers a second, ${made} sandboxes made, ${failed} failed`
}

for (let count = 0; count < SANDBOXES; count += 1) await addShop()
const end = performance.now() + minutes * 60_000
const working = Promise.all([turnOver(end), load(end)])
const lines: string[] = []
for (let minute = 1; minute <= minutes; minute += 1) {
  await wait(60_000)
  lines.push(describe(minute))
  console.log(lines.at(-1))
}
await working
console.log(`\n${[lines[2], lines.at(-1)].join('\n')}\n${sent} requests sent`)
platforms.destroy()
tester.destroy()
await paysim.stop('SIGTERM')
process.exitCode = failed > 0 ? 1 : 0
