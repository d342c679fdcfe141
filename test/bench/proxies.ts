/**
 * `npm run bench:proxies`: the cost of the proxies of examples/scale, and the gain from more processes behind them.
 *
 *   npm run bench:proxies -- --rounds 5 --ms 2000
 *
 * The load, the proxy and all processes share the cores of this machine, so few cores cannot show the gain on many. The CPU
 * time of one request can be measured on any machine, and predicts the result with one core for each process.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from 'paysim/control'
import { isInstalled, type ProxyName, startProxy } from '../examples/proxy.ts'
import {
  type Call,
  type Contestant,
  createCheckout,
  middleOf,
  requestText,
  startClient,
  type Turn,
} from './measure.ts'
import { measured, type Server, startPaysim } from './server.ts'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, ms: { type: 'string', default: '2000' } },
})
const [rounds, roundMs] = [Number(flags.rounds), Number(flags.ms)]

/** Enough that the hash of their names assigns some to each process. */
const SANDBOXES = 50

const CALLS: { title: string; call: Call; status: number }[] = [
  { title: 'POST /v1/checkouts', call: createCheckout, status: 201 },
  {
    title: 'GET /v1/checkouts, one row',
    call: { method: 'GET', path: '/v1/checkouts?limit=1' },
    status: 200,
  },
]

/** A route to the processes: to the first of them without a proxy, or to several through one. */
interface Way {
  title: string
  proxy?: Server
  server: Server
  processes: number
  apiKeys: string[]
}

interface Measurement extends Turn {
  /** CPU time of one request, in microseconds. */
  ofProcesses: number
  ofProxy: number
  /** The share of requests that the busiest process handled. */
  busiest: number
}

const folder = mkdtempSync(join(tmpdir(), 'paysim-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const processes = await Promise.all([1, 2, 3].map(() => startPaysim('--trust-proxy')))
const installed = (['haproxy', 'nginx'] as const).filter((proxy) => {
  const is = isInstalled(proxy)
  if (!is) console.log(`${proxy} is not installed: apt-get install ${proxy}`)
  return is
})
const ways = [
  await withSandboxes('one process, no proxy', 1, processes[0]!),
  ...(await Promise.all(installed.flatMap((proxy) => [1, 2, 3].map((count) => through(proxy, count))))),
]
const client = startClient()

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, which the load, the proxy and the processes share`,
)
console.log(
  `It takes about ${((CALLS.length * ways.length * (rounds + 1) * roundMs) / 60_000).toFixed(1)} minutes.`,
)
for (const { title, call, status } of CALLS) {
  console.log(`\n${title}, ${SANDBOXES} sandboxes, a connection for each`)
  console.log(line('', '  answers', 'ratio', 'half in', '99 % in', 'CPU each: process', 'proxy', 'busiest'))
  const turns: Measurement[][] = []
  for (let round = 0; round <= rounds; round++) {
    const turn: Measurement[] = []
    for (const way of ways) turn.push(await measure(way, call, status))
    // Discard the first round, which is the warm-up.
    if (round > 0) turns.push(turn)
  }
  for (const [at, way] of ways.entries()) console.log(described(way, at, turns))
}
client.stop()
process.exit()

async function through(name: ProxyName, count: number): Promise<Way> {
  const place = mkdtempSync(join(folder, name))
  const behind = processes.slice(0, count).map(({ url }) => Number(new URL(url).port))
  const { child, url } = await startProxy(
    name,
    behind.map((port) => ({ port, productionPort: port })),
    place,
  )
  // SIGKILL would leave nginx's workers running.
  process.once('exit', () => child.kill('SIGTERM'))
  const proxy = measured(child, url)
  return {
    ...(await withSandboxes(`${name}, ${count} process${count > 1 ? 'es' : ''}`, count, proxy)),
    proxy,
  }
}

/** Creates sandboxes with names that are unique among the routes. */
async function withSandboxes(title: string, count: number, server: Server): Promise<Way> {
  const control = connect(server.url)
  const shops = await Promise.all(Array.from({ length: SANDBOXES }, () => control.create()))
  return { title, server, processes: count, apiKeys: shops.map(({ apiKey }) => apiKey) }
}

async function measure({ server, proxy, apiKeys }: Way, call: Call, status: number): Promise<Measurement> {
  const asked: Contestant = { server, request: apiKeys.map((key) => requestText(call, key)), status }
  const counters = [...processes, ...(proxy ? [proxy] : [])]
  const before = counters.map((server) => server.cpuMs())
  const turn = await client.load(asked, roundMs, apiKeys.length)
  const used = counters.map((server, at) => server.cpuMs() - before[at]!)
  const ofAll = used.slice(0, processes.length)
  const all = ofAll.reduce((sum, ms) => sum + ms)
  return {
    ...turn,
    ofProcesses: (all * 1000) / turn.answers,
    ofProxy: ((used[processes.length] ?? 0) * 1000) / turn.answers,
    busiest: Math.max(...ofAll) / all,
  }
}

function described({ title, proxy, processes }: Way, at: number, turns: Measurement[][]): string {
  const middle = (pick: (turn: Measurement) => number) => middleOf(turns, (turn) => pick(turn[at]!))
  const [ofProcesses, ofProxy] = [middle((turn) => turn.ofProcesses), middle((turn) => turn.ofProxy)]
  const busiest = middle((turn) => turn.busiest)
  const cells = [
    `${Math.round(middle(({ perSecond }) => perSecond)).toLocaleString('en')}/s`,
    middleOf(turns, (turn) => turn[at]!.perSecond / turn[0]!.perSecond).toFixed(2),
    `${middle(({ middleMs }) => middleMs).toFixed(1)} ms`,
    `${middle(({ slowest99Ms }) => slowest99Ms).toFixed(1)} ms`,
    `${ofProcesses.toFixed(0)} µs`,
    proxy ? `${ofProxy.toFixed(0)} µs` : '',
    processes > 1 ? `${(busiest * 100).toFixed(0)} %` : '',
  ]
  // The busiest process is the bottleneck for all.
  const alone = 1_000_000 / ofProcesses / busiest
  const computed =
    proxy && processes > 1
      ? `computed for a core each: ${Math.round(alone).toLocaleString('en')}/s, and ${((alone * ofProxy) / 1_000_000).toFixed(1)} cores for the proxy`
      : ''
  return `${line(title, ...cells)}  ${computed}`.trimEnd()
}

function line(title: string, ...cells: string[]): string {
  const widths = [11, 8, 10, 10, 19, 9, 10]
  return title.padEnd(24) + cells.map((cell, at) => cell.padStart(widths[at]!)).join('')
}
