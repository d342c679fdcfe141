/**
 * Fifty clients pay, authorize, capture, void and refund, in staging and in production, over HTTP/1.1 and HTTP/2, while the
 * process is killed and stopped. Each client repeats a write with its key until it gets a response, and keeps its own ledger.
 * At the end, that ledger matches the simulator's to the cent. Set INTENTS=100000 for a longer run.
 */
import { type ClientHttp2Session, connect } from 'node:http2'
import { Agent, request as ask } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../src/spec/world/random.ts'
import { freePort } from '../free-port.ts'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { startPaysim } from '../process/paysim.ts'

const INTENTS = Number(process.env.INTENTS ?? 400)
const CLIENTS = 50
/** The number of responses to writes between two stops or kills of the process. */
const ANSWERS_BETWEEN = { least: 50, most: 2 * Math.max(200, INTENTS / 20) }
const EACH_FIFTH_STOPS = 5

const random = new Random(20_260_102)
const upTo = (most: number) => 1 + Math.floor(random.fraction() * most)

interface Sent {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | undefined
}

interface Answered {
  status: number
  body: string
}

/** One connection, reopened after it breaks. */
interface Connection {
  send(sent: Sent): Promise<Answered>
  close(): void
}

function overHttp1(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 2, rejectUnauthorized: false })
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const sent = ask(new URL(path, url), { agent, method, headers }, (answer) => {
          buffer(answer).then(
            (bytes) => resolve({ status: answer.statusCode!, body: bytes.toString() }),
            reject,
          )
        })
        sent.on('error', reject)
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}

function overHttp2(url: string): Connection {
  let session: ClientHttp2Session | undefined
  const opened = () => {
    if (session && !session.closed && !session.destroyed) return session
    session = connect(url, { rejectUnauthorized: false })
    session.on('error', () => {})
    return session
  }
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const stream = opened().request(
          { ...headers, ':method': method, ':path': path },
          { endStream: false },
        )
        let status = 0
        const chunks: Buffer[] = []
        stream.on('response', (fields) => {
          status = fields[':status']!
        })
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        // A stream that ends with its session closes without an error.
        stream.on('end', () => status > 0 && resolve({ status, body: Buffer.concat(chunks).toString() }))
        stream.on('error', reject)
        stream.on('close', () => reject(new Error('closed')))
        stream.end(body)
      }),
    close: () => session?.destroy(),
  }
}

const REFUSED = /^Amount exceeds the refundable amount$|is already fully refunded$/

/** Counts each movement of money, by its line. */
type Ledger = Map<string, number>

const note = (ledger: Ledger, kind: string, id: string, amount: number) => {
  const line = `${kind} ${id} ${amount.toFixed(2)}`
  ledger.set(line, (ledger.get(line) ?? 0) + 1)
}

class Service {
  answers = 0
  /** The number of answered writes to stubs; a client sends each twice. */
  stubs = 0
  /** Resolves once the process serves again. */
  serving: Promise<unknown> = Promise.resolve()
  #endAt = Number.POSITIVE_INFINITY
  #reached = () => {}

  /** Resolves after this many more responses. */
  after(answers: number): Promise<void> {
    this.#endAt = this.answers + answers
    return new Promise((resolve) => {
      this.#reached = resolve
    })
  }

  answered(): void {
    this.answers += 1
    if (this.answers >= this.#endAt) this.#reached()
  }
}

class Client {
  readonly #connection: Connection
  readonly #service: Service
  readonly #apiKey: string
  readonly ledger: Ledger
  #writes = 0
  readonly #name: string

  constructor(name: string, connection: Connection, service: Service, apiKey: string, ledger: Ledger) {
    this.#name = name
    this.#connection = connection
    this.#service = service
    this.#apiKey = apiKey
    this.ledger = ledger
  }

  /** Sends until there is a response. However often it is sent, one key is one write. */
  async write(
    path: string,
    json: object = {},
    key = this.#nextKey(),
  ): Promise<{ status: number; json: { id: string; message?: string } }> {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': this.#apiKey,
      'idempotency-key': key,
    }
    for (;;) {
      await this.#service.serving
      const answer = await this.#connection
        .send({ method: 'POST', path, headers, body: JSON.stringify(json) })
        .catch(() => undefined)
      // In flight: the first request is still running, or its process stopped during it.
      if (answer === undefined || answer.status === 503 || /in flight/i.test(answer.body)) {
        await new Promise(setImmediate)
        continue
      }
      this.#service.answered()
      if (answer.status >= 500) throw new Error(`${path}: ${answer.status} ${answer.body}`)
      return { status: answer.status, json: JSON.parse(answer.body) }
    }
  }

  #nextKey(): string {
    this.#writes += 1
    return `${this.#name}-${this.#writes}`
  }

  /** One key on two paths of a stub: each path keeps its own response, even across restarts of the process. */
  async payOut(amount: number): Promise<void> {
    const key = this.#nextKey()
    const paths = ['/v1/partner/payouts', '/v1/partner/transfers']
    const sendAll = () => Promise.all(paths.map((path) => this.write(path, { amount }, key)))
    const [first, again] = [await sendAll(), await sendAll()]
    expect(again).toEqual(first)
    expect(first).toMatchObject([
      { status: 201, json: { what: 'payouts', amount } },
      { status: 201, json: { what: 'transfers', amount } },
    ])
    this.#service.stubs += 2
  }

  /** The buyer's step has no key, so a repetition gets a 409. */
  async approve(id: string): Promise<void> {
    const { status, json } = await this.write(`/_sim/checkouts/${id}/approve`, {})
    if (status !== 200 && status !== 409) throw new Error(JSON.stringify(json))
  }

  /** Concurrent refunds: together they must not exceed the rest of the payment. */
  async refund(target: { checkoutId: string } | { authorizationId: string }, left: number): Promise<void> {
    const amounts = [upTo(left * 100) / 100, upTo(left * 100) / 100]
    const answers = await Promise.all(
      amounts.map((amount) => this.write('/v1/refunds', { ...target, amount })),
    )
    let taken = 0
    for (const [at, { status, json }] of answers.entries()) {
      if (status === 201) {
        taken += Math.round(amounts[at]! * 100)
        note(this.ledger, 'refund', json.id, amounts[at]!)
      } else if (!REFUSED.test(json.message ?? '')) throw new Error(JSON.stringify(json))
    }
    expect(taken).toBeLessThanOrEqual(Math.round(left * 100))
    expect(answers.map(({ status }) => status)).toContain(201)
  }

  async payOnce(number: number): Promise<void> {
    const externalId = `${this.#name}-biz-${number}`
    const amount = upTo(100_000) / 100
    const { json: checkout } = await this.write('/v1/checkouts', { ...ORDER, externalId, amount })
    if (random.fraction() < 0.1) {
      expect((await this.write(`/v1/checkouts/${checkout.id}/cancel`)).status).toBe(200)
      return
    }
    await this.approve(checkout.id)
    const confirmed = await this.write(`/v1/checkouts/${checkout.id}/confirm`)
    expect(confirmed.status, JSON.stringify(confirmed.json)).toBe(200)
    note(this.ledger, 'charge', checkout.id, amount)
    if (random.fraction() < 0.5) await this.refund({ checkoutId: checkout.id }, amount)
    if (random.fraction() < 0.6) await this.authorizeOnce(externalId)
    if (random.fraction() < 0.5) await this.payOut(amount)
  }

  async authorizeOnce(externalId: string): Promise<void> {
    const amount = upTo(50_000) / 100
    const { status, json } = await this.write('/v1/authorizations', { externalId, amount })
    expect(status, JSON.stringify(json)).toBe(201)
    const part = upTo(amount * 100) / 100
    // Exactly one of the two succeeds.
    const [captured, voided] = await Promise.all([
      this.write(`/v1/authorizations/${json.id}/capture`, { amount: part }),
      random.fraction() < 0.5 ? this.write(`/v1/authorizations/${json.id}/void`) : undefined,
    ])
    const expected = voided?.status === 200 ? [409, 200] : voided ? [200, 409] : [200, undefined]
    expect([captured.status, voided?.status]).toEqual(expected)
    if (captured.status !== 200) return
    note(this.ledger, 'capture', json.id, part)
    if (random.fraction() < 0.5) await this.refund({ authorizationId: json.id }, part)
  }

  close(): void {
    this.#connection.close()
  }
}

interface Movement {
  kind: string
  amount: number
  checkoutId: string | null
  authorizationId: string | null
  refundId: string | null
}

/** Each execution has a different response, so a repeated key shows whether the first response was stored. */
async function armStub(url: string): Promise<void> {
  const json = {
    id: '${request.id} ${request.time}',
    what: '${request.path.what}',
    amount: '${request.json.amount}',
  }
  const respond = { status: 201, json }
  const connection = overHttp1(url)
  const { status, body } = await connection.send({
    ...{ method: 'POST', path: '/_sim/behaviors', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ when: { stub: 'POST /v1/partner/{what}' }, do: { respond, stored: true } }),
  })
  connection.close()
  expect(status, body).toBe(200)
}

async function ledgerOf(url: string): Promise<Ledger> {
  const connection = overHttp1(url)
  const ledger: Ledger = new Map()
  for (let cursor = ''; ; ) {
    const path = `/_sim/ledger?limit=100${cursor}`
    const { body } = await connection.send({ method: 'GET', path, headers: {}, body: undefined })
    const page = JSON.parse(body) as { movements: Movement[]; hasMore: boolean; nextCursor: string }
    for (const { kind, amount, refundId, checkoutId, authorizationId } of page.movements)
      note(ledger, kind, (refundId ?? checkoutId ?? authorizationId)!, amount)
    if (!page.hasMore) break
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
  connection.close()
  return ledger
}

test(`${INTENTS} intents on ${CLIENTS} connections move the acknowledged money, and nothing else`, {
  timeout: 4 * 3_600_000,
}, async () => {
  const [data, port, productionPort] = [folder(), await freePort(), await freePort()]
  const flags = [
    ...['--data', data, '--rate-limit', 'off', '--tls', '--refund-delay', '10ms'],
    ...['--port', String(port), '--production', '--production-port', String(productionPort)],
    ...['--production-rate-limit', 'off'],
  ]
  const urls = { staging: `https://127.0.0.1:${port}`, production: `https://127.0.0.1:${productionPort}` }
  const ledgers = { staging: new Map() as Ledger, production: new Map() as Ledger }
  const service = new Service()
  let ends = 0
  // The operating system keeps the writes of a killed process, so `process` must lose as little as `commit`.
  const start = () => startPaysim([...flags, '--durability', ends % 2 === 0 ? 'commit' : 'process'])
  let paysim = await start()

  for (const url of Object.values(urls)) await armStub(url)
  let begun = 0
  const clients = Array.from({ length: CLIENTS }, (_, number) => {
    const environment = number % 2 === 0 ? 'staging' : 'production'
    const apiKey = environment === 'staging' ? 'sk_staging_default' : 'sk_live_default'
    const connection = (number % 4 < 2 ? overHttp1 : overHttp2)(urls[environment])
    return new Client(`c${number}`, connection, service, apiKey, ledgers[environment])
  })
  onTestFinished(() => {
    for (const client of clients) client.close()
  })
  let over = false
  const work = Promise.all(
    clients.map(async (client) => {
      while (begun < INTENTS) await client.payOnce(++begun)
    }),
  ).finally(() => {
    over = true
  })

  while (!over) {
    const { least, most } = ANSWERS_BETWEEN
    await Promise.race([service.after(least + upTo(most - least)), work])
    if (over) break
    ends += 1
    let servesAgain = () => {}
    service.serving = new Promise<void>((resolve) => {
      servesAgain = resolve
    })
    if (ends % EACH_FIFTH_STOPS === 0) await paysim.stop()
    else await paysim.kill()
    paysim = await start()
    servesAgain()
  }
  await work

  const settling = overHttp1(urls.staging)
  await settling.send({
    method: 'POST',
    path: '/_sim/settle',
    headers: { 'content-type': 'application/json' },
    body: '{"within":"5m"}',
  })
  settling.close()
  for (const environment of ['staging', 'production'] as const)
    expect(await ledgerOf(urls[environment])).toEqual(ledgers[environment])
  const lines = ledgers.staging.size + ledgers.production.size
  console.info(
    `${begun} intents, ${service.answers} writes, ${service.stubs} keyed stubs, ${lines} movements, ${ends} ends of the process: no difference`,
  )
})
