/** Every key of a profile has an effect: another value must change a response, an event or the document. */
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { createSimulator, type SandboxOptions } from '../../src/index.ts'
import { otherValueOf } from '../../src/spec/contract/other-value.ts'
import { valueAt } from '../../src/spec/contract/parsed-json.ts'
import { bothProfiles, changesOf, PROFILE_KEYS } from '../../src/spec/contract/profile.ts'
import { BY_HEX, ORDER } from '../contract/different-profile.ts'
import { openReceiver } from '../receiver.ts'

type Paid = { customerId: string; paymentMethodId: string }

type Profile = NonNullable<SandboxOptions['profile']>

const REFUSALS = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504]

function open(profile: Profile) {
  const simulator = createSimulator({
    profile,
    seed: 1,
    clock: 'frozen@2026-01-01T00:00:00.789Z',
    requireApproval: true,
    log: 'silent',
  })
  return { simulator, shop: simulator.sandbox('default') }
}

/** The results of a fixed series of requests, as a platform sees them. */
async function* session(profile: Profile): AsyncGenerator<unknown> {
  const { simulator, shop } = open(profile)
  const send = async (call: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method = '', path = ''] = call.split(' ')
    const response = await simulator.fetch(
      new Request(`http://paysim.test${path}`, {
        method,
        headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    return { call, status: response.status, headers: [...response.headers], text: await response.text() }
  }
  /** The id is the first field, whatever its name. */
  const idIn = ({ text }: { text: string }) => String(Object.values(JSON.parse(text))[0])
  const key = { 'idempotency-key': 'k' }
  try {
    const made = await send('POST /v1/checkouts', ORDER, key)
    yield made
    const id = idIn(made)
    yield await send('POST /v1/checkouts', ORDER, key)
    yield await send('POST /v1/checkouts', { ...ORDER, amount: 11 }, key)
    yield await send('POST /v1/checkouts', ORDER, { 'idempotency-key': 'é' })
    yield await send('POST /v1/checkouts', ORDER, { 'content-type': 'text/plain' })
    yield await send('POST /v1/checkouts', ORDER, { 'content-encoding': 'gzip' })
    yield await send('POST /v1/checkouts', `"${'x'.repeat(200_000)}"`)
    yield await send('POST /v1/checkouts', { ...ORDER, note: 1 })
    yield await send('POST /v1/checkouts', { ...ORDER, successUrl: undefined })
    yield await send('POST /v1/checkouts', { ...ORDER, amount: 'x' })
    yield await send('POST /v1/checkouts', '{')
    yield await send('GET /v1/checkouts', undefined, { 'x-api-key': 'wrong' })
    yield await send('DELETE /v1/checkouts')
    yield await send('GET /v1/checkouts/none')
    for (const status of REFUSALS)
      yield await send('GET /v1/checkouts', undefined, { 'x-sim': `respond=${status}` })
    yield await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
    yield await send(`POST /v1/checkouts/${id}/confirm`)
    shop.buyer.approve(id)
    const paid = await send(`POST /v1/checkouts/${id}/confirm`)
    yield paid
    yield await send(`POST /v1/checkouts/${id}/confirm`)
    yield await send(`POST /v1/checkouts/${id}/cancel`, undefined, { 'idempotency-key': 'kept' })
    yield await send(`POST /v1/checkouts/${id}/cancel`, undefined, { 'idempotency-key': 'kept' })
    yield await send(`POST /v1/checkouts/${id}/refunds`, { amount: 11 })
    const refund = await send(`POST /v1/checkouts/${id}/refunds`, { amount: 10 })
    yield refund
    yield await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
    const byAccount = idIn(await send('POST /v1/checkouts', { ...ORDER, externalId: 'b-2' }))
    shop.buyer.approve(byAccount, { method: 'bank_account' })
    yield await send(`POST /v1/checkouts/${byAccount}/confirm`)
    yield await send(`POST /v1/checkouts/${byAccount}/refunds`, { amount: 1 })
    yield await send(`POST /v1/checkouts/${idIn(await send('POST /v1/checkouts', ORDER))}/cancel`)
    const customer = await send('POST /v1/customers', { externalId: 'b-3', name: 'n' })
    yield customer
    yield await send('POST /v1/customers', { externalId: 'b-3' })
    const held = await send('POST /v1/authorizations', { externalId: 'b-1', amount: 5 })
    yield held
    yield await send(`POST /v1/authorizations/${idIn(held)}/capture`)
    yield await send(`POST /v1/authorizations/${idIn(held)}/void`)
    const voided = idIn(await send('POST /v1/authorizations', { externalId: 'b-1', amount: 5 }))
    yield await send(`POST /v1/authorizations/${voided}/void`)
    yield await send(`POST /v1/authorizations/${voided}/capture`)
    yield await send('POST /v1/refunds', { authorizationId: voided, amount: 1 })
    yield await send(`GET /v1/events/${Object.values(shop.events()[0]!)[0]}`)
    yield await send(`GET /v1/customers/${idIn(customer)}`)
    for (const path of ['customers', 'checkouts', 'refunds', 'authorizations', 'events']) {
      yield await send(`GET /v1/${path}?limit=1`)
      yield await send(`GET /v1/${path}?limit=110`)
    }
    yield await send('GET /v1/events')
    yield await send('GET /v1/refunds?status=pending')
    yield await send(`GET /v1/checkouts/${id}/refunds`)
    for (const checkout of [id, byAccount]) {
      const { customerId, paymentMethodId } = shop.resource(checkout).resource as Paid
      const methods = `/v1/customers/${customerId}/payment-methods`
      yield await send(`GET ${methods}`)
      yield await send(`GET ${methods}/${paymentMethodId}`)
      yield await send(`POST ${methods}/${paymentMethodId}/detach`)
      yield await send('POST /v1/authorizations', { customerId, paymentMethodId, amount: 1 })
    }
    yield await send(`GET /v1/authorizations/${voided}`)
    await shop.clock.advance('6s')
    yield await send(`GET /v1/refunds/${idIn(refund)}`)
    yield shop.events()
    await shop.clock.advance('2h')
    yield await send('POST /v1/checkouts', ORDER, key)
    yield await send('GET /openapi.json')
  } finally {
    await simulator.close()
  }
}

/** The deliveries, as the receiver and the tester see them. */
async function* deliveries(profile: Profile): AsyncGenerator<unknown> {
  const { simulator, shop } = open(profile)
  // With a receiver that never responds, the timeout of an attempt becomes visible.
  const receiver = await openReceiver(profile.webhooks?.timeout ? () => {} : 500)
  try {
    shop.webhook.put({ url: receiver.url })
    shop.emit({ type: 'checkout.created', resourceId: 'res', data: {} })
    await shop.settle()
    // Mask the address, and values that depend on the real time.
    const { host: _, ...headers } = receiver.received[0]!.headers
    const masked = (value: unknown) =>
      String(value)
        .replaceAll(/\d{10}/g, 'SECONDS')
        .replaceAll(/[0-9A-Za-z+/]{40,}=?/g, 'DIGITS')
    yield Object.entries(headers).map(([name, value]) => [name, masked(value)])
    for (const { attempts, nextAttemptAt } of shop.deliveries())
      yield [nextAttemptAt, attempts.map(({ status, error }) => [status, error])]
    yield await (await simulator.fetch(new Request('http://paysim.test/openapi.json'))).text()
  } finally {
    await simulator.close()
  }
}

/** Some keys have an effect only together with these values of other keys. */
const BASES: Readonly<Record<string, Profile>> = {
  'webhooks.signature': { webhooks: { signature: { scheme: 'hex' } } },
  'webhooks.timeout': { webhooks: { timeout: '20ms' } },
  'errors.texts': { requests: { unknownFields: 'refuse' } },
}
const OTHERS: Profile = { webhooks: { timeout: '50ms', signature: { scheme: 'timestamped' } } }

const seen = new Map<string, unknown[]>()

async function all(run: typeof session, profile: Profile): Promise<unknown[]> {
  const name = `${run.name} ${JSON.stringify(profile)}`
  const known = seen.get(name)
  if (known) return known
  const found: unknown[] = []
  for await (const observation of run(profile)) found.push(observation)
  seen.set(name, found)
  return found
}

test.for([
  ['requests', session],
  ['deliveries', deliveries],
] as const)('the same %s produce the same results', async ([, run]) => {
  const first = await all(run, {})
  const second: unknown[] = []
  for await (const observation of run({})) second.push(observation)
  expect(second).toEqual(first)
})

test('each key of a profile has an effect', { timeout: 300_000 }, async () => {
  const without: string[] = []
  for (const row of PROFILE_KEYS) {
    const { key, path } = row
    const run = path[0] === 'webhooks' ? deliveries : session
    const base = BASES[path.slice(0, 2).join('.')] ?? {}
    const value = valueAt(OTHERS, path) ?? valueAt(BY_HEX, path) ?? otherValueOf(row)
    const usual = await all(run, base)
    const rival = run(bothProfiles(base, changesOf([{ path, value }]))!)
    let hasEffect = false
    for (const observation of usual) {
      const { value: seen } = await rival.next()
      hasEffect ||= !isDeepStrictEqual(seen, observation)
      if (hasEffect) break
    }
    await rival.return(undefined)
    if (!hasEffect) without.push(key)
  }
  expect(without).toEqual([])
})
