/**
 * The floor: the minimum cost of an honest service. An app on paysim's libraries that stores each checkout with its event and the
 * response of its key, counts requests, keeps a journal, and commits once per turn of the event loop. Each response waits for
 * the commit.
 */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { type HttpBindings, serve } from '@hono/node-server'
import type { Statement } from 'better-sqlite3'
import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { z } from 'zod'
import { Database } from '../../src/service/store/sqlite.ts'

const [API_KEY, A_MINUTE, JOURNALED] = ['sk_staging_default', 1_000_000_000, 10_000]
const [MINUTE_MS, HOUR_MS, DAY_MS, BODY_MAX_BYTES] = [60_000, 3_600_000, 86_400_000, 100 * 1024]

const Text = z.string().min(1).max(255)
// Refuse fractions of a cent instead of rounding them.
const Amount = z
  .number()
  .min(0.01)
  .max(999_999_999.99)
  .refine((amount) => Number(amount.toFixed(2)) === amount)
const Url = z.url({ protocol: /^https?$/ }).max(2048)
const Order = z.object({ orderId: Text, externalId: Text, amount: Amount, successUrl: Url, cancelUrl: Url })

const FILTERS = ['orderId', 'externalId', 'customerId', 'status'] as const
const Page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.coerce.number().int().positive().optional(),
  status: z.enum(['pending', 'approved', 'confirmed', 'canceled']).optional(),
  orderId: z.string().optional(),
  externalId: z.string().optional(),
  customerId: z.string().optional(),
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
    location TEXT, createdAt INTEGER NOT NULL) STRICT;
  -- a checkout shows the customer of its external ID
  CREATE TABLE IF NOT EXISTS customers (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, externalId TEXT NOT NULL UNIQUE) STRICT;
  -- lists of checkouts and of events are filtered, and may be long
  CREATE INDEX IF NOT EXISTS checkouts_by_order_id ON checkouts (orderId);
  CREATE INDEX IF NOT EXISTS checkouts_by_external_id ON checkouts (externalId);
  CREATE INDEX IF NOT EXISTS checkouts_by_status ON checkouts (status);
  CREATE INDEX IF NOT EXISTS checkouts_by_customer ON checkouts (customerId) WHERE customerId IS NOT NULL;
  CREATE INDEX IF NOT EXISTS events_by_type ON events (type)`)
const COLUMNS = `id, orderId, externalId, amount, currency, status, successUrl, cancelUrl, customerId, paymentMethodId,
  paymentMethodType, amountRefunded, createdAt, updatedAt, approvedAt, confirmedAt, canceledAt`
const insertCheckout = db.prepare(`INSERT INTO checkouts (${COLUMNS}) VALUES (?${', ?'.repeat(16)})`)
const insertEvent = db.prepare('INSERT INTO events (id, type, createdAt, data) VALUES (?, ?, ?, ?)')
// REPLACE, because a key may be reused after a day while its old response is still stored.
const insertAnswer = db.prepare(
  'INSERT OR REPLACE INTO answers (key, request, status, body, location, createdAt) VALUES (?, ?, ?, ?, ?, ?)',
)
const findAnswer = db.prepare<[key: string, since: number], Answer & { request: string }>(
  'SELECT * FROM answers WHERE key = ? AND createdAt > ?',
)
const forgetAnswers = db.prepare('DELETE FROM answers WHERE createdAt <= ?')
setInterval(() => forgetAnswers.run(Date.now() - DAY_MS), HOUR_MS).unref()
const findCustomer = db.prepare<[string], string>('SELECT id FROM customers WHERE externalId = ?').pluck()
// Arrays, because rows as objects take twice as long.
const findCheckout = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM checkouts WHERE id = ?`).raw()
const lists = new Map<string, Statement<unknown[], Row>>()
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

/** Writes amounts with two decimals. Only real names match, because quotes inside a JSON string are written `\"`. */
const json = (value: unknown) =>
  JSON.stringify(value).replace(
    /"(amount|amountRefunded)":([\d.]+)/g,
    (_, name, amount) => `"${name}":${Number(amount).toFixed(2)}`,
  )

/** The commit shared by the requests of this turn of the event loop; if it fails, all of them fail. */
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
  const window = known && at < known.endsAt ? known : { endsAt: at + MINUTE_MS, requests: 0 }
  if (window !== known) windows.set(ip, window)
  window.requests += 1
  return window
}

// Forget addresses that no longer send requests.
setInterval(() => {
  for (const [ip, { endsAt }] of windows) if (endsAt <= Date.now()) windows.delete(ip)
}, MINUTE_MS).unref()

type Asked = Context<{ Bindings: HttpBindings }>

/** Journals and counts each request, and performs it if it has the API key. */
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
  const { host, 'content-type': type = '', 'content-length': length } = c.env.incoming.headers
  if (Number(length) > BODY_MAX_BYTES) throw new HTTPException(413, { message: 'Request body is too large' })
  const request = await c.req.text()
  // Check again, because the length of a chunked body is known only at its end.
  if (Buffer.byteLength(request) > BODY_MAX_BYTES)
    throw new HTTPException(413, { message: 'Request body is too large' })
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new HTTPException(415, { message: 'Content-Type must be application/json' })
  entry.request = request
  const key = keyOf(c.env.incoming)
  const known = key === undefined ? undefined : findAnswer.get(key, entry.at - DAY_MS)
  if (known && known.request !== request && !isDeepStrictEqual(JSON.parse(known.request), parsed(request)))
    throw new HTTPException(422, { message: 'The key came with another body before' })
  if (known) return committed(known)

  const { orderId, externalId, amount, successUrl, cancelUrl } = valid(Order, parsed(request))
  // Ids start with the time, so that new rows share pages; each random id would change a different page.
  const [unique, now] = [entry.at.toString(36) + randomUUID().slice(9), new Date(entry.at).toISOString()]
  // biome-ignore format: columns in their order
  const row: Row = [
    `chk_${unique}`, orderId, externalId, Math.round(amount * 100), 'USD', 'pending', successUrl, cancelUrl,
    findCustomer.get(externalId) ?? null, null, null, 0, now, now, null, null, null,
  ]
  const made = { status: 201, body: json(shown(host, row)), location: `/v1/checkouts/${row[0]}` }
  const [event, eventType] = [`evt_${unique}`, 'checkout.created']
  write(() => {
    insertCheckout.run(row)
    // Store the whole webhook body, because every attempt sends the same bytes.
    const sent = `{"id":"${event}","type":"${eventType}","timestamp":"${now}","data":${made.body}}`
    insertEvent.run(event, eventType, now, sent)
    if (key !== undefined) insertAnswer.run(key, request, made.status, made.body, made.location, entry.at)
  })
  return committed(made)
}

/** Returns the Idempotency-Key, which must be printable ASCII and sent only once. */
function keyOf(incoming: IncomingMessage): string | undefined {
  const key = incoming.headers['idempotency-key'] as string | undefined
  if (key === undefined) return undefined
  // Node joins repeated headers. Read headersDistinct only if needed, because its first use builds the lists of all headers.
  const isTwice = key.includes(', ') && incoming.headersDistinct['idempotency-key']!.length > 1
  if (isTwice || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw new HTTPException(400, { message: 'Malformed Idempotency-Key' })
  return key
}

function parsed(request: string): unknown {
  try {
    return JSON.parse(request)
  } catch {
    throw new HTTPException(400, { message: 'Malformed JSON body' })
  }
}

function valid<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value)
  if (error) throw new HTTPException(400, { message: error.message })
  return data as z.output<Schema>
}

function readCheckout({ req, env }: Asked): MaybeAnswer {
  const row = findCheckout.get(req.param('id')!)
  if (!row) throw new HTTPException(404, { message: 'Checkout not found' })
  return committed({ status: 200, body: json(shown(env.incoming.headers.host, row)) })
}

function listCheckouts({ req, env }: Asked): MaybeAnswer {
  const { limit, cursor, ...by } = valid(Page, req.query())
  const used = FILTERS.filter((name) => by[name] !== undefined)
  const values = [...used.map((name) => by[name]), cursor ?? Number.MAX_SAFE_INTEGER, limit + 1]
  const rows = listBy(used).all(values)
  const data = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const nextCursor = hasMore ? String(data.at(-1)!.at(-1)) : null
  const host = env.incoming.headers.host
  return committed({
    status: 200,
    body: json({ data: data.map((row) => shown(host, row)), hasMore, nextCursor }),
  })
}

function listBy(used: readonly string[]): Statement<unknown[], Row> {
  const name = used.join()
  let list = lists.get(name)
  if (!list) {
    const where = [...used.map((column) => `${column} = ?`), 'seq < ?'].join(' AND ')
    list = db
      .prepare<unknown[], Row>(
        `SELECT ${COLUMNS}, seq FROM checkouts WHERE ${where} ORDER BY seq DESC LIMIT ?`,
      )
      .raw()
    lists.set(name, list)
  }
  return list
}

const app = new Hono<{ Bindings: HttpBindings }>()
app.post('/v1/checkouts', (c) => answer(c, (entry) => createCheckout(c, entry)))
app.get('/v1/checkouts', (c) => answer(c, () => listCheckouts(c)))
app.get('/v1/checkouts/:id', (c) => answer(c, () => readCheckout(c)))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
