/** Random histories of a platform, run against the service and against its model. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { parseDuration } from '../../src/spec/contract/duration.ts'
import { LEDGER_KINDS } from '../../src/spec/contract/resources/ledger.ts'
import { paymentOf } from '../../src/spec/contract/resources/movements.ts'
import { TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { groupBy } from '../../src/spec/grouping.ts'
import { openPlatform, type Platform, START } from '../contract/platform.ts'
import { type Asked, DAY_MS, Model, ORDER } from './model.ts'
import { Names } from './names.ts'

/** The customer's other fields. */
type Details = { name?: string; email?: string; phone?: string }
/** Named by the platform's id, or by a number that selects a customer. */
type Business = { externalId: string } | { customer: number }

/** The possible requests of a platform. A number selects one of the existing ids, so that every step is possible. */
type Wish =
  | { do: 'create'; business: string; amount: number; type: 'card' | 'bank_account' | undefined }
  | { do: 'confirm' | 'cancel'; checkout: number; method?: number | undefined }
  | { do: 'refund'; of: 'path' | 'checkoutId' | 'authorizationId'; target: number; amount: number }
  | { do: 'enroll'; business: string; details: Details }
  | {
      do: 'authorize'
      of: Business
      amount: number
      method?: number | undefined
      orderId?: string | undefined
    }
  | { do: 'capture'; authorization: number; amount?: number | undefined }
  | { do: 'void'; authorization: number }
  | { do: 'detach'; method: number }

/** The next event of a history. */
export type Step =
  | (Wish & { key?: string; lost?: true })
  | { do: 'approve'; checkout: number; type: 'card' | 'bank_account' }
  | { do: 'retry'; which: number; otherwise: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'restart' }

/** Around the due time of each timed move, and around the day for which a key is remembered. */
const WAITS_MS = [
  1,
  ...TIMED_MOVES.map(({ after }) => parseDuration(after)).flatMap((ms) => [ms - 1, ms]),
  60_000,
  DAY_MS - 1,
  DAY_MS,
]

const business = fc.constantFrom('a', 'b', 'c')
const amount = fc.constantFrom(0.01, 0.1, 3, 10, 99.99, 100, 100.01)
const type = fc.constantFrom(undefined, 'card' as const, 'bank_account' as const)
const index = fc.nat({ max: 1_000 })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const details = fc.constantFrom({}, { name: 'Ada', email: 'ada@example.test', phone: '+1 555 0100' })
const of = fc.oneof(fc.record({ externalId: business }), fc.record({ customer: index }))
/** Few keys, so that they repeat, and often none; sometimes the response is lost. */
const key = fc.constantFrom(
  {},
  {},
  { key: 'k1' },
  { key: 'k2' },
  { key: 'k3' },
  { key: 'k1', lost: true },
  { key: 'k2', lost: true },
)

const step = <Name extends Step['do'], Rest extends object>(name: Name, rest: fc.Arbitrary<Rest>) =>
  fc.tuple(rest, key).map(([chosen, keyed]) => ({ do: name, ...chosen, ...keyed }) as unknown as Step)

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: step('create', fc.record({ business, amount, type })) },
  { weight: 5, arbitrary: step('confirm', fc.record({ checkout: index, method: maybe(index) })) },
  { weight: 1, arbitrary: step('cancel', fc.record({ checkout: index })) },
  {
    weight: 1,
    arbitrary: step('approve', fc.record({ checkout: index, type: fc.constantFrom('card', 'bank_account') })),
  },
  {
    weight: 6,
    arbitrary: step(
      'refund',
      fc.record({ of: fc.constantFrom('path', 'checkoutId', 'authorizationId'), target: index, amount }),
    ),
  },
  { weight: 2, arbitrary: step('enroll', fc.record({ business, details })) },
  {
    weight: 3,
    arbitrary: step(
      'authorize',
      fc.record({ of, amount, method: maybe(index), orderId: maybe(fc.constant('o')) }),
    ),
  },
  { weight: 3, arbitrary: step('capture', fc.record({ authorization: index, amount: maybe(amount) })) },
  { weight: 1, arbitrary: step('void', fc.record({ authorization: index })) },
  { weight: 1, arbitrary: step('detach', fc.record({ method: index })) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('retry' as const), which: index, otherwise: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(...WAITS_MS),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

export const steps: fc.Arbitrary<Step[]> = fc.array(anyStep, { minLength: 1, maxLength: 60, size: 'max' })

type Keyed = Asked & { key: string | undefined }

/** The id that a number selects; a multiple of eleven selects an id that never existed. */
const pick = (all: ReadonlyMap<string, unknown>, number: number): string =>
  all.size === 0 || number % 11 === 0 ? 'nobody' : [...all.keys()][number % all.size]!

/** Removes the sandbox's name from URLs, because a copy has another name but keeps the URLs of its original. */
export const withoutSandbox = (text: string): string =>
  text.replaceAll(/\/sandboxes\/[\w-]+\/checkout\//g, '/checkout/')

export class History {
  readonly platform: Platform
  readonly model: Model
  readonly names: Names
  readonly asked: Keyed[]
  /** Every byte of every response. */
  transcript = ''

  /** Starts with an empty sandbox, or continues as a copy of another history. */
  constructor(platform: Platform, copied?: History) {
    this.platform = platform
    this.model = copied?.model.copy() ?? new Model(Date.parse(START))
    this.names = copied?.names.copy() ?? new Names()
    this.asked = [...(copied?.asked ?? [])]
  }

  async take(next: Step): Promise<void> {
    const { tester } = this.platform
    switch (next.do) {
      case 'wait':
        this.model.advance(next.ms)
        return tester.advance(next.ms)
      case 'restart':
        return tester.restart()
      case 'approve':
        return this.#approve(next)
      case 'retry':
        return this.#retry(next)
      default:
        return this.#ask({ ...this.#request(next), key: next.key }, next.lost)
    }
  }

  #request(next: Wish): Asked {
    const {
      checkout: checkouts,
      authorization: authorizations,
      payment_method: methods,
      customer: customers,
    } = this.model.resources
    switch (next.do) {
      case 'create': {
        const { business: externalId, amount, type } = next
        const body = { ...ORDER, externalId, amount, ...(type && { paymentMethodType: type }) }
        return { call: 'POST /v1/checkouts', body }
      }
      case 'confirm':
      case 'cancel': {
        const body = next.method === undefined ? {} : { paymentMethodId: pick(methods, next.method) }
        return { call: `POST /v1/checkouts/${pick(checkouts, next.checkout)}/${next.do}`, body }
      }
      case 'refund': {
        const { of, target, amount } = next
        const id = pick(of === 'authorizationId' ? authorizations : checkouts, target)
        return of === 'path'
          ? { call: `POST /v1/checkouts/${id}/refunds`, body: { amount } }
          : { call: 'POST /v1/refunds', body: { [of]: id, amount } }
      }
      case 'enroll':
        return { call: 'POST /v1/customers', body: { externalId: next.business, ...next.details } }
      case 'authorize': {
        const { of, amount, method, orderId } = next
        const body = {
          ...('customer' in of ? { customerId: pick(customers, of.customer) } : of),
          amount,
          ...(orderId !== undefined && { orderId }),
          ...(method !== undefined && { paymentMethodId: pick(methods, method) }),
        }
        return { call: 'POST /v1/authorizations', body }
      }
      case 'capture': {
        const body = next.amount === undefined ? {} : { amount: next.amount }
        return { call: `POST /v1/authorizations/${pick(authorizations, next.authorization)}/capture`, body }
      }
      case 'void':
        return { call: `POST /v1/authorizations/${pick(authorizations, next.authorization)}/void`, body: {} }
      case 'detach': {
        const method = pick(methods, next.method)
        const customer = methods.get(method)?.customerId ?? 'nobody'
        return { call: `POST /v1/customers/${customer}/payment-methods/${method}/detach`, body: {} }
      }
    }
  }

  async #ask(request: Keyed, lost = false): Promise<void> {
    const { names, model, platform } = this
    if (request.key !== undefined) this.asked.push(request)
    const expected = model.ask(request, request.key)
    const sent = {
      call: names.real(request.call),
      body: names.real(JSON.stringify(request.body)),
      headers: { ...(request.key !== undefined && { 'idempotency-key': request.key }) },
    }
    // A client that lost the response retries. Only an operation's own response can be lost, not a replay or a 422.
    if (lost && !expected.replayed && expected.status !== 422) {
      const headers = { ...sent.headers, 'x-sim': 'fault=reset; at=after-commit' }
      // Not `expect().rejects`, because Vitest keeps its promises, and with them the sandbox, until the test has ended.
      const outcome = await platform.send({ ...sent, headers }).then(
        () => 'answered',
        () => 'lost',
      )
      expect(outcome).toBe('lost')
      return this.#ask(request)
    }
    const received = await platform.send(sent)
    this.transcript += `${received.status} ${JSON.stringify([...received.headers])} ${received.text}\n`
    names.learn(expected.body, received.body)
    expect({ status: received.status, body: received.body }).toEqual(this.#real(expected))
    expect(received.headers.get('idempotent-replayed')).toBe(expected.replayed ? 'true' : null)
  }

  #real = ({ status, body }: { status: number; body: unknown }) =>
    JSON.parse(this.names.real(JSON.stringify({ status, body })))

  /** The same request again with its key, or another request with that key. */
  async #retry({ which, otherwise }: Extract<Step, { do: 'retry' }>): Promise<void> {
    const earlier = this.asked[which % (this.asked.length || 1)]
    if (!earlier) return
    await this.#ask(otherwise ? { ...earlier, body: { ...earlier.body, note: 'another' } } : earlier)
  }

  async #approve({ checkout, type }: Extract<Step, { do: 'approve' }>): Promise<void> {
    const id = pick(this.model.resources.checkout, checkout)
    if (this.model.resources.checkout.get(id)?.status !== 'pending') return
    const expected = this.model.approve(id, type)
    await this.platform.tester.approve(this.names.real(id), { method: type })
    const { body } = await this.platform.send({ call: `GET /v1/checkouts/${this.names.real(id)}` })
    this.names.learn(expected, body)
    expect(body).toEqual(this.#real({ status: 200, body: expected }).body)
  }

  /** Expects that all readable data equals the model, and that each event shows a past state. */
  expectAlike(): void {
    const store = this.platform.tester.sandbox.committedStore()
    const all = { limit: 10_000 }
    const { events, ledger } = this.model
    expect(
      store.events
        .list(all)
        .data.reverse()
        .map(({ body }) => JSON.parse(withoutSandbox(body)))
        .map(({ type, timestamp, data }) => ({ type, timestamp, data })),
    ).toEqual(JSON.parse(this.names.real(JSON.stringify(events))))
    const movements = store.ledger.list()
    expect(movements.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual(ledger)
    for (const [payment, moved] of groupBy(movements, paymentOf)) {
      const net = moved.reduce((sum, { kind, amount }) => sum + LEDGER_KINDS[kind].sign * amount, 0)
      expect(net, `${payment} returned more than it took`).toBeGreaterThanOrEqual(0)
    }
  }

  async expectReadable(): Promise<void> {
    for (const [collection, resources] of Object.entries(this.model.shown())) {
      const read: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await this.platform.send({
          call: `GET /v1/${collection}?limit=7${cursor && `&cursor=${cursor}`}`,
        })
        const page = body as { data: unknown[]; nextCursor: string | null }
        read.unshift(...page.data.reverse())
        cursor = page.nextCursor
      }
      expect(read).toEqual(JSON.parse(this.names.real(JSON.stringify(resources))))
    }
  }

  /** Retries each request that had a key, as a client without a response does: it gets the recorded response. */
  async expectRemembered(): Promise<void> {
    const before = this.platform.tester.rows()
    const remembered = this.asked.filter(({ call, key }) => this.model.kept(call, key))
    for (const request of remembered) await this.#ask(request)
    expect(this.platform.tester.rows()).toEqual(before)
  }
}

export async function live(history: readonly Step[]): Promise<History> {
  const lived = new History(openPlatform())
  for (const next of history) await lived.take(next)
  return lived
}
