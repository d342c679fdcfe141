/**
 * The service as plain maps: the contract without a database, a clock or HTTP. It invents its own ids
 * (`chk?1`), because it cannot know the ids of the service.
 */

import type { z } from 'zod'
import { parseDuration } from '../../src/spec/contract/duration.ts'
import type { Cents } from '../../src/spec/contract/money.ts'
import {
  DEFINITIONS,
  type Definitions,
  RESOURCE_NAMES,
  type ResourceName,
} from '../../src/spec/contract/resources/index.ts'
import { eventsBefore, TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { URLS } from '../order.ts'

export interface Asked {
  call: string
  body: Record<string, unknown>
}

export interface Expected {
  status: number
  body: unknown
}

interface CountedItem {
  body: string
  at: number
  expected: Expected
}

type Shown<Kind extends ResourceName> = z.output<Definitions[Kind]['Shown']>
/** Amounts are whole cents, and times milliseconds. */
type Resource<Kind extends ResourceName> = {
  [Field in keyof Shown<Kind>]: Shown<Kind>[Field] extends Cents ? number : Shown<Kind>[Field]
}
type Resources = { readonly [Kind in ResourceName]: Map<string, Resource<Kind>> }
type Json = Record<string, unknown>
type Type = Resource<'payment_method'>['type']

/** Thrown for each request that the contract refuses. */
class Refusal extends Error {
  readonly status: number
  readonly more: object
  constructor(status: number, message: string, more: object = {}) {
    super(message)
    this.status = status
    this.more = more
  }
}

/** Payment methods are only listed for a customer. */
type ListedPath = Exclude<Definitions[ResourceName]['path'], `${string}/${string}`>

const REUSED = new Refusal(422, 'Idempotency-Key was already used with a different request body')

const ERRORS: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
}

export const DAY_MS = 86_400_000

export const ORDER = { orderId: 'o', ...URLS }

export class Model {
  now: number
  readonly resources: Resources = {
    checkout: new Map(),
    authorization: new Map(),
    refund: new Map(),
    customer: new Map(),
    payment_method: new Map(),
  }
  readonly events: { type: string; timestamp: string; data: Json }[] = []
  readonly ledger: string[] = []
  readonly #answers = new Map<string, CountedItem>()
  #named = 0

  constructor(now: number) {
    this.now = now
  }

  copy(): Model {
    const copy = new Model(this.now)
    for (const kind of RESOURCE_NAMES) {
      for (const [id, resource] of this.resources[kind]) {
        copy.resources[kind].set(id, { ...resource } as never)
      }
    }
    // Events, ledger and responses never change, so a copy shares their items.
    copy.events.push(...this.events)
    copy.ledger.push(...this.ledger)
    for (const [key, kept] of this.#answers) copy.#answers.set(key, kept)
    copy.#named = this.#named
    return copy
  }

  /** The response that a request must get, and whether it is a replay. */
  ask({ call, body }: Asked, key: string | undefined): Expected & { replayed: boolean } {
    const kept = this.kept(call, key)
    if (kept) {
      return kept.body === JSON.stringify(body)
        ? { ...kept.expected, replayed: true }
        : { ...refused(REUSED), replayed: false }
    }
    const expected = this.#answer(call, body)
    if (key !== undefined) {
      this.#answers.set(`${key} ${call}`, { body: JSON.stringify(body), at: this.now, expected })
    }
    return { ...expected, replayed: false }
  }

  /** The response that a key stores for a day. */
  kept(call: string, key: string | undefined): CountedItem | undefined {
    const kept = key === undefined ? undefined : this.#answers.get(`${key} ${call}`)
    return kept && this.now < kept.at + DAY_MS ? kept : undefined
  }

  #answer(call: string, body: Record<string, unknown>): Expected {
    try {
      return this.#perform(call, body)
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      return refused(cause)
    }
  }

  #perform(call: string, body: Record<string, unknown>): Expected {
    const [, collection, id = '', action, methodId = ''] = call.split(' ')[1]!.split('/').slice(1)
    const amount = body.amount === undefined ? undefined : Math.round((body.amount as number) * 100)
    switch (`${collection} ${action ?? ''}`) {
      case 'checkouts ':
        return { status: 201, body: this.#createCheckout(body, amount!) }
      case 'checkouts confirm':
        return { status: 200, body: this.#confirm(id, body.paymentMethodId as string | undefined) }
      case 'checkouts cancel':
        return { status: 200, body: this.#cancel(id) }
      case 'checkouts refunds':
        return { status: 201, body: this.#refundCheckout(id, amount!) }
      case 'refunds ':
        return {
          status: 201,
          body: body.checkoutId
            ? this.#refundCheckout(body.checkoutId as string, amount!)
            : this.#refundAuthorization(body.authorizationId as string, amount!),
        }
      case 'customers ':
        return { status: 201, body: this.#createCustomer(body) }
      case 'customers payment-methods':
        return { status: 200, body: this.#detach(id, methodId) }
      case 'authorizations ':
        return { status: 201, body: this.#authorize(body, amount!) }
      case 'authorizations capture':
        return { status: 200, body: this.#capture(id, amount) }
      case 'authorizations void':
        return { status: 200, body: this.#void(id) }
      default:
        throw new Error(`the model does not know ${call}`)
    }
  }

  /** Advances the time; due work runs in its order. */
  advance(durationMs: number): void {
    const until = this.now + durationMs
    for (let due = this.#firstDue(until); due; due = this.#firstDue(until)) {
      const { move, resource, at } = due
      this.now = at
      if (move.ledger !== 'none') this.ledger.push(`${move.ledger.kind} ${resource[move.ledger.amount]}`)
      this.#move(move.kind, resource, move.to)
    }
    this.now = until
  }

  /** The timed move that is due first; of several, the one that began to wait first. */
  #firstDue(until: number) {
    return this.events
      .flatMap(({ type, timestamp, data }) =>
        TIMED_MOVES.filter((move) => eventsBefore(move).includes(type)).map((move) => {
          const resource: Json = this.#found(move.kind, data.id as string)
          return { move, resource, at: Date.parse(timestamp) + parseDuration(move.after) }
        }),
      )
      .filter(({ move, resource, at }) => at <= until && move.from.some((state) => state === resource.status))
      .sort((a, b) => a.at - b.at)[0]
  }

  /** A buyer logs in, pays with staging's test card or bank account, and accepts. */
  approve(id: string, type: Type): unknown {
    const checkout = this.#found('checkout', id)
    const customer =
      this.#customerOf(checkout.externalId) ??
      this.#addCustomer(checkout.externalId, {
        email: 'buyer@example.test',
        name: type === 'card' ? null : 'Example Trading LLC',
      })
    const method = this.#attach(customer, type)
    return this.#move('checkout', checkout, 'approved', {
      customerId: customer.id,
      paymentMethodId: method.id,
      paymentMethodType: type,
    })
  }

  /** Every resource in the format of a read, oldest first. */
  shown(): Record<ListedPath, unknown[]> {
    const { checkout, authorization, refund, customer } = this.resources
    return {
      checkouts: [...checkout.values()].map(shown),
      authorizations: [...authorization.values()].map(shown),
      refunds: [...refund.values()].map(shown),
      customers: [...customer.values()].map(shown),
    }
  }

  #createCheckout({ externalId, paymentMethodType = null }: Json, amount: number) {
    const id = this.#name('checkout')
    return this.#tell(
      'checkout.created',
      this.#add('checkout', {
        id,
        ...ORDER,
        externalId: externalId as string,
        amount,
        currency: 'USD',
        status: 'pending',
        checkoutUrl: `http://paysim.test/checkout/${id}`,
        customerId: this.#customerOf(externalId as string)?.id ?? null,
        paymentMethodId: null,
        paymentMethodType: paymentMethodType as Type | null,
        amountRefunded: 0,
      }),
    )
  }

  #confirm(id: string, named: string | undefined) {
    const checkout = this.#found('checkout', id)
    const chosen = named ?? checkout.paymentMethodId ?? undefined
    const method = chosen === undefined ? undefined : this.#methodOf(checkout.customerId, chosen)
    requireState(checkout, ['pending', 'approved'], `Checkout is already ${checkout.status}`)
    if (method?.status === 'detached') throw new Refusal(409, 'Payment method is detached')

    const customer = this.#customerOf(checkout.externalId) ?? this.#addCustomer(checkout.externalId)
    const paidWith = method ?? this.#usual(customer, checkout.paymentMethodType ?? 'card')
    this.ledger.push(`charge ${checkout.amount}`)
    return this.#move('checkout', checkout, 'confirmed', {
      customerId: customer.id,
      paymentMethodId: paidWith.id,
      paymentMethodType: paidWith.type,
    })
  }

  #cancel(id: string) {
    const checkout = this.#found('checkout', id)
    requireState(checkout, ['pending', 'approved'], `Checkout is already ${checkout.status}`)
    return this.#move('checkout', checkout, 'canceled')
  }

  #createCustomer({ externalId, name = null, email = null, phone = null }: Partial<Resource<'customer'>>) {
    const taken = this.#customerOf(externalId!)
    if (taken) {
      throw new Refusal(409, 'Customer with this external ID already exists', {
        existingResourceId: taken.id,
      })
    }
    return shown(this.#addCustomer(externalId!, { name, email, phone }))
  }

  #detach(customerId: string, methodId: string) {
    this.#found('customer', customerId)
    const method = this.#methodOf(customerId, methodId)
    requireState(method, ['attached'], 'Payment method is already detached')
    return this.#move('payment_method', method, 'detached')
  }

  #authorize({ customerId, externalId, paymentMethodId, orderId = null }: Json, amount: number) {
    const customer = customerId
      ? this.resources.customer.get(customerId as string)
      : this.#customerOf(externalId as string)
    if (!customer) throw new Refusal(404, 'Customer not found')
    const method =
      paymentMethodId === undefined
        ? this.#usual(customer, 'card')
        : this.#methodOf(customer.id, paymentMethodId as string)
    if (method.status === 'detached') throw new Refusal(409, 'Payment method is detached')
    return this.#tell(
      'authorization.created',
      this.#add('authorization', {
        id: this.#name('authorization'),
        customerId: customer.id,
        externalId: customer.externalId,
        orderId: orderId as string | null,
        amount,
        currency: 'USD',
        status: 'authorized',
        paymentMethodId: method.id,
        paymentMethodType: method.type,
        amountCaptured: 0,
        amountRefunded: 0,
      }),
    )
  }

  #capture(id: string, amount: number | undefined) {
    const authorization = this.#found('authorization', id)
    requireState(authorization, ['authorized'], `Authorization is already ${authorization.status}`)
    const captured = amount ?? authorization.amount
    if (captured > authorization.amount) throw new Refusal(400, 'Amount exceeds the authorized amount')
    this.ledger.push(`capture ${captured}`)
    return this.#move('authorization', authorization, 'captured', { amountCaptured: captured })
  }

  #void(id: string) {
    const authorization = this.#found('authorization', id)
    requireState(authorization, ['authorized'], `Authorization is already ${authorization.status}`)
    return this.#move('authorization', authorization, 'voided')
  }

  #refundCheckout(id: string, amount: number) {
    const checkout = this.#found('checkout', id)
    requireCard(checkout, 'checkouts')
    requireState(checkout, ['confirmed'], `Checkout is ${checkout.status}, not confirmed`)
    return this.#refund('Checkout', checkout, checkout.amount, amount, {
      checkoutId: id,
      authorizationId: null,
    })
  }

  #refundAuthorization(id: string, amount: number) {
    const authorization = this.#found('authorization', id)
    requireCard(authorization, 'authorizations')
    requireState(authorization, ['captured'], `Authorization is ${authorization.status}, not captured`)
    return this.#refund('Authorization', authorization, authorization.amountCaptured, amount, {
      checkoutId: null,
      authorizationId: id,
    })
  }

  #refund(
    name: string,
    charge: { amountRefunded: number; updatedAt: number },
    charged: number,
    amount: number,
    target: Pick<Resource<'refund'>, 'checkoutId' | 'authorizationId'>,
  ) {
    const left = charged - charge.amountRefunded
    if (left === 0) throw new Refusal(409, `${name} is already fully refunded`)
    if (amount > left) throw new Refusal(400, 'Amount exceeds the refundable amount')
    charge.amountRefunded += amount
    charge.updatedAt = this.now
    const refund = this.#add('refund', {
      id: this.#name('refund'),
      ...target,
      amount,
      currency: 'USD',
      status: 'pending',
    })
    this.ledger.push(`refund ${amount}`)
    return this.#tell('refund.created', refund)
  }

  #customerOf = (externalId: string) =>
    [...this.resources.customer.values()].find((customer) => customer.externalId === externalId)

  #addCustomer(externalId: string, details: Partial<Resource<'customer'>> = {}) {
    const customer = this.#add('customer', {
      id: this.#name('customer'),
      externalId,
      name: null,
      email: null,
      phone: null,
      ...details,
    })
    for (const checkout of this.resources.checkout.values()) {
      if (checkout.externalId === externalId) checkout.customerId = customer.id
    }
    this.#tell('customer.created', customer)
    return customer
  }

  #methodOf(customerId: string | null, id: string) {
    const method = this.#found('payment_method', id)
    if (method.customerId !== customerId) throw new Refusal(404, 'Payment method not found')
    return method
  }

  #usual(customer: Resource<'customer'>, type: Type) {
    const usable = [...this.resources.payment_method.values()].filter(
      (method) => method.customerId === customer.id && method.type === type && method.status === 'attached',
    )
    return usable.at(-1) ?? this.#attach(customer, type)
  }

  #attach({ id: customerId }: Resource<'customer'>, type: Type) {
    const method = this.#add('payment_method', {
      id: this.#name('payment_method'),
      customerId,
      type,
      status: 'attached',
      card: type === 'card' ? { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 } : null,
      bankAccount:
        type === 'card' ? null : { bankName: 'Staging Bank', routingNumber: '222222226', last4: '6789' },
    })
    this.#tell('payment_method.attached', method)
    return method
  }

  #found<Kind extends ResourceName>(kind: Kind, id: string): Resource<Kind> {
    const resource = this.resources[kind].get(id)
    if (!resource) throw new Refusal(404, `${DEFINITIONS[kind].words.one} not found`)
    return resource
  }

  #add<Kind extends ResourceName>(kind: Kind, given: Omit<Resource<Kind>, `${string}At`> & { id: string }) {
    const moves: object = DEFINITIONS[kind].moves
    const resource = {
      ...given,
      createdAt: this.now,
      updatedAt: this.now,
      ...Object.fromEntries(Object.values(moves).map(({ to }) => [`${to}At`, null])),
    } as unknown as Resource<Kind>
    this.resources[kind].set(given.id, resource)
    return resource
  }

  #move(kind: ResourceName, resource: object, to: string, more: Json = {}) {
    Object.assign(resource, { ...more, status: to, [`${to}At`]: this.now, updatedAt: this.now })
    return this.#tell(`${kind}.${to}`, resource)
  }

  #tell(type: string, resource: object): Json {
    const data = shown(resource)
    this.events.push({ type, timestamp: time(this.now), data })
    return data
  }

  #name(kind: ResourceName): string {
    this.#named += 1
    return `${DEFINITIONS[kind].prefix.slice(0, -1)}?${this.#named}`
  }
}

const refused = ({ status, message, more }: Refusal): Expected => ({
  status,
  body: { error: ERRORS[status], message, ...more },
})

function requireState({ status }: { status: string }, states: readonly string[], message: string): void {
  if (!states.includes(status)) throw new Refusal(409, message)
}

function requireCard({ paymentMethodType }: { paymentMethodType: Type | null }, plural: string): void {
  if (paymentMethodType === 'bank_account') {
    throw new Refusal(403, `Platform keys can only refund card ${plural}`)
  }
}

const time = (ms: number) => new Date(ms).toISOString()

/** A resource in the format of responses. */
const shown = (resource: object): Json =>
  Object.fromEntries(
    Object.entries(resource).map(([field, value]) => {
      if (field.startsWith('amount')) return [field, value / 100]
      return [field, field.endsWith('At') && value !== null ? time(value) : value]
    }),
  )
