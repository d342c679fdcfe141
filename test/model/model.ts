/**
 * The service as plain maps: the contract without a database, a clock or HTTP. It invents its own ids
 * (`chk?1`), because it cannot know the ids of the service.
 */

import type { Definitions, ResourceName } from '../../src/spec/contract/resources/index.ts'
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

type Status = 'pending' | 'approved' | 'confirmed' | 'canceled'
type Type = 'card' | 'bank_account'

interface Charge {
  id: string
  externalId: string
  amount: number
  amountRefunded: number
  paymentMethodType: Type | null
}

interface Checkout extends Charge {
  orderId: string
  status: Status
  customerId: string | null
  paymentMethodId: string | null
  createdAt: number
  updatedAt: number
  approvedAt: number | null
  confirmedAt: number | null
  canceledAt: number | null
}

interface Authorization extends Charge {
  customerId: string
  orderId: string | null
  status: 'authorized' | 'captured' | 'voided'
  paymentMethodId: string
  paymentMethodType: Type
  amountCaptured: number
  createdAt: number
  updatedAt: number
  capturedAt: number | null
  voidedAt: number | null
}

interface Refund {
  id: string
  checkoutId: string | null
  authorizationId: string | null
  amount: number
  status: 'pending' | 'completed'
  createdAt: number
  updatedAt: number
  completedAt: number | null
}

interface Customer {
  id: string
  externalId: string
  name: string | null
  email: string | null
  createdAt: number
}

interface Method {
  id: string
  customerId: string
  type: Type
  status: 'attached' | 'detached'
  createdAt: number
  updatedAt: number
  detachedAt: number | null
}

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

const REFUND_DELAY_MS = 5_000
const DAY_MS = 86_400_000

export const ORDER = { orderId: 'o', ...URLS }

export class Model {
  now: number
  readonly checkouts = new Map<string, Checkout>()
  readonly authorizations = new Map<string, Authorization>()
  readonly refunds = new Map<string, Refund>()
  readonly customers = new Map<string, Customer>()
  readonly methods = new Map<string, Method>()
  readonly events: { type: string; timestamp: string; data: unknown }[] = []
  readonly ledger: string[] = []
  readonly #answers = new Map<string, CountedItem>()
  #named = 0

  constructor(now: number) {
    this.now = now
  }

  copy(): Model {
    const copy = new Model(this.now)
    const collections = ['checkouts', 'authorizations', 'refunds', 'customers', 'methods'] as const
    for (const name of collections) {
      for (const [id, resource] of this[name]) copy[name].set(id, { ...resource } as never)
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
        return { status: 201, body: this.#createCustomer(body.externalId as string) }
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
    for (const refund of this.refunds.values()) {
      const dueAt = refund.createdAt + REFUND_DELAY_MS
      if (refund.status === 'completed' || dueAt > until) continue
      this.now = dueAt
      Object.assign(refund, { status: 'completed', updatedAt: dueAt, completedAt: dueAt })
      this.#tell('refund.completed', shownRefund(refund))
    }
    this.now = until
  }

  /** A buyer logs in, pays with staging's test card or bank account, and accepts. */
  approve(id: string, type: Type): unknown {
    const checkout = this.checkouts.get(id)!
    const customer =
      this.#customerOf(checkout.externalId) ??
      this.#addCustomer(checkout.externalId, {
        email: 'buyer@example.test',
        name: type === 'card' ? null : 'Example Trading LLC',
      })
    const method = this.#attach(customer, type)
    Object.assign(checkout, {
      status: 'approved',
      customerId: customer.id,
      paymentMethodId: method.id,
      paymentMethodType: type,
      approvedAt: this.now,
      updatedAt: this.now,
    })
    return this.#tell('checkout.approved', shownCheckout(checkout))
  }

  /** Every resource in the format of a read, oldest first. */
  shown(): Record<ListedPath, unknown[]> {
    return {
      checkouts: [...this.checkouts.values()].map(shownCheckout),
      authorizations: [...this.authorizations.values()].map(shownAuthorization),
      refunds: [...this.refunds.values()].map(shownRefund),
      customers: [...this.customers.values()].map(shownCustomer),
    }
  }

  #createCheckout({ externalId, paymentMethodType = null }: Record<string, unknown>, amount: number) {
    const checkout: Checkout = {
      id: this.#name('chk'),
      orderId: ORDER.orderId,
      externalId: externalId as string,
      amount,
      status: 'pending',
      customerId: this.#customerOf(externalId as string)?.id ?? null,
      paymentMethodId: null,
      paymentMethodType: paymentMethodType as Type | null,
      amountRefunded: 0,
      createdAt: this.now,
      updatedAt: this.now,
      approvedAt: null,
      confirmedAt: null,
      canceledAt: null,
    }
    this.checkouts.set(checkout.id, checkout)
    return this.#tell('checkout.created', shownCheckout(checkout))
  }

  #confirm(id: string, named: string | undefined) {
    const checkout = found(this.checkouts, id, 'Checkout')
    const chosen = named ?? checkout.paymentMethodId ?? undefined
    const method = chosen === undefined ? undefined : this.#methodOf(checkout.customerId, chosen)
    requireState(checkout, ['pending', 'approved'], `Checkout is already ${checkout.status}`)
    if (method?.status === 'detached') throw new Refusal(409, 'Payment method is detached')

    const customer = this.#customerOf(checkout.externalId) ?? this.#addCustomer(checkout.externalId)
    const paidWith = method ?? this.#usual(customer, checkout.paymentMethodType ?? 'card')
    Object.assign(checkout, {
      status: 'confirmed',
      customerId: customer.id,
      paymentMethodId: paidWith.id,
      paymentMethodType: paidWith.type,
      confirmedAt: this.now,
      updatedAt: this.now,
    })
    this.ledger.push(`charge ${checkout.amount}`)
    return this.#tell('checkout.confirmed', shownCheckout(checkout))
  }

  #cancel(id: string) {
    const checkout = found(this.checkouts, id, 'Checkout')
    requireState(checkout, ['pending', 'approved'], `Checkout is already ${checkout.status}`)
    Object.assign(checkout, { status: 'canceled', canceledAt: this.now, updatedAt: this.now })
    return this.#tell('checkout.canceled', shownCheckout(checkout))
  }

  #createCustomer(externalId: string) {
    const taken = this.#customerOf(externalId)
    if (taken) {
      throw new Refusal(409, 'Customer with this external ID already exists', {
        existingResourceId: taken.id,
      })
    }
    return shownCustomer(this.#addCustomer(externalId))
  }

  #detach(customerId: string, methodId: string) {
    found(this.customers, customerId, 'Customer')
    const method = this.#methodOf(customerId, methodId)
    requireState(method, ['attached'], 'Payment method is already detached')
    Object.assign(method, { status: 'detached', detachedAt: this.now, updatedAt: this.now })
    return this.#tell('payment_method.detached', shownMethod(method))
  }

  #authorize({ externalId, paymentMethodId }: Record<string, unknown>, amount: number) {
    const customer = this.#customerOf(externalId as string)
    if (!customer) throw new Refusal(404, 'Customer not found')
    const method =
      paymentMethodId === undefined
        ? this.#usual(customer, 'card')
        : this.#methodOf(customer.id, paymentMethodId as string)
    if (method.status === 'detached') throw new Refusal(409, 'Payment method is detached')
    const authorization: Authorization = {
      id: this.#name('auth'),
      customerId: customer.id,
      externalId: customer.externalId,
      orderId: null,
      amount,
      status: 'authorized',
      paymentMethodId: method.id,
      paymentMethodType: method.type,
      amountCaptured: 0,
      amountRefunded: 0,
      createdAt: this.now,
      updatedAt: this.now,
      capturedAt: null,
      voidedAt: null,
    }
    this.authorizations.set(authorization.id, authorization)
    return this.#tell('authorization.created', shownAuthorization(authorization))
  }

  #capture(id: string, amount: number | undefined) {
    const authorization = found(this.authorizations, id, 'Authorization')
    requireState(authorization, ['authorized'], `Authorization is already ${authorization.status}`)
    const captured = amount ?? authorization.amount
    if (captured > authorization.amount) throw new Refusal(400, 'Amount exceeds the authorized amount')
    Object.assign(authorization, {
      status: 'captured',
      amountCaptured: captured,
      capturedAt: this.now,
      updatedAt: this.now,
    })
    this.ledger.push(`capture ${captured}`)
    return this.#tell('authorization.captured', shownAuthorization(authorization))
  }

  #void(id: string) {
    const authorization = found(this.authorizations, id, 'Authorization')
    requireState(authorization, ['authorized'], `Authorization is already ${authorization.status}`)
    Object.assign(authorization, { status: 'voided', voidedAt: this.now, updatedAt: this.now })
    return this.#tell('authorization.voided', shownAuthorization(authorization))
  }

  #refundCheckout(id: string, amount: number) {
    const checkout = found(this.checkouts, id, 'Checkout')
    requireCard(checkout, 'checkouts')
    requireState(checkout, ['confirmed'], `Checkout is ${checkout.status}, not confirmed`)
    return this.#refund('Checkout', checkout, checkout.amount, amount, {
      checkoutId: id,
      authorizationId: null,
    })
  }

  #refundAuthorization(id: string, amount: number) {
    const authorization = found(this.authorizations, id, 'Authorization')
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
    target: Pick<Refund, 'checkoutId' | 'authorizationId'>,
  ) {
    const left = charged - charge.amountRefunded
    if (left === 0) throw new Refusal(409, `${name} is already fully refunded`)
    if (amount > left) throw new Refusal(400, 'Amount exceeds the refundable amount')
    charge.amountRefunded += amount
    charge.updatedAt = this.now
    const refund: Refund = {
      id: this.#name('ref'),
      ...target,
      amount,
      status: 'pending',
      createdAt: this.now,
      updatedAt: this.now,
      completedAt: null,
    }
    this.refunds.set(refund.id, refund)
    this.ledger.push(`refund ${amount}`)
    return this.#tell('refund.created', shownRefund(refund))
  }

  #customerOf = (externalId: string): Customer | undefined =>
    [...this.customers.values()].find((customer) => customer.externalId === externalId)

  #addCustomer(externalId: string, details: Partial<Customer> = {}): Customer {
    const customer = {
      id: this.#name('cus'),
      externalId,
      name: null,
      email: null,
      createdAt: this.now,
      ...details,
    }
    this.customers.set(customer.id, customer)
    for (const checkout of this.checkouts.values()) {
      if (checkout.externalId === externalId) checkout.customerId = customer.id
    }
    this.#tell('customer.created', shownCustomer(customer))
    return customer
  }

  #methodOf(customerId: string | null, id: string): Method {
    const method = this.methods.get(id)
    if (!method || method.customerId !== customerId) throw new Refusal(404, 'Payment method not found')
    return method
  }

  #usual(customer: Customer, type: Type): Method {
    const usable = [...this.methods.values()].filter(
      (method) => method.customerId === customer.id && method.type === type && method.status === 'attached',
    )
    return usable.at(-1) ?? this.#attach(customer, type)
  }

  #attach({ id: customerId }: Customer, type: Type): Method {
    const method: Method = {
      id: this.#name('pm'),
      customerId,
      type,
      status: 'attached',
      createdAt: this.now,
      updatedAt: this.now,
      detachedAt: null,
    }
    this.methods.set(method.id, method)
    this.#tell('payment_method.attached', shownMethod(method))
    return method
  }

  #tell<Shown>(type: string, data: Shown): Shown {
    this.events.push({ type, timestamp: time(this.now)!, data })
    return data
  }

  #name(prefix: string): string {
    this.#named += 1
    return `${prefix}?${this.#named}`
  }
}

const refused = ({ status, message, more }: Refusal): Expected => ({
  status,
  body: { error: ERRORS[status], message, ...more },
})

function found<Resource>(all: ReadonlyMap<string, Resource>, id: string, name: string): Resource {
  const resource = all.get(id)
  if (!resource) throw new Refusal(404, `${name} not found`)
  return resource
}

function requireState({ status }: { status: string }, states: readonly string[], message: string): void {
  if (!states.includes(status)) throw new Refusal(409, message)
}

function requireCard({ paymentMethodType }: Charge, plural: string): void {
  if (paymentMethodType === 'bank_account') {
    throw new Refusal(403, `Platform keys can only refund card ${plural}`)
  }
}

// Resources in the format of responses

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

const times = <Name extends string>(resource: Record<Name, number | null>, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, time(resource[name])]))

const shownCheckout = (checkout: Checkout) => ({
  ...checkout,
  amount: checkout.amount / 100,
  amountRefunded: checkout.amountRefunded / 100,
  currency: 'USD',
  successUrl: ORDER.successUrl,
  cancelUrl: ORDER.cancelUrl,
  checkoutUrl: `http://paysim.test/checkout/${checkout.id}`,
  ...times(checkout, 'createdAt', 'updatedAt', 'approvedAt', 'confirmedAt', 'canceledAt'),
})

const shownAuthorization = (authorization: Authorization) => ({
  ...authorization,
  amount: authorization.amount / 100,
  amountCaptured: authorization.amountCaptured / 100,
  amountRefunded: authorization.amountRefunded / 100,
  currency: 'USD',
  ...times(authorization, 'createdAt', 'updatedAt', 'capturedAt', 'voidedAt'),
})

const shownRefund = (refund: Refund) => ({
  ...refund,
  amount: refund.amount / 100,
  currency: 'USD',
  ...times(refund, 'createdAt', 'updatedAt', 'completedAt'),
})

const shownCustomer = (customer: Customer) => ({
  ...customer,
  phone: null,
  createdAt: time(customer.createdAt),
  updatedAt: time(customer.createdAt),
})

const shownMethod = (method: Method) => ({
  ...method,
  card: method.type === 'card' ? { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 } : null,
  bankAccount:
    method.type === 'card' ? null : { bankName: 'Staging Bank', routingNumber: '222222226', last4: '6789' },
  ...times(method, 'createdAt', 'updatedAt', 'detachedAt'),
})
