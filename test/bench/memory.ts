/**
 * How much a simulator holds on to, however long it is asked: `node test/bench/built/memory.js [requests]`, a million
 * unless it is said otherwise. They read, list, replay and are refused, so the database stays as small as it is and what
 * would grow is the journal.
 */
import { createSimulator } from 'paysim'
import { createCheckout } from './sandboxes.ts'

const requests = Number(process.argv[2] ?? 1_000_000)
const simulator = createSimulator({ rateLimit: 'off' })
const shop = simulator.sandbox('default')
const ids: string[] = []
for (let n = 0; n < 100; n++) ids.push(await createCheckout(simulator, shop, n))

const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json' }
const post = (key: string, externalId: string) =>
  [
    '/v1/customers',
    { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body: JSON.stringify({ externalId }) },
  ] as const
const asked = [
  (n: number) => [`/v1/checkouts/${ids[n % 100]}`, { headers }] as const,
  () => ['/v1/checkouts', { headers }] as const,
  (n: number) => post(`key-${n % 100}`, `acme-${n % 100}`),
  (n: number) => post(`key-${n % 100}`, 'another'),
  () => ['/v1/checkouts/chk_nobody', { headers }] as const,
]

const began = performance.now()
let most = 0
for (let n = 0; n < requests; n++) {
  const [path, init] = asked[n % asked.length]!(n)
  const response = await simulator.fetch(new Request(`http://paysim.test${path}`, init))
  await response.arrayBuffer()
  if (n % 10_000 === 0) most = Math.max(most, process.memoryUsage().rss)
  if (n % 100_000 === 0) console.log(describe(n))
}
console.log(describe(requests))
most = Math.max(most, process.memoryUsage().rss)
console.log(
  `at most ${megabytes(most)} in ${Math.round((performance.now() - began) / 1000)} s; ${shop.requests().length} requests journaled`,
)
await simulator.close()

function describe(n: number): string {
  const { rss, heapUsed, external } = process.memoryUsage()
  return `${String(n).padStart(9)} requests: ${megabytes(rss)}, of which heap ${megabytes(heapUsed)}, buffers ${megabytes(external)}`
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
