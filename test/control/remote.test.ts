/**
 * The same list of calls on the embedded object and on an object from `connect` over a socket: every result and every refusal is
 * the same.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ApiError, connect, type RemoteSimulator } from '../../src/control-client.ts'
import { readFixture, type Simulator } from '../../src/index.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { listOfKind } from '../../src/spec/contract/endpoints.ts'
import { TESTER_ACTS } from '../../src/spec/contract/resources/by-tester.ts'
import { DEFINITIONS } from '../../src/spec/contract/resources/index.ts'
import { SANDBOX_ADDRESSES } from '../../src/tester/control/addresses.ts'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { named, type Verb } from '../../src/tester/control/verb.ts'
import { service } from '../scenarios/service.ts'
import { asPlatform, type Call, confirmedCheckout, openSimulator, order, refund } from './shop.ts'

type Answers = Record<string, unknown>

/** A method of the tester's object by its name. */
type Step = [name: string, args?: unknown[] | ((known: Known) => unknown[])]
interface Known {
  checkout: string
  pending: string
  customer: string
  refund: string
}

const trouble = parseScenario(
  JSON.stringify({
    name: 'slow and refused',
    behaviors: [
      { id: 'slow', when: { op: 'customers.list' }, do: { delay: '1h' } },
      { id: 'refused', when: { op: 'events.list' }, times: 2, ttl: '2d', do: { respond: { status: 503 } } },
    ],
  }),
)
const gate = [{ id: 'at-the-gate', when: { op: 'events.list' }, do: { hold: 'gate-a' } }]

const STEPS: Step[] = [
  ['configure', [{ rateLimit: 40, refundDelay: '2s', audit: { ignore: { C7: 'legacy importer' } } }]],
  ['configure', [{ refundDelay: 'soon' }]],
  ['configure', [{ seed: 1 }]],
  ['describe'],
  ['clock.now'],
  ['clock.read'],
  ['due'],
  ['due', [{ limit: 1 }]],
  ['resource', ({ checkout }) => [checkout]],
  ['resource', ({ customer }) => [customer]],
  ['resource', ['chk_x']],
  ['read', ['checkouts.list', { limit: '1' }]],
  ['read', ['checkouts.list', { limit: 'many' }]],
  ['read', ({ checkout }) => ['checkouts.refunds', { id: checkout }]],
  ['read', ['checkouts.create']],
  ['ledger'],
  ['ledger', [{ limit: 1 }]],
  ['ledger', [{ cursor: 'x' }]],
  ['outbox'],
  ['outbox', [{ limit: 1 }]],
  ['clearOutbox'],
  ['outbox'],
  ['events'],
  ['events', [{ limit: 2 }]],
  ['events', ({ checkout }) => [{ resourceId: checkout }]],
  ['events', [{ cursor: 'evt_x' }]],
  ['emit', ({ checkout }) => [{ type: 'checkout.canceled', resourceId: checkout }]],
  ['emit', [{ type: 'refund.created', resourceId: 'ref_x' }]],

  ['webhook.get'],
  ['webhook.put', [{ url: 'http://127.0.0.1:1/hooks', events: ['refund.*'] }]],
  ['webhook.put', [{ url: 'nowhere' }]],
  ['webhook.listen', ['mine', { url: 'http://127.0.0.1:1/mine', lease: '1h' }]],
  ['webhook.listen', ['mine', { url: 'nowhere' }]],
  ['webhook.get'],
  ['webhook.leave', ['mine']],
  ['webhook.get'],
  ['paymentMethods.attach', ({ customer }) => [customer]],
  ['paymentMethods.attach', ({ customer }) => [customer, { type: 'bank_account' }]],
  ['paymentMethods.attach', ['cus_x']],
  ['buyer.decline', ({ pending }) => [pending]],
  ['buyer.approve', ({ pending }) => [pending, { method: 'card' }]],
  ['buyer.approve', ({ checkout }) => [checkout]],
  ['refunds.complete', ({ refund }) => [refund]],
  ['refunds.complete', ({ refund }) => [refund]],
  ['refunds.complete', ['ref_x']],
  ['settle', [{ within: 2000, held: false }]],
  ['clock.set', [new Date('2026-01-01T00:00:01Z')]],
  ['webhook.remove'],
  ['deliveries', [{ status: 'pending' }]],
  ['redeliver', ['dlv_x']],
  ['redeliverFailed'],
  // The redelivery has no endpoint by then, which is known one turn later.
  ['settle', [{ within: 2000, held: false }]],

  ['requests', [{ status: '4xx' }]],
  ['requests', [{ status: 201 }]],
  ['requests', [{ since: 'req_2', limit: 3 }]],
  ['requests', [{ since: 1_767_225_600_000, op: 'checkouts.create' }]],
  ['requests', [{ until: 1_767_225_600_001, limit: 2 }]],
  ['requests', [{ status: 'some' }]],
  ['explain', ({ checkout }) => [checkout]],
  ['explain', ['order 9/7']],
  ['audit'],
  ['audit', [{ ignore: {} }]],
  ['audit', [{ ignore: { C7: 'legacy importer', C15: 'one = two' } }]],
  ['audit', [{ ignore: { C99: 'no rule' } }]],
  ['audit', [{ ignore: ['C7=legacy importer', 'C15=one'] }]],
  ['clearRequests'],
  ['requests'],

  ['arm', [trouble]],
  ['behaviors'],
  ['backgroundResults'],
  ['held'],
  ['unfired'],
  ['disarm', ['slow']],
  ['disarm', ['slow']],
  ['replaceBehaviors', [gate]],
  ['untilHeld', ['gate-a', { within: 5 }]],
  ['release', ['gate-a']],
  ['release', ['gaet-a']],
  ['close'],
  ['disarm'],
  ['close'],
  ['behaviors'],

  ['snapshot', ['paid']],
  ['snapshot'],
  ['snapshots.list'],
  ['snapshots.remove', ['snapshot-1']],
  ['snapshots.remove', ['unknown']],
  ['clock.advance', ['2d']],
  ['request', ['req_1']],
  ['request', ['req_0']],
  ['journal'],
  ['explain', ['req_1']],
  ['verify', [{ op: 'checkouts.create', count: { atLeast: 1 } }]],
  ['verify', [{ op: 'customers.create' }, { within: '0s' }]],
  ['verify'],
  ['clock.advance', [1000]],
  ['clock.advance', ['soon']],
  ['clock.set', ['2020-01-01T00:00:00Z']],
  ['restore', ['paid']],
  ['restore', ['unknown']],
  ['clock.read'],
  ['reset', [{ what: ['state', 'clock'] }]],
  ['reset'],
  ['ledger'],
  ['testValues'],
  ['clock.freeze'],
  ['clock.resume'],
]

test('every remote call has the same result', async () => {
  const [near, far] = [await playedNear(), await playedFar()]
  expect(far).toEqual(near)
  // A callback cannot travel over HTTP.
  const methods = methodsOf(openSimulator().sandbox('default')).filter((name) => name !== 'watch')
  expect(new Set(STEPS.map(([name]) => name))).toEqual(new Set(methods))
  for (const { name, answer } of far) {
    const { status } = (answer as { refused?: ApiError } | null)?.refused ?? {}
    if (status)
      expect([400, ...refusalsOf(String(name))], `the document's refusals of ${name}`).toContain(status)
  }
  for (const { verb, refusals } of TESTER_ACTS) {
    const statuses = far
      .filter(({ name }) => name === verb)
      .map(({ answer }) => (answer as { refused?: ApiError }).refused?.status ?? 'success')
    expect(statuses, `the calls of ${verb}`).toEqual(expect.arrayContaining(['success', ...refusals]))
  }
})

test('each tester act is refused with the state of every resource outside its states', async () => {
  const fixture = await readFixture(join(import.meta.dirname, '../../fixtures/demo.yaml'))
  const shop = openSimulator({ fixture }).sandbox('default')
  for (const { verb, of, from, move } of TESTER_ACTS) {
    if (from === 'any') continue
    const { states, words } = DEFINITIONS[of]
    const others = states.filter((state) => !from.includes(state))
    expect(others, `the states in which ${verb} is refused`).not.toEqual([])
    for (const state of others) {
      const [row] = JSON.parse(shop.read(listOfKind(of), { status: state })).data
      expect(row, `a ${of} in fixtures/demo.yaml that is ${state}`).toBeDefined()
      const message = move
        ? `${words.one} is already ${state}`
        : `${words.one} is ${state}, not ${from.join(' or ')}`
      expect(await answerTo(shop, verb, [row.id])).toMatchObject({ refused: { status: 409, message } })
    }
  }
})

function refusalsOf(name: string): readonly number[] {
  const { method, path } = named(SANDBOX_ADDRESSES, name) as Verb
  const written = path.replaceAll('?}', '}')
  return SANDBOX_ROUTES.find((route) => route.method === method && route.path === written)!.refusals
}

test('long lists are returned completely', async () => {
  const simulator = openSimulator()
  const shop = simulator.sandbox('default')
  const call = asPlatform(simulator, shop)
  for (let n = 0; n < 230; n += 1) await call('GET', '/v1/events')
  const checkout = await confirmedCheckout(call)
  for (let n = 0; n < 110; n += 1) await refund(call, checkout, 1)
  await shop.clock.advance('2d')
  const far = await connectTo(simulator).then((remote) => remote.find('default'))
  expect(await far.requests()).toEqual(shop.requests())
  expect(await far.requests({ limit: 150 })).toEqual(shop.requests({ limit: 150 }))
  expect(shop.outbox()).toHaveLength(111)
  expect(await far.outbox()).toEqual(shop.outbox())
  expect(shop.ledger().movements).toHaveLength(111)
  expect(await far.ledger()).toEqual(shop.ledger())
})

test('sandboxes are created, found, listed and removed', async () => {
  const simulator = openSimulator()
  const remote = await connectTo(simulator)
  const shop = await remote.sandbox('shop', { seed: 7, refundDelay: '1h', clock: 'frozen' })
  expect(await shop.describe()).toEqual(simulator.find('shop').describe())
  expect((await remote.sandbox('shop')).apiKey).toBe(shop.apiKey)
  const twins = await Promise.all([remote.sandbox('twin'), remote.sandbox('twin')])
  expect(new Set(twins.map(({ apiKey }) => apiKey)).size).toBe(1)

  const id = await confirmedCheckout(asPlatform(simulator, shop))
  const fork = await remote.create({ name: 'fork', from: shop })
  expect((await asPlatform(simulator, fork)('GET', `/v1/checkouts/${id}`)).status).toBe(200)
  expect((await remote.sandboxes()).map(({ name }) => name)).toEqual(['default', 'shop', 'twin', 'fork'])

  await expect(remote.create({ name: 'shop' })).rejects.toMatchObject({ status: 409 })
  await expect(remote.sandbox('other', { apiKey: shop.apiKey })).rejects.toMatchObject({ status: 409 })
  await remote.remove('fork')
  await expect(remote.find('fork')).rejects.toThrow(new ApiError(404, 'Sandbox not found'))
  await expect(fork.ledger()).rejects.toBeInstanceOf(ApiError)
})

test('the admin token gives access', async () => {
  const simulator = openSimulator({ adminToken: 'open sesame' })
  const { url } = await simulator.listen()
  await expect(connect(url).sandboxes()).rejects.toMatchObject({
    status: 401,
    message: 'Invalid admin token',
  })
  expect(await connect(`${url}/`, { adminToken: 'open sesame' }).sandboxes()).toHaveLength(1)
})

test('the error names the address if no server responds', async () => {
  const simulator = openSimulator()
  const { url } = await simulator.listen()
  await simulator.close()
  await expect(connect(url).sandboxes()).rejects.toThrow(`No paysim is running at ${url}`)
})

async function connectTo(simulator: Simulator): Promise<RemoteSimulator> {
  return connect((await simulator.listen()).url)
}

async function playedNear() {
  const simulator = openSimulator()
  return played(simulator.sandbox('default'), asPlatform(simulator, simulator.sandbox('default')))
}

async function playedFar() {
  const simulator = openSimulator()
  const remote = await connectTo(simulator)
  return played(await remote.sandbox('default'), asPlatform(simulator, simulator.sandbox('default')))
}

async function played(shop: object, call: Call): Promise<Answers[]> {
  const known = await given(call)
  const answers: Answers[] = []
  for (const [name, args = []] of STEPS) {
    const answer = await answerTo(shop, name, typeof args === 'function' ? args(known) : args)
    answers.push({ name, answer: withoutRunning(answer), key: Reflect.get(shop, 'signingSecret') })
  }
  return answers
}

async function given(call: Call): Promise<Known> {
  const checkout = await confirmedCheckout(call)
  const { body: pending } = await call('POST', '/v1/checkouts', order(20, 'o-2'))
  const { body: customers } = await call('GET', '/v1/customers')
  await call('GET', '/v1/checkouts/chk_x')
  const refunded = await refund(call, checkout, 250.5)
  return {
    checkout,
    pending: pending.id,
    customer: customers.data[0].id,
    refund: refunded,
  }
}

async function answerTo(shop: object, name: string, args: unknown[]): Promise<unknown> {
  const [method, owner] = name
    .split('.')
    .reduce<[unknown, unknown]>(
      ([found], part) => [Reflect.get(found as object, part), found],
      [shop, undefined],
    )
  try {
    return await Reflect.apply(method as () => unknown, owner, args)
  } catch (cause) {
    const { message, status, details = {} } = cause as ApiError
    return { refused: { message, status, details } }
  }
}

/** Values of the machine's clock, which differ: durations, signatures (D38), and the time of a running clock. */
const withoutRunning = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer ?? null), (name, value) =>
    ['durationMs', 'signature'].includes(name) || value?.frozen === false ? 'runs' : value,
  )

function methodsOf(thing: object, path = ''): string[] {
  return Object.entries(thing).flatMap(([name, value]) => {
    if (typeof value === 'function') return [path + name]
    return typeof value === 'object' ? methodsOf(value, `${path}${name}.`) : []
  })
}

test('a server that responds to every path but is not a paysim is reported, and receives no writes', async () => {
  const { url, asked } = await service(() => ({ status: 200, json: { data: [{}] } }))
  const paysim = connect(url)
  const isNone = `What answers at ${url} is not a paysim`
  await expect(paysim.find('default')).rejects.toThrow(isNone)
  await expect(paysim.sandboxes()).rejects.toThrow(isNone)
  expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET'])
})
