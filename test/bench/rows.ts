/** What is measured, and what it has to reach. A new row is a new entry here. */
import { createSimulator } from 'paysim'
import { type Call, FRESH, inProcess, type Measure, type Send, startUp, throughput } from './measure.ts'
import { slowestPage } from './pages.ts'
import { sideBySide } from './play.ts'
import { fork, reset } from './sandboxes.ts'
import { dueWork, silentReceiver, yearOfRetries } from './time.ts'
import { watched } from './watched.ts'

export interface Row {
  /** What `--only` calls it. */
  name: string
  title: string
  goal?: { atLeast: number } | { atMost: number }
  measure: Measure
}

const createCheckout: Call = {
  method: 'POST',
  path: '/v1/checkouts',
  body: {
    orderId: 'order-1001',
    externalId: 'acme',
    amount: 1000,
    successUrl: 'https://shop.test/ok',
    cancelUrl: 'https://shop.test/no',
  },
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

export const rows: Row[] = [
  {
    name: 'create',
    title: 'POST /v1/checkouts with a fresh key, in memory',
    goal: { atLeast: 0.25 },
    measure: throughput({ prepare: create }),
  },
  {
    name: 'create-process',
    title: '… in a file, --durability process',
    measure: throughput({ prepare: create, file: true, flags: ['--durability', 'process'] }),
  },
  {
    name: 'create-commit',
    title: '… in a file, --durability commit',
    measure: throughput({ prepare: create, file: true, flags: ['--durability', 'commit'] }),
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
    goal: { atLeast: 0.6 },
    measure: throughput({ prepare: readOne }),
  },
  {
    name: 'read-one-anew',
    title: '… as it is after a write',
    measure: throughput({ prepare: (send) => anew(readOne(send)) }),
  },
  {
    name: 'read-list',
    title: 'GET /v1/checkouts, 20 rows, while nothing is written',
    measure: throughput({ prepare: readList }),
  },
  {
    name: 'read-list-anew',
    title: '… as it is after a write',
    measure: throughput({ prepare: (send) => anew(readList(send)) }),
  },
  {
    name: 'start',
    title: 'from the start to the first answer',
    goal: { atMost: 2 },
    measure: startUp({ method: 'GET', path: '/v1/checkouts' }),
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
