/** The shop: it charges for an order, refunds it, and learns when a refund is completed. */
import { PaymentsError } from './client.js'

export class Shop {
  /** By order id. A real shop stores them in its database, with their keys: see `#key`. */
  orders = new Map()
  /** Refunds by id, as the shop knows them. */
  refunds = new Map()
  /** One for each completed refund. */
  mails = []
  /** One line for each event, for the accountants. */
  journal = []
  /** Refunds that took too long, for a person to look at. */
  forReview = new Set()
  #payments
  #patienceMs
  #firstPollMs
  /** Called when the state of a refund becomes known. */
  #waiting = new Map()

  /** `patienceMs`: how long a refund may stay pending. `firstPollMs`: the first pause between two reads; it doubles. */
  constructor({ payments, patienceMs = 5 * 60_000, firstPollMs = 5_000 }) {
    this.#payments = payments
    this.#patienceMs = patienceMs
    this.#firstPollMs = firstPollMs
  }

  /** Charges for an order. */
  async sell({ id, customer, amount }) {
    const order = { id, customer, amount, state: 'new', keys: new Map() }
    this.orders.set(id, order)
    const checkout = await this.#payments.post(
      '/v1/checkouts',
      {
        orderId: id,
        externalId: customer,
        amount,
        successUrl: 'https://shop.example/thanks',
        cancelUrl: 'https://shop.example/cart',
      },
      this.#key(order, 'checkout'),
    )
    order.checkoutId = checkout.id
    const { status } = await this.#confirm(order)
    if (status === 'confirmed') order.state = 'paid'
    return order
  }

  /** After a 409 for a wrong state, the checkout has another state than expected, so it is read. */
  async #confirm(order) {
    const path = `/v1/checkouts/${order.checkoutId}`
    try {
      return await this.#payments.post(`${path}/confirm`, {}, this.#key(order, 'confirm'))
    } catch (error) {
      if (!(error instanceof PaymentsError) || error.status !== 409) throw error
      return this.#payments.get(path)
    }
  }

  /** `reason` is part of the intent: a second refund of the same order for another reason is another intent. */
  async refund(orderId, amount, reason) {
    const order = this.orders.get(orderId)
    const path = `/v1/checkouts/${order.checkoutId}/refunds`
    const refund = await this.#payments.post(path, { amount }, this.#key(order, `refund: ${reason}`))
    this.#learn(refund)
    return refund.id
  }

  /** Resolves once the refund is completed or left to a person. A webhook may arrive before the next read. */
  async settled(refundId) {
    const deadline = Date.now() + this.#patienceMs
    for (let pauseMs = this.#firstPollMs; ; pauseMs *= 2) {
      if (this.refunds.get(refundId).status === 'completed') return
      const leftMs = deadline - Date.now()
      if (leftMs <= 0) break
      await this.#learnedWithin(refundId, Math.min(pauseMs, leftMs))
      if (this.refunds.get(refundId).status !== 'completed') await this.readRefund(refundId)
    }
    this.forReview.add(refundId)
  }

  /** Handles a webhook. The receiver passes each event once. */
  async handle({ id, type, data }) {
    this.journal.push({ event: id, text: `${type} ${data.id}` })
    // The response of this refund has not arrived yet; it will have its state.
    if (type === 'refund.completed' && this.refunds.has(data.id)) await this.readRefund(data.id)
  }

  /** Reads the current state, because an event may be old. */
  async readRefund(refundId) {
    this.#learn(await this.#payments.get(`/v1/refunds/${refundId}`))
  }

  /** A response, a read and several webhooks may report the same state, in any order. Only the first has an effect. */
  #learn(refund) {
    if (this.refunds.get(refund.id)?.status === 'completed') return
    this.refunds.set(refund.id, refund)
    if (refund.status === 'completed') this.mails.push({ about: refund.id, amount: refund.amount })
    this.#waiting.get(refund.id)?.()
  }

  #learnedWithin(refundId, ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#waiting.set(refundId, () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** One random key for each intent, for all of its attempts. */
  #key({ keys }, intent) {
    if (!keys.has(intent)) keys.set(intent, crypto.randomUUID())
    return keys.get(intent)
  }
}
