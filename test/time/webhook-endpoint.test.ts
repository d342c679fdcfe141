/** The log lines of webhooks, and a tester's changes of the endpoint at runtime. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { logged } from '../given.ts'
import { openStage, START } from './stage.ts'

describe('the log', () => {
  const openLogged = async (reply: number) => {
    const lines = logged(/"level":"warn"/)
    return { lines, ...(await openStage({ webhooks: true, reply, log: 'json' })) }
  }
  const warnings = (lines: string[]) => lines.map((line) => JSON.parse(line))

  it('has a line for every failed attempt, with the pause before the next', async () => {
    const { lines, shop, receiver, call } = await openLogged(500)
    const { body } = await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    await shop.clock.advance('5s')
    receiver.reply(204)
    await shop.clock.advance('5m')
    expect(warnings(lines).map(({ message }) => message)).toEqual([
      `webhook customer.created of ${body.id}, attempt 1: status 500; again in 5s`,
      `webhook customer.created of ${body.id}, attempt 2: status 500; again in 5m`,
    ])
    expect(warnings(lines)[0]).toMatchObject({
      sandbox: 'default',
      delivery: shop.deliveries()[0]!.id,
    })
  })

  it('reports when a delivery has failed for good, and when an endpoint refuses further events', async () => {
    const { lines, receiver, shop, call } = await openLogged(410)
    const { body } = await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    expect(warnings(lines).map(({ message }) => message)).toEqual([
      `webhook customer.created of ${body.id}, attempt 1: status 410; no further attempt`,
      `${receiver.url} responded 410 and is disabled; PUT /_sim/webhook enables it again`,
    ])
  })
})

describe('a tester', () => {
  it('changes the secret with an overlap, in which both secrets sign', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true })
    const before = shop.signingSecret
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const put = shop.webhook.put({ url: receiver.url, secret, overlap: '1h' })
    expect(put.previous).toEqual({ secret: before, until: new Date(START + 3_600_000).toISOString() })
    // Changing only the address keeps the overlap.
    shop.webhook.put({ url: receiver.url })
    const believedBy = async () => {
      await call('POST', '/v1/customers', { externalId: `biz-${receiver.received.length}` })
      await shop.settle()
      const { body, headers } = receiver.received.at(-1)!
      const isBelieved = (secret: string) => {
        try {
          verifyWebhook(body, headers, { secret })
          new Webhook(secret).verify(body, headers as Record<string, string>)
          return true
        } catch {
          return false
        }
      }
      return { new: isBelieved(secret), before: isBelieved(before) }
    }
    expect(await believedBy()).toEqual({ new: true, before: true })
    expect(receiver.received[0]!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    await shop.clock.advance('1h')
    expect(await believedBy()).toEqual({ new: true, before: false })
  })

  it('resends a delivery unchanged', async () => {
    const { shop, receiver, call } = await openStage({ webhooks: true, reply: 503 })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle()
    const [delivery] = shop.deliveries({ status: 'pending' })
    const { id, eventId } = delivery!
    expect(delivery).toMatchObject({
      eventType: 'customer.created',
      attempts: [{ number: 1, url: receiver.url, status: 503, error: null }],
      nextAttemptAt: '2026-01-01T00:00:05.000Z',
    })
    receiver.reply(204)
    const again = shop.redeliver(id)
    await shop.settle()
    expect(shop.deliveries({ eventId })).toMatchObject([
      { id, status: 'pending' },
      { id: again.id, status: 'delivered', attempts: [{ status: 204 }] },
    ])
    const [first, second] = receiver.received
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  })
})
