/** What is measured, and what it has to reach. A new row is a new entry here. */
import { createSimulator } from 'paysim'
import { createCheckout } from './checkout.ts'
import { besideMany, block, creation, keptSandboxes, memoryEach, oneOfMany } from './many.ts'
import { type Call, FRESH, inProcess, type Measure, type Send, startUp, throughput } from './measure.ts'
import { slowestDashboardPage, slowestPage, slowestSearch } from './pages.ts'
import { sideBySide } from './play.ts'
import { fork, reset } from './sandboxes.ts'
import { dueWork, silentReceiver, yearOfRetries } from './time.ts'
import { logged, watched } from './watched.ts'

export interface Row {
  /** What `--only` calls it. */
  name: string
  title: string
  goal?: { atLeast: number } | { atMost: number }
  measure: Measure
}

const create = async () => createCheckout

async function readOne(send: Send): Promise<Call> {
  await someCheckouts(send)
  const { text } = await send(createCheckout)
  return { method: 'GET', path: `/v1/checkouts/${JSON.parse(text).id}` }
}

async function readList(send: Send): Promise<Call> {
  await someCheckouts(send)
  return { method: 'GET', path: '/v1/checkouts' }
}

/** No two targets are the same, so nothing that was read before can be given again. */
async function anew(call: Promise<Call>): Promise<Call> {
  const { path, ...rest } = await call
  return { ...rest, path: `${path}?as=${FRESH}` }
}

async function someCheckouts(send: Send): Promise<void> {
  for (let n = 0; n < 100; n++) await send(createCheckout)
}

const simulator = createSimulator()
let sandboxes = 0

const list: Call = { method: 'GET', path: '/v1/checkouts' }

export const rows: Row[] = [
  {
    name: 'start',
    title: 'from the start to the first answer',
    goal: { atMost: 1.5 },
    measure: startUp(list),
  },
  {
    name: 'start-kept',
    title: '… with 1,000 kept sandboxes',
    goal: { atMost: 1.5 },
    measure: startUp(list, keptSandboxes),
  },
  {
    name: 'create',
    title: 'POST /v1/checkouts with a fresh key, in memory',
    goal: { atLeast: 0.5 },
    measure: throughput({ prepare: create, peerCall: 'create' }),
  },
  {
    name: 'create-process',
    title: '… in a file, --durability process',
    measure: throughput({ prepare: create, file: true, flags: ['--durability', 'process'] }),
  },
  {
    name: 'create-commit',
    title: '… in a file, --durability commit',
    goal: { atLeast: 0.4 },
    measure: throughput({ prepare: create, file: true, flags: ['--durability', 'commit'] }),
  },
  {
    name: 'create-many',
    title: 'POST to 50 sandboxes, of one to a single sandbox',
    goal: { atLeast: 0.5 },
    measure: oneOfMany(50),
  },
  {
    name: 'log',
    title: '… in memory, with the default log',
    goal: { atLeast: 0.95 },
    measure: logged(createCheckout),
  },
  {
    name: 'watched',
    title: '… in memory, while the dashboard is open',
    goal: { atLeast: 0.8 },
    measure: watched(createCheckout),
  },
  {
    name: 'read-one',
    title: 'GET /v1/checkouts/{id}, while nothing is written',
    goal: { atLeast: 0.8 },
    measure: throughput({ prepare: readOne, peerCall: 'read' }),
  },
  {
    name: 'read-one-anew',
    title: '… as it is after a write',
    goal: { atLeast: 0.6 },
    measure: throughput({ prepare: (send) => anew(readOne(send)) }),
  },
  {
    name: 'read-list',
    title: 'GET /v1/checkouts, 20 rows, while nothing is written',
    measure: throughput({ prepare: readList, peerCall: 'list' }),
  },
  {
    name: 'read-list-anew',
    title: '… as it is after a write',
    goal: { atLeast: 0.25 },
    measure: throughput({ prepare: (send) => anew(readList(send)) }),
  },
  {
    name: 'created',
    title: 'a sandbox made over HTTP, beside 10,000',
    goal: { atMost: 1 },
    measure: creation,
  },
  {
    name: 'idle',
    title: 'what an idle one of 10,000 sandboxes holds',
    goal: { atMost: 20 },
    measure: memoryEach,
  },
  {
    name: 'beside-many',
    title: '99th percentile of a POST beside 10,000 sandboxes',
    goal: { atMost: 1.3 },
    measure: besideMany,
  },
  {
    name: 'block-list',
    title: '/healthz while 3,000 sandboxes are listed',
    goal: { atMost: 20 },
    measure: block('/_sim/sandboxes'),
  },
  {
    name: 'block-metrics',
    title: '… while their metrics are scraped',
    goal: { atMost: 20 },
    measure: block('/_sim/metrics'),
  },
  {
    name: 'block-dashboard',
    title: '… while the dashboard of 300,000 checkouts is opened',
    goal: { atMost: 20 },
    measure: block(
      '/_sim/ui',
      '/_sim/ui/timeline',
      '/_sim/ui/resources/checkouts',
      '/_sim/ui/events',
      '/_sim/ui/sandboxes',
    ),
  },
  {
    name: 'block-events',
    title: '… while its events are listed by type',
    goal: { atMost: 20 },
    measure: block('/v1/events?type=checkout.created', '/v1/events?type=refund.completed'),
  },
  {
    name: 'block-filters',
    title: '… while its checkouts are filtered',
    goal: { atMost: 20 },
    measure: block(
      '/v1/checkouts?status=pending',
      '/v1/checkouts?status=confirmed',
      '/v1/checkouts?customerId=cus_none',
    ),
  },
  {
    name: 'sandbox',
    title: 'one more sandbox, in this process',
    goal: { atMost: 2 },
    measure: inProcess(() => simulator.sandbox(`sandbox-${++sandboxes}`)),
  },
  {
    name: 'reset',
    title: 'a sandbox started over, in this process',
    goal: { atMost: 2 },
    measure: reset,
  },
  {
    name: 'fork',
    title: 'a sandbox made from one with 10,000 checkouts, in this process',
    goal: { atMost: 20 },
    measure: fork(10_000),
  },
  {
    name: 'page',
    title: 'the slowest page of a checkout, in this process',
    goal: { atMost: 5 },
    measure: slowestPage,
  },
  {
    name: 'dashboard',
    title: 'the slowest page of a dashboard with 10,000 requests',
    goal: { atMost: 100 },
    measure: slowestDashboardPage,
  },
  {
    name: 'search',
    title: 'the slowest search among them',
    goal: { atMost: 50 },
    measure: slowestSearch,
  },
  {
    name: 'due',
    title: 'advancing over 10,000 pieces of due work',
    goal: { atMost: 2000 },
    measure: dueWork(10_000),
  },
  {
    name: 'retries',
    title: 'advancing over a year of retries',
    goal: { atMost: 1000 },
    measure: yearOfRetries,
  },
  {
    name: 'silent-receiver',
    title: 'the slowest POST with a receiver that never answers',
    goal: { atMost: 1.5 },
    measure: silentReceiver,
  },
  {
    name: 'play',
    title: '1,000 small scenarios with --jobs 2, in time of one at a time',
    goal: { atMost: 0.8 },
    measure: sideBySide(1000, 2),
  },
]
