/** §6: webhooks are signed, delivered at least once, and do not slow down the platform's requests. */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WEBHOOK_RETRY_DELAYS_MS } from '../../src/spec/contract/limits.ts'
import { VERSION } from '../../src/spec/package.ts'
import { ORDER } from '../order.ts'
import { openReceiver } from '../receiver.ts'
import { servedBytes } from '../served.ts'
import { openStage, START } from './stage.ts'

/** A receiver that writes raw bytes. */
const openRaw = (answer: (socket: Socket) => void) =>
  servedBytes((socket) => socket.once('data', () => answer(socket)))

describe('every delivery', () => {
  it.each(['30d', '36500d'])('may take %s if the profile allows it', async (timeout) => {
    const { shop, call } = await openStage({
      webhooks: true,
      profile: { webhooks: { timeout } },
      reply: (response) => void setImmediate(() => response.writeHead(204).end()),
    })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    expect(shop.deliveries()).toMatchObject([{ attempts: [{ status: 204 }] }])
  })

  it('passes the official verifier, and carries the event as listed', async () => {
    const { shop, receiver, call, paidCheckout, refund } = await openStage({ webhooks: true })
    await refund(await paidCheckout(), 250)
    await shop.clock.advance('1m')

    const verifier = new Webhook(shop.signingSecret)
    for (const { body, headers } of receiver.received) {
      expect(verifier.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
    }
    const { body } = await call('GET', '/v1/events?limit=100')
    const listed = new Map(body.data.map((event: { id: string }) => [event.id, event]))
    expect(receiver.received.map(({ event }) => event)).toEqual(
      receiver.received.map(({ event }) => listed.get(event.id)),
    )
    expect(receiver.received).toHaveLength(body.data.length)
    for (const { headers, event } of receiver.received) expect(headers['webhook-id']).toBe(event.id)
  })

  it('identifies its sender, and has only headers of a payments service', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    const { headers } = receiver.received[0]!
    expect(headers).toMatchObject({
      'user-agent': `paysim/${VERSION}`,
      'content-type': 'application/json',
    })
    expect(Object.keys(headers).toSorted()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ])
  })

  it("arrives in the order of its order's events, one at a time, and in parallel for different orders", async () => {
    const { shop, receiver, call, paidCheckout, refund } = await openStage({ webhooks: true })
    const unanswered = new Map<string, ServerResponse>()
    const came: Record<string, string[]> = {}
    // Related events here have the same business, and a refund names its checkout.
    const businesses = new Map<unknown, string>()
    receiver.reply((response, { event: { type, data } }) => {
      const known = data.externalId ?? businesses.get(data.checkoutId) ?? businesses.get(data.customerId)
      const business = String(known)
      businesses.set(data.id, business)
      came[business] = [...(came[business] ?? []), type]
      expect([...unanswered.keys()]).not.toContain(business)
      unanswered.set(business, response)
      // The first response waits until each of the three has a delivery in flight.
      if (unanswered.size < 3) return
      for (const response of unanswered.values()) response.writeHead(204).end()
      unanswered.clear()
    })
    const businessesOf = ['ada', 'bob', 'cem']
    const ids = await Promise.all(businessesOf.map((name) => paidCheckout(name)))
    for (const id of ids) await refund(id, 250)
    await shop.clock.advance('5s')
    const order = [
      ...['checkout.created', 'customer.created', 'payment_method.attached', 'checkout.confirmed'],
      ...['refund.created', 'refund.completed'],
    ]
    expect(came).toEqual(Object.fromEntries(businessesOf.map((name) => [name, order])))
    expect((await call('GET', '/v1/events?limit=100')).body.data).toHaveLength(18)
  })

  it('arrives in order for an authorization as well, with the payment method that it created', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true })
    const { body: customer } = await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    const { body } = await call('POST', '/v1/authorizations', { customerId: customer.id, amount: 100 })
    await call('POST', `/v1/authorizations/${body.id}/capture`, { amount: 60 })
    await call('POST', '/v1/refunds', { authorizationId: body.id, amount: 60 })
    const { paymentMethodId } = body
    await call('POST', `/v1/customers/${customer.id}/payment-methods/${paymentMethodId}/detach`)
    let underWay = 0
    receiver.reply(async (response) => {
      underWay += 1
      expect(underWay).toBe(1)
      await new Promise(setImmediate)
      underWay -= 1
      response.writeHead(204).end()
    })
    await shop.clock.advance('5s')
    expect(receiver.types()).toEqual([
      ...['customer.created', 'payment_method.attached', 'authorization.created', 'authorization.captured'],
      ...['refund.created', 'payment_method.detached', 'refund.completed'],
    ])
  })

  it('is sent once, even if its item reuses the number of an item that just finished', {
    timeout: 60_000,
  }, async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true, clock: 'real' })
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
    // Creates the next event a varying number of turns after the response, while the previous result is written.
    let customers = 0
    receiver.reply(async (response) => {
      response.writeHead(204).end()
      const turns = customers % 6
      if (customers++ >= 200) return
      for (let turn = 0; turn < turns; turn += 1) await nextTurn()
      await call('POST', '/v1/customers', { externalId: `biz-${customers}` })
    })
    await call('POST', '/v1/customers', { externalId: 'biz' })
    await receiver.until((received) => received.length > 200)
    await shop.settle()
    const ids = receiver.received.map(({ event }) => event.id)
    expect(ids).toEqual([...new Set(ids)])
  })

  it('is sent once, even if the clock is put back during the delivery', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true })
    const held: ServerResponse[] = []
    receiver.reply((response) => void held.push(response))
    await call('POST', '/v1/customers', { externalId: 'first' })
    await receiver.until(() => held.length === 1)
    shop.reset({ what: ['clock'] })
    await call('POST', '/v1/customers', { externalId: 'second' })
    await receiver.until((received) => received.some(({ body }) => body.includes('second')))
    receiver.reply(204)
    for (const response of held) response.writeHead(204).end()
    await shop.settle()
    expect(shop.deliveries().map(({ attempts }) => attempts.length)).toEqual([1, 1])
  })

  it('is sent for the subscribed events only, and not for a refusal or a replay', async () => {
    const { shop, receiver, call } = await openStage()
    await shop.webhook.put({ url: receiver.url, events: ['customer.*'] })
    const customer = { externalId: 'acme' }
    expect((await call('POST', '/v1/customers', customer, { 'idempotency-key': 'k' })).status).toBe(201)
    expect((await call('POST', '/v1/customers', customer, { 'idempotency-key': 'k' })).status).toBe(201)
    expect((await call('POST', '/v1/customers', customer)).status).toBe(409)
    await call('POST', '/v1/checkouts', ORDER)
    await shop.settle()
    expect(receiver.types()).toEqual(['customer.created'])
  })
})

describe('a receiver that', () => {
  it('refuses gets ten attempts on the schedule, with the same id', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true, reply: 500 })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.clock.advance('365d')

    const [delivery] = shop.deliveries()
    expect(delivery).toMatchObject({ status: 'failed' })
    const schedule = [START]
    for (const delay of WEBHOOK_RETRY_DELAYS_MS) schedule.push(schedule.at(-1)! + delay)
    expect(delivery!.attempts.map(({ at }) => Date.parse(at))).toEqual(schedule)
    expect(delivery!.attempts.map(({ number, status }) => [number, status])).toEqual(
      schedule.map((_, index) => [index + 1, 500]),
    )
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('is gone (410) gets no further events', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true, reply: 410 })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    await call('POST', '/v1/customers', { externalId: 'bolt' })
    await shop.clock.advance('365d')
    expect(receiver.received).toHaveLength(1)
    expect(shop.deliveries()).toMatchObject([{ status: 'failed' }])
    expect(shop.webhook.get()).toMatchObject({ disabledAt: new Date(START).toISOString() })
  })

  it('is gone (410) and was replaced meanwhile does not disable the new address or a removed one', async () => {
    const { shop, receiver: old, call } = await openStage({ webhooks: true })
    const receiver = await openReceiver()
    const held: ServerResponse[] = []
    old.reply((response) => void held.push(response))
    const answerGone = async () => {
      for (const response of held.splice(0)) response.writeHead(410).end()
      await shop.settle()
    }

    await call('POST', '/v1/customers', { externalId: 'acme' })
    await old.until(() => held.length === 1)
    const moved = shop.webhook.put({ url: receiver.url, events: ['customer.*'] })
    await answerGone()
    expect(shop.deliveries()).toMatchObject([{ attempts: [{ url: old.url, status: 410 }] }])
    expect(shop.webhook.get()).toEqual(moved)
    expect(moved).toMatchObject({ url: receiver.url, disabledAt: null })
    await call('POST', '/v1/customers', { externalId: 'bolt' })
    await shop.settle()
    expect(receiver.types()).toEqual(['customer.created'])

    shop.webhook.put({ url: old.url })
    await call('POST', '/v1/customers', { externalId: 'cord' })
    await old.until(() => held.length === 1)
    shop.webhook.remove()
    await answerGone()
    expect(shop.webhook.get()).toBeNull()
  })

  it('is gone (410) is disabled with its current secret', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true })
    const held: ServerResponse[] = []
    receiver.reply((response) => void held.push(response))
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await receiver.until(() => held.length === 1)
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const put = shop.webhook.put({ url: receiver.url, secret })
    for (const response of held) response.writeHead(410).end()
    await shop.settle()
    expect(shop.webhook.get()).toEqual({ ...put, disabledAt: new Date(START).toISOString() })
  })

  it('redirects has failed, and the redirect is not followed', async () => {
    const elsewhere = await openReceiver()
    const { shop, call } = await openStage({
      webhooks: true,
      reply: (response) => response.writeHead(302, { location: elsewhere.url }).end('moved'),
    })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    expect(shop.deliveries()).toMatchObject([
      { status: 'pending', attempts: [{ status: 302, response: 'moved' }] },
    ])
    expect(elsewhere.received).toEqual([])
  })

  it.for([
    [
      'asks for another protocol (101)',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      { status: 101, response: '' },
    ],
    ['says 101 and no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', { status: 101, response: '' }],
    ['says 100 and no more', 'HTTP/1.1 100 Continue\r\n\r\n', { error: 'no answer within 0.25 s' }],
    ['hangs up', '', { error: 'ECONNRESET: socket hang up' }],
  ] as const)(
    '%s has failed, and a good receiver gets the event',
    { timeout: 60_000 },
    async ([, answer, attempt]) => {
      const url = await openRaw((socket) => (answer === '' ? socket.end() : socket.write(answer)))
      const { shop, receiver, call, paidCheckout, refund } = await openStage({
        webhook: { url },
        profile: { webhooks: { timeout: 'error' in attempt ? '250ms' : '1m' } },
      })
      const { id } = await refund(await paidCheckout(), 250)
      await shop.settle({ within: '1m' })
      for (const { status, attempts } of shop.deliveries())
        expect([status, attempts]).toMatchObject(['pending', [attempt]])

      await shop.webhook.put({ url: receiver.url })
      await shop.clock.advance('1d')
      expect((await call('GET', `/v1/refunds/${id}`)).body).toMatchObject({ status: 'completed' })
      expect([...new Set(receiver.types())].toSorted()).toEqual([
        ...['checkout.confirmed', 'checkout.created', 'customer.created', 'payment_method.attached'],
        ...['refund.completed', 'refund.created'],
      ])
    },
  )

  it('is unreachable is reported in the attempt', async () => {
    const { shop, call } = await openStage({ webhook: { url: 'http://127.0.0.1:1/' } })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    expect(shop.deliveries()).toMatchObject([
      {
        status: 'pending',
        attempts: [{ status: null, response: null, error: expect.stringContaining('ECONNREFUSED') }],
      },
    ])
  })

  it('never responds does not delay the platform, and gets at most sixteen deliveries in parallel', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => warned.mockRestore())
    const { receiver, call } = await openStage({ webhooks: true, reply: () => {} })
    for (let customer = 0; customer < 40; customer += 1) {
      expect((await call('POST', '/v1/customers', { externalId: `biz-${customer}` })).status).toBe(201)
    }
    await receiver.until((received) => received.length === 16)
    expect((await call('GET', '/v1/customers?limit=100')).body.data).toHaveLength(40)
    expect(receiver.received).toHaveLength(16)
    expect(warned).not.toHaveBeenCalled()
  })
})
