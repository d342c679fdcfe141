/**
 * The floor: the least that an honest service costs. An app on paysim's libraries that stores each checkout with its event and the
 * answer of its key, counts requests, keeps a journal, and commits once in a turn of the event loop; an answer waits for the commit
 * of what it says. `node test/bench/built/floor.js [FILE]` serves at a free port; without a file all is in memory.
 */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { z } from 'zod'
import { Database } from '../../src/service/store/sqlite.ts'

const [API_KEY, A_MINUTE, JOURNALED, LISTED] = ['sk_staging_default', 1_000_000_000, 10_000, 20]

const Text = z.string().min(1).max(255)
const Amount = z.number().positive().max(1e9)
const Order = z.object({
  orderId: Text,
  externalId: Text,
  amount: Amount,
  successUrl: z.url(),
  cancelUrl: z.url(),
})

const db = new Database(process.argv[2] ?? ':memory:')
for (const setting of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL'])
  db.pragma(setting)
db.exec(`
  CREATE TABLE IF NOT EXISTS checkouts (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, orderId TEXT NOT NULL, externalId TEXT NOT NULL,
    amount INTEGER NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL, successUrl TEXT NOT NULL, cancelUrl TEXT NOT NULL,
    customerId TEXT, paymentMethodId TEXT, paymentMethodType TEXT, amountRefunded INTEGER NOT NULL,
    createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL, approvedAt TEXT, confirmedAt TEXT, canceledAt TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, createdAt TEXT NOT NULL, data TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS answers (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, request TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    location TEXT) STRICT`)
const COLUMNS = `id, orderId, externalId, amount, currency, status, successUrl, cancelUrl, customerId, paymentMethodId,
  paymentMethodType, amountRefunded, createdAt, updatedAt, approvedAt, confirmedAt, canceledAt`
const insertCheckout = db.prepare(`INSERT INTO checkouts (${COLUMNS}) VALUES (?${', ?'.repeat(16)})`)
const insertEvent = db.prepare('INSERT INTO events (id, type, createdAt, data) VALUES (?, ?, ?, ?)')
const insertAnswer = db.prepare(
  'INSERT INTO answers (key, request, status, body, location) VALUES (?, ?, ?, ?, ?)',
)
const findAnswer = db.prepare<[string], Answer & { request: string }>('SELECT * FROM answers WHERE key = ?')
// Rows are arrays: as objects they take twice as long.
const findCheckout = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM checkouts WHERE id = ?`).raw()
const newest = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM checkouts ORDER BY seq DESC LIMIT ?`).raw()
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]

type Row = (string | number | null)[]
// biome-ignore format: columns in their order
const shown = (host: string | undefined, [
  id, orderId, externalId, amount, currency, status, successUrl, cancelUrl, customerId, paymentMethodId, paymentMethodType,
  refunded, createdAt, updatedAt, approvedAt, confirmedAt, canceledAt,
]: Row) => ({
  id, orderId, externalId, amount: Number(amount) / 100, currency, status, successUrl, cancelUrl,
  checkoutUrl: `http://${host}/checkout/${id}`, customerId, paymentMethodId, paymentMethodType,
  amountRefunded: Number(refunded) / 100, createdAt, updatedAt, approvedAt, confirmedAt, canceledAt,
})

/** What was written in this turn of the event loop; what fails takes with it all that shares its commit. */
let turn: { committed: Promise<void>; failed?: unknown } | undefined

function write(rows: () => void): void {
  turn ??= { committed: new Promise(commitAfterTurn) }
  try {
    rows()
  } catch (cause) {
    turn.failed = cause
  }
}

function commitAfterTurn(resolve: () => void, reject: (cause: unknown) => void): void {
  begin.run()
  setImmediate(() => {
    const failed = turn?.failed
    turn = undefined
    try {
      if (failed) throw failed
      commit.run()
      resolve()
    } catch (cause) {
      if (db.inTransaction) db.exec('ROLLBACK')
      reject(cause)
    }
  })
}

interface Answer {
  status: number
  body: string
  location?: string | null
}
type MaybeAnswer = Answer | Promise<Answer>

const committed = (answer: Answer): MaybeAnswer => (turn ? turn.committed.then(() => answer) : answer)

type Entry = ReturnType<typeof arrival>
const journal: Entry[] = []
let arrived = 0

function arrival({ method, url, socket }: IncomingMessage) {
  const ip = socket.remoteAddress ?? ''
  return { number: ++arrived, at: Date.now(), ip, method, url, request: '', status: 0, answer: '', ms: 0 }
}

const windows = new Map<string, { endsAt: number; requests: number }>()

function counted({ ip, at }: Entry) {
  const known = windows.get(ip)
  const window = known && at < known.endsAt ? known : { endsAt: at + 60_000, requests: 0 }
  if (window !== known) windows.set(ip, window)
  window.requests += 1
  return window
}

type Asked = Context<{ Bindings: HttpBindings }>

/** Each request is journaled, counted, and answered if it has the key. */
function answer(c: Asked, perform: (entry: Entry) => MaybeAnswer): Response | Promise<Response> {
  const entry = arrival(c.env.incoming)
  journal[entry.number % JOURNALED] = entry
  const { requests, endsAt } = counted(entry)
  const end = ({ status, body, location }: Answer): Response => {
    entry.status = status
    entry.answer = body
    entry.ms = Date.now() - entry.at
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-ratelimit-limit': String(A_MINUTE),
      'x-ratelimit-remaining': String(Math.max(0, A_MINUTE - requests)),
      'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
      'x-request': `req_${entry.number}`,
    }
    if (location) headers.location = location
    return new Response(body, { status, headers })
  }
  const refuse = (cause: unknown): Response => {
    const known = cause instanceof HTTPException ? cause : { status: 500, message: 'Internal server error' }
    return end({
      status: known.status,
      body: JSON.stringify({ error: STATUS_CODES[known.status], message: known.message }),
    })
  }
  try {
    if (requests > A_MINUTE) throw new HTTPException(429, { message: 'Too many requests, try again later' })
    if (c.env.incoming.headers['x-api-key'] !== API_KEY)
      throw new HTTPException(401, { message: 'Invalid API key' })
    const performed = perform(entry)
    return performed instanceof Promise ? performed.then(end).catch(refuse) : end(performed)
  } catch (cause) {
    return refuse(cause)
  }
}

async function createCheckout(c: Asked, entry: Entry): Promise<Answer> {
  const request = await c.req.text()
  entry.request = request
  const { host, 'idempotency-key': key } = c.env.incoming.headers
  const known = typeof key === 'string' ? findAnswer.get(key) : undefined
  if (known && known.request !== request)
    throw new HTTPException(422, { message: 'The key came with another body before' })
  if (known) return committed(known)

  const { orderId, externalId, amount, successUrl, cancelUrl } = orderOf(request)
  // Ids that begin with the time are stored beside each other: by chance alone each would change pages of its own.
  const [unique, now] = [entry.at.toString(36) + randomUUID().slice(9), new Date(entry.at).toISOString()]
  // biome-ignore format: columns in their order
  const row: Row = [
    `chk_${unique}`, orderId, externalId, Math.round(amount * 100), 'USD', 'pending', successUrl, cancelUrl, null, null, null,
    0, now, now, null, null, null,
  ]
  const made = { status: 201, body: JSON.stringify(shown(host, row)), location: `/v1/checkouts/${row[0]}` }
  write(() => {
    insertCheckout.run(row)
    insertEvent.run(`evt_${unique}`, 'checkout.created', now, made.body)
    if (key !== undefined) insertAnswer.run(key, request, made.status, made.body, made.location)
  })
  return committed(made)
}

function orderOf(request: string): z.output<typeof Order> {
  try {
    return Order.parse(JSON.parse(request))
  } catch (cause) {
    throw new HTTPException(400, { message: (cause as Error).message })
  }
}

function readCheckout({ req, env }: Asked): MaybeAnswer {
  const row = findCheckout.get(req.param('id')!)
  if (!row) throw new HTTPException(404, { message: 'Checkout not found' })
  return committed({ status: 200, body: JSON.stringify(shown(env.incoming.headers.host, row)) })
}

function listCheckouts({ env }: Asked): MaybeAnswer {
  const rows = newest.all(LISTED + 1)
  const data = rows.slice(0, LISTED).map((row) => shown(env.incoming.headers.host, row))
  return committed({ status: 200, body: JSON.stringify({ data, hasMore: rows.length > LISTED }) })
}

const app = new Hono<{ Bindings: HttpBindings }>()
app.post('/v1/checkouts', (c) => answer(c, (entry) => createCheckout(c, entry)))
app.get('/v1/checkouts', (c) => answer(c, () => listCheckouts(c)))
app.get('/v1/checkouts/:id', (c) => answer(c, () => readCheckout(c)))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
