/**
 * What pages and testers ask reads no more than so many rows in one turn of the event loop, however large the sandbox is: a count
 * and no time, so a busy machine changes nothing. What is new is asked too: the pages are those that links lead to, and the
 * questions those of the documents.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../src/service/store/sqlite.ts'
import { TURN } from '../../src/tester/control/turns.ts'
import { createSimulator, type Simulator } from '../../src/tools/compose.ts'
import { linkedPages } from '../linked-pages.ts'
import { asPlatform, order } from './shop.ts'

/** Of each table: more than any turn may read or count. */
const ROWS = 60_000
/** Reading a thousand rows takes about a millisecond. A row of a list counts twice, as its id is read first. */
const READ_MOST = 4_000
/** Counting through so many entries of an index takes 2 to 4 ms. */
const COUNTED_MOST = 50_000

/** What differs from row to row; all else is as in the first row. */
const TABLES: Record<string, string> = {
  customers: "id = 'cus_' || i, externalId = 'biz-' || i",
  checkouts: "id = 'chk_' || i, orderId = 'order-' || i, externalId = 'biz-' || i",
  refunds: "id = 'ref_' || i, checkoutId = 'chk_' || i",
  events: "id = 'evt_' || i, resourceId = 'chk_' || i",
  deliveries: "id = 'dlv_' || i, eventId = 'evt_' || i",
  outbox: "id = 'msg_' || i, relatedId = 'chk_' || i",
  ledger: "checkoutId = 'chk_' || i, refundId = NULL",
}

interface Read {
  rows: number
  counted: number
}

let simulator: Simulator
let db: InstanceType<typeof Database>
/** Rows read in the present turn of the event loop. */
let turn: Read = { rows: 0, counted: 0 }

const { prepare } = Database.prototype
const statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
const { all, get } = statement

beforeAll(async () => {
  Database.prototype.prepare = function (this: typeof db, sql: string) {
    db = this
    return prepare.call(this, sql)
  } as typeof prepare
  simulator = createSimulator({ rateLimit: 'off', clock: 'frozen', seed: 1, log: 'silent' })
  const shop = simulator.sandbox('default')
  shop.webhook.put({ url: 'http://127.0.0.1:9/' })
  const call = asPlatform(simulator, shop)
  await call('POST', '/v1/customers', { externalId: 'acme' })
  const { body: checkout } = await call('POST', '/v1/checkouts', order())
  await call('POST', `/v1/checkouts/${checkout.id}/confirm`, {}, { 'idempotency-key': 'twice' })
  await call('POST', `/v1/checkouts/${checkout.id}/confirm`, {}, { 'idempotency-key': 'twice' })
  await call('POST', `/v1/checkouts/${checkout.id}/refunds`, { amount: 5 })
  Database.prototype.prepare = prepare
  for (const [table, changes] of Object.entries(TABLES)) multiply(table, changes)
  countRows()
  TURN.ms = 0
})

afterAll(async () => {
  TURN.ms = 5
  Object.assign(statement, { all, get })
  await simulator.close()
})

/**
 * Counts the rows that a query returns, and those that a count goes through; a count without a condition takes
 * the table's pages.
 */
function countRows(): void {
  statement.all = function (...values: unknown[]) {
    const rows = all.apply(this, values)
    turn.rows += rows.length
    return rows
  }
  statement.get = function (this: { source: string }, ...values: unknown[]) {
    const row = get.apply(this, values)
    turn.rows += 1
    if (/^SELECT count\(\*\).* WHERE /s.test(this.source)) turn.counted += Number([row].flat()[0])
    return row
  }
}

/** The most that is read in one turn. */
async function mostInATurn(ask: () => Promise<unknown>): Promise<Read> {
  const most: Read = { rows: 0, counted: 0 }
  const nextTurn = () => {
    most.rows = Math.max(most.rows, turn.rows)
    most.counted = Math.max(most.counted, turn.counted)
    turn = { rows: 0, counted: 0 }
  }
  let ticking = setImmediate(function tick() {
    nextTurn()
    ticking = setImmediate(tick)
  })
  try {
    await ask()
    nextTurn()
    return most
  } finally {
    clearImmediate(ticking)
  }
}

const asked: (Read & { path: string })[] = []

/** Asks as a browser, a tester or a platform does, and remembers what it took. */
async function fetchCounted(request: Request): Promise<Response> {
  let answer = new Response()
  const most = await mostInATurn(async () => {
    const { status, headers, body } = await simulator.fetch(request)
    answer = new Response(body && (await new Response(body).arrayBuffer()), { status, headers })
  })
  const { pathname, search } = new URL(request.url)
  asked.push({ path: pathname + search, ...most })
  return answer
}

/** Every GET of an OpenAPI document whose path has no parameter. */
async function askAll(document: string, headers: Record<string, string>): Promise<void> {
  const { paths } = (await (await simulator.fetch(new Request(`http://localhost${document}`))).json()) as {
    paths: Record<string, { get?: unknown }>
  }
  for (const [path, { get }] of Object.entries(paths))
    if (get && !path.includes('{')) await fetchCounted(new Request(`http://localhost${path}`, { headers }))
}

// Each page is made from sixty thousand rows of each kind.
test('no page and no question reads more than so many rows in one turn', { timeout: 60_000 }, async () => {
  await linkedPages({ fetch: fetchCounted }, ['/_sim/ui', '/_sim/ui/find?q=o-1'])
  await askAll('/_sim/openapi.json', {})
  await askAll('/openapi.json', { 'x-api-key': 'sk_staging_default' })
  const paths = asked.map(({ path }) => path)
  for (const path of [
    '/_sim/ui',
    '/_sim/ui/audit',
    '/_sim/ui/webhooks',
    '/_sim/ledger',
    '/_sim/overview',
    '/v1/events',
  ])
    expect(paths).toContain(path)
  expect(asked.filter(({ rows, counted }) => rows > READ_MOST || counted > COUNTED_MOST)).toEqual([])
})

function multiply(table: string, changes: string): void {
  const changed = new Map(changes.split(', ').map((one) => one.split(' = ') as [string, string]))
  const names = (db.pragma(`table_info(${table})`) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'seq')
  const columns = names.map((name) => `"${name}"`).join()
  const values = names.map((name) => changed.get(name) ?? `"${name}"`).join()
  db.exec(`INSERT INTO ${table} (${columns}) WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers
    WHERE i < ${ROWS}) SELECT ${values} FROM numbers, (SELECT * FROM ${table} LIMIT 1)`)
}
