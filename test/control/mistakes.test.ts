/** A misspelled word must not make a test pass: every entry point refuses it and suggests the nearest valid word. */
import { describe, expect, test } from 'vitest'
import { type ApiError, connect } from '../../src/control-client.ts'
import { createSimulator, signWebhook, verifyWebhook } from '../../src/index.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { commandOptions } from '../../src/spec/options/option.ts'
import { resolveOptions } from '../../src/spec/options/read.ts'
import type { SandboxOptions } from '../../src/spec/options/sandbox.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { newSimulator } from './shop.ts'

type Mistake = [given: object, said: string]

const doing = (what: object, more: object = {}) => ({ ...more, do: what })
const when = (condition: object) => doing({ fault: 'reset' }, { when: condition })

const answering = (headers: object) => doing({ respond: { status: 200, headers } })

/** Invalid behaviors, tried in code, over HTTP, in a header and in a file. */
const BEHAVIORS: Mistake[] = [
  [when({ op: 'checkouts.refnd' }), 'did you mean checkouts.refund?'],
  [when({ op: 'refunds.crate' }), 'did you mean refunds.create?'],
  [when({ op: 'checkout.create' }), 'did you mean checkouts.create?'],
  [when({ op: 'checkouts' }), 'did you mean checkouts.*?'],
  [when({ op: 'refund.*' }), 'did you mean refunds.*?'],
  [when({ op: 'customers.creat' }), 'did you mean customers.create?'],
  [when({ op: 'authorizations.captured' }), 'did you mean authorizations.capture?'],
  [when({ op: 'Checkouts.Create' }), 'did you mean checkouts.create?'],
  [when({ op: 7 }), 'must be an operation'],
  [when({ call: 'POST /v1/checkout/{id}/refunds' }), 'did you mean POST /v1/checkouts/{id}/refunds?'],
  [when({ call: 'POST /v1/refund' }), 'did you mean POST /v1/refunds?'],
  [when({ call: 'post /v1/checkouts' }), 'did you mean POST /v1/checkouts?'],
  [when({ call: 'POST v1/checkouts' }), 'did you mean POST /v1/checkouts?'],
  [when({ call: 'POST /checkouts' }), 'did you mean POST /v1/checkouts?'],
  [when({ call: 'POST /v1/checkouts/' }), 'did you mean POST /v1/checkouts?'],
  [when({ call: 'DELETE /v1/checkouts/{id}' }), 'did you mean GET /v1/checkouts/{id}?'],
  [when({ call: 'POST /v1/checkouts/{id}/confirmed' }), 'did you mean POST /v1/checkouts/{id}/confirm?'],
  [when({ call: '* /v1/refnds/*' }), 'did you mean GET /v1/refunds/{id}?'],
  [when({ call: 'POST /v1/payments' }), 'must be an endpoint'],
  [when({ call: '**************** /x' }), 'must be a method and a path'],
  [when({ operation: 'refunds.create' }), 'when.operation is unknown'],
  [when({ jsn: {} }), 'did you mean json?'],
  [when({ headers: {} }), 'did you mean header?'],
  [when({ atempt: 2 }), 'did you mean attempt?'],
  [when({ attempt: 0 }), 'attempt must be'],
  [when({ probability: 50 }), 'must be at most 1'],
  [doing({ fault: 'rest' }), 'did you mean reset?'],
  [doing({ fault: 'hangs' }), 'did you mean hang?'],
  [doing({ fault: 'trunkate' }), 'did you mean truncate?'],
  [doing({ falt: 'reset' }), 'did you mean fault?'],
  [doing({ fault: 'reset', at: 'after' }), 'must be one of before, after-commit'],
  [doing({ fault: 'truncate', at: 'before' }), 'cannot be before'],
  [doing({ fault: 'reset', over: '2s' }), 'requires fault: drip'],
  [doing({ respond: { status: 99 } }), 'must be at least 200'],
  [doing({ respond: 99 }), 'must be at least 200'],
  [doing({ respond: { stats: 503 } }), 'did you mean status?'],
  [doing({ respond: '503' }), 'must be a status such as 503, or { status: 503 }'],
  [doing({ respond: { status: 503, body: {} } }), 'body is unknown'],
  [doing({ delay: 'abc' }), 'must be a duration'],
  [doing({ delay: '2 s' }), 'must be a duration'],
  [doing({ delay: -1 }), 'must be a duration'],
  [doing({ delay: { p50: '2s', p99: '1s' } }), 'must be p50 or longer'],
  [doing({ dealy: '2s' }), 'did you mean delay?'],
  [doing({ hold: 'a gate' }), 'must be a name'],
  [doing({ hold: 'gate', max: 'long' }), 'must be a duration'],
  [doing({ rateLimit: 5 }), 'must be { limit: 5'],
  [doing({ rateLimit: { limt: 5 } }), 'did you mean limit?'],
  [doing({ ratelimit: { limit: 5 } }), 'did you mean rateLimit?'],
  [doing({ transition: 'complete', after: 'now' }), 'completed'],
  [doing({ transition: 'completed', after: 'later' }), 'must be now, never'],
  [doing({ webhook: { drp: true } }), 'did you mean drop?'],
  [doing({ webhook: { duplicate: 1 } }), 'must be at least 2'],
  [doing({ webhook: { sign: 'stalle' } }), 'did you mean stale?'],
  [
    doing({ webhook: { drop: true } }, { when: { event: 'refund.complete' } }),
    'did you mean refund.completed?',
  ],
  [
    doing({ webhook: { drop: true } }, { when: { op: 'refunds.create' } }),
    'cannot be combined with do: webhook',
  ],
  [doing({ decision: 'declined' }), 'must be approve or decline'],
  [{ when: {} }, 'do is missing'],
  [{ doo: { fault: 'reset' }, when: {} }, 'did you mean do?'],
  [doing({ fault: 'reset' }, { time: 2 }), 'did you mean times?'],
  [doing({ fault: 'reset' }, { times: 0 }), 'must be at least 1'],
  [doing({ fault: 'reset' }, { scope: 'keys' }), 'did you mean key?'],
  [doing({ fault: 'reset' }, { ttl: 'soon' }), 'must be a duration'],
  [doing({ fault: 'reset' }, { skipp: 1 }), 'did you mean skip?'],
  // Beyond the limits of one behavior.
  [doing({ fault: 'hang' }, { times: 1e9 }), 'at most 1000000'],
  [doing({ fault: 'hang' }, { skip: 1e9 }), 'at most 1000000'],
  [
    doing(
      { transition: 'completed', after: { polls: 1e9 } },
      { when: { resource: 'refund', enters: 'pending' } },
    ),
    'at most 1000000',
  ],
  [doing({ rateLimit: { limit: 1e15 } }), 'at most 1000000000'],
  [doing({ delay: '36865d' }), 'a duration such as'],
  [doing({ hold: 'g'.repeat(256) }), 'at most 255'],
  [doing({ webhook: { duplicate: 30_000_000 } }), 'at most 100'],
  [when({ key: { regex: '(?=a)b' } }), 'without look-around'],
  [when({ key: { regex: 'x{501}' } }), '500 steps'],
  [when({ key: { regex: 'x|'.repeat(501) } }), '1000 characters'],
  [answering({ 'a b': 'c' }), 'a name that HTTP allows'],
  [answering({ a: 'b\r\nc: d' }), 'text that HTTP allows'],
  [answering({ 'Content-Length': '1' }), 'follows from the body'],
  [answering({ Trailer: 'x-sum' }), 'follows from the body'],
  [answering(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`h${n}`, '']))), 'at most 50 headers'],
]

async function served() {
  const simulator = newSimulator()
  const { url } = await simulator.listen()
  return { shop: simulator.sandbox('default'), simulator, url }
}

const said = async (act: () => unknown): Promise<string> => {
  try {
    await act()
  } catch (cause) {
    return (cause as Error).message
  }
  return 'nothing was refused'
}

describe('a behavior', () => {
  test('is refused in a file, in code, over HTTP and by a remote client, in any form', async () => {
    const { shop, url } = await served()
    const remote = await connect(url).find('default')
    for (const [behavior, expected] of BEHAVIORS) {
      const given = behavior as never
      const sayings = {
        file: await said(() => parseScenario(JSON.stringify({ name: 'n', behaviors: [behavior] }))),
        alone: await said(() => shop.arm(given)),
        list: await said(() => shop.replaceBehaviors([given])),
        held: await said(() => shop.arm({ behaviors: [given] })),
        remote: await said(() => remote.arm(given)),
        http: await fetch(`${url}/_sim/behaviors`, {
          method: 'PUT',
          body: JSON.stringify([behavior]),
        }).then(async (answer) => `${answer.status} ${await answer.text()}`),
      }
      for (const [way, sentence] of Object.entries(sayings)) {
        expect.soft(sentence, `${way}: ${JSON.stringify(behavior)}`).toContain(expected)
      }
      expect(sayings.http).toMatch(/^400 /)
    }
    expect(shop.behaviors()).toEqual([])
  })

  test('is armed in every form, with or without a name, in text or milliseconds', async () => {
    const { shop, url } = await served()
    const down = { id: 'a', do: { respond: 503 } }
    for (const body of [down, [down], { behaviors: [down] }, { name: 'n', behaviors: [down] }]) {
      const answer = await fetch(`${url}/_sim/behaviors`, { method: 'PUT', body: JSON.stringify(body) })
      expect([answer.status, shop.behaviors().map(({ explained }) => explained)]).toEqual([
        200,
        ['any request: answers 503'],
      ])
    }
    shop.replaceBehaviors([{ continue: true, do: { delay: 2000 } }, { do: { delay: '2s' } } as never])
    const [first, second] = shop.behaviors().map(({ explained }) => explained)
    expect(first).toBe(second)
  })

  test('is refused over HTTP with the position of the mistake, in JSON and YAML', async () => {
    const { url } = await served()
    const said = async (body: string) => {
      const answer = await fetch(`${url}/_sim/behaviors`, { method: 'PUT', body })
      return `${answer.status} ${await answer.text()}`
    }
    const twice = await said('{"times":1,"times":2,"do":{"respond":503}}')
    expect(twice).toMatch(/^400 .*body:1:12: times is given twice/)
    expect(await said('{"tims":1,"do":{"respond":503}}')).toMatch(/^400 .*body:1:2: tims /)
  })
})

/** A method of the tester's object, its arguments, and the refusal. */
const ASKED: [method: string, args: unknown[], said: string][] = [
  ['verify', [{ op: 'refunds.crate', count: 0 }], 'did you mean refunds.create?'],
  ['verify', [{ call: 'POST /v1/refund', count: 0 }], 'did you mean POST /v1/refunds?'],
  ['verify', [{ opp: 'refunds.create', count: 0 }], 'did you mean op?'],
  ['verify', [{ cuont: 0 }], 'did you mean count?'],
  ['verify', [{ status: '4x', count: 0 }], 'must be a status such as 409 or 4xx'],
  ['verify', [{ header: { 'x-api-kye': 'k' }, count: 0 }], 'is not journaled'],
  ['verify', [{ count: 0 }, { wihtin: '1ms' }], 'did you mean within?'],
  ['verify', [{ count: 0 }, { within: 'soon' }], 'within must be a duration'],
  ['requests', [{ op: 'refunds.crate' }], 'did you mean refunds.create?'],
  ['requests', [{ opp: 'refunds.create' }], 'did you mean op?'],
  ['requests', [{ status: '4x' }], 'must be a status such as 409 or 4xx'],
  ['requests', [{ status: 'nonee' }], 'or none'],
  ['requests', [{ method: 'PSOT' }], 'did you mean POST?'],
  ['requests', [{ resorce: 'chk_1' }], 'did you mean resource?'],
  ['requests', [{ since: 'yesterday' }], 'since must be a time'],
  ['requests', [{ cursor: 'chk_1' }], 'must be a request such as req_12'],
  ['events', [{ type: 'refund.complete' }], 'did you mean refund.completed?'],
  ['events', [{ typ: 'refund.completed' }], 'did you mean type?'],
  ['events', [{ resource: 'ref_1' }], 'resource is unknown here'],
  ['deliveries', [{ status: 'faild' }], 'did you mean failed?'],
  ['deliveries', [{ state: 'failed' }], 'did you mean status?'],
  ['due', [{ limt: 1 }], 'did you mean limit?'],
  ['emit', [{ type: 'refund.complete', resourceId: 'ref_1' }], 'did you mean refund.completed?'],
  ['emit', [{ type: 'refund.completed', resource: 'ref_1' }], 'resourceId'],
  ['reset', [{ what: ['jornal'] }], 'did you mean journal?'],
  ['reset', [{ waht: ['journal'] }], 'did you mean what?'],
  ['settle', [{ hold: false }], 'did you mean held?'],
  ['settle', [{ within: 'soon' }], 'within must be a duration'],
  ['untilHeld', ['gate', { wthin: '1ms' }], 'did you mean within?'],
  ['release', ['gaet'], 'did you mean gate?'],
  ['audit', [{ ingore: {} }], 'did you mean ignore?'],
  ['audit', [{ ignore: { C99: 'no such rule' } }], 'ignore.C99 is not an audit rule; did you mean C9?'],
  ['clock.advance', ['2 days'], 'advance must be a duration'],
  ['clock.set', ['tomorrow'], 'set must be a time'],
  ['clock.set', ['2027-01-01T00:00'], 'with a zone, such as'],
  ['read', ['checkouts.lst'], 'did you mean checkouts.list?'],
  ['buyer.approve', ['chk_1', { methd: 'card' }], 'did you mean method?'],
  ['buyer.decline', ['chk_1', { method: 'crad' }], 'did you mean card?'],
  ['paymentMethods.attach', ['cus_1', { tpye: 'card' }], 'did you mean type?'],
  ['webhook.put', [{ url: 'http://a.test', evnts: ['*'] }], 'did you mean events?'],
  ['webhook.put', [{ url: 'http://a.test', events: ['refund.complete'] }], 'did you mean refund.completed?'],
  ['webhook.put', [{ url: 'a.test' }], 'must be an http or https URL'],
]

// A remote client sends what it is given, so it also shows the refusal over HTTP.
test('a call with a misspelled word gets the same refusal in code and from a remote client', async () => {
  const { shop, url } = await served()
  shop.arm({ do: { hold: 'gate' } })
  const remote = await connect(url).find('default')
  for (const [method, args, expected] of ASKED) {
    const call = async (object: object) => {
      const [name, inner] = method.split('.')
      const owner = inner === undefined ? object : Reflect.get(object, name!)
      return Reflect.get(owner, inner ?? name!)(...args)
    }
    const [near, far] = await Promise.all([shop, remote].map((object) => call(object).catch(refusalOf)))
    expect.soft(near.message, `${method}(${JSON.stringify(args)})`).toContain(expected)
    expect.soft(far).toEqual(near)
    expect.soft([400, 404]).toContain(far.status)
  }
})

const refusalOf = ({ status, message }: ApiError) => ({ status, message })

test('a value that is not an object is refused in code, where only a compiler would catch it', async () => {
  const { shop, simulator } = await served()
  const bare = simulator as unknown as Record<'sandbox' | 'create', (...args: unknown[]) => unknown>
  const steered = shop as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const [act, expected] of [
    [() => createSimulator('frozen' as never), 'options must be an object'],
    [() => bare.sandbox('a', 'frozen'), 'options must be an object'],
    [() => bare.create('frozen'), 'options must be an object'],
    [() => bare.sandbox({ clock: 'frozen' }), 'must be a name'],
    [() => bare.sandbox(), 'must be a name'],
    [() => bare.create({ from: { snapsot: 'a' } }), 'from must be the name of a sandbox'],
    [() => bare.create({ from: 7 }), 'from must be the name of a sandbox'],
    [() => steered.requests!('refunds.create'), 'must be an object'],
    [() => steered.events!('refund.completed'), 'must be an object'],
    [() => steered.settle!('5s'), 'must be an object'],
    [() => steered.reset!(['journal']), 'must be of type object'],
    [() => steered.emit!(), 'must be of type object'],
    [() => steered.emit!({ type: 'refund.created', data: [] }), 'data must be of type object'],
    [() => steered.verify!('refunds.create'), 'must be of type object'],
    [() => steered.watch!('requests'), 'watch takes a function'],
    [() => steered.arm!(), 'must be a behavior'],
    [() => signWebhook('{}', { secret: shop.signingSecret, id: 'e', ta: 0 } as never), 'did you mean at?'],
    [() => verifyWebhook('{}', {}, { secret: shop.signingSecret, ta: 0 } as never), 'did you mean at?'],
  ] as [() => unknown, string][]) {
    expect.soft(await said(act), String(act)).toContain(expected)
  }
  expect(simulator.sandboxes()).toHaveLength(1)
})

test('an unknown query parameter is refused, because it was meant for the body', async () => {
  const { shop, url } = await served()
  const answer = await fetch(`${url}/_sim/reset?what=journal`, { method: 'POST' })
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('what is unknown here')])
  expect(shop.requests({ op: '*.create', status: 404, method: 'post' })).toEqual([])
})

/** An invalid value of an option, and its form on a command line. Scenario files have some of the options. */
const OPTIONS: [given: SandboxOptions, name: string, text: string, said: string, inFile?: object][] = [
  [{ rateLimit: 0 }, 'rateLimit', '0', 'must be a whole number from 1', { rateLimit: 0 }],
  [{ rateLimit: 'of' as 'off' }, 'rateLimit', 'of', 'or off', { rateLimit: 'of' }],
  [{ refundDelay: 'soon' as '1s' }, 'refundDelay', 'soon', 'must be a duration', { refundDelay: 'soon' }],
  [{ clock: 'frozne' as 'frozen' }, 'clock', 'frozne', 'must be real, frozen, or'],
  [{ clock: 'frozen@noon' }, 'clock', 'frozen@noon', 'must be real, frozen, or'],
  [{ clock: 'frozen@2026-01-01T00:00' }, 'clock', 'frozen@2026-01-01T00:00', 'time and zone, such as'],
  [{ clock: 'frozen@2026-02-31T00:00:00Z' }, 'clock', 'frozen@2026-02-31T00:00:00Z', 'a time and zone'],
  [{ seed: -1 }, 'seed', '-1', 'must be a whole number from 0', { seed: -1 }],
  [
    { requireApproval: 'yes' as never },
    'requireApproval',
    'yes',
    'must be true or false',
    { requireApproval: 'yes' },
  ],
  [{ apiKey: 'my key' }, 'apiKey', 'my key', 'printable ASCII without spaces'],
  [{ signingSecret: 'mine' }, 'signingSecret', 'mine', 'must be whsec_ and the base64'],
  [{ webhook: { url: 'a.test' } }, 'webhook.url', 'a.test', 'must be an http or https URL'],
  [
    { audit: { ignore: 'C99=x' } },
    'audit.ignore',
    'C99=x',
    'C99 is not an audit rule; did you mean C9?',
    { audit: { ignore: { C99: 'x' } } },
  ],
]

describe('an option', () => {
  test('with an invalid value is refused in code, over HTTP, remotely, in a file, as a flag and in the environment', async () => {
    const { simulator, url } = await served()
    const remote = connect(url)
    for (const [given, name, text, expected, inFile] of OPTIONS) {
      const { env } = commandOptions(START_OPTIONS).find((option) => option.name === name)!
      const post = (path: string, method: string) =>
        fetch(`${url}/_sim/sandboxes${path}`, { method, body: JSON.stringify(given) }).then((answer) =>
          answer.text(),
        )
      const sayings = {
        simulator: await said(() => createSimulator(given)),
        sandbox: await said(() => simulator.sandbox('a', given)),
        create: await said(() => simulator.create(given)),
        'remote sandbox': await said(() => remote.sandbox('a', given)),
        'remote create': await said(() => remote.create(given)),
        POST: await post('', 'POST'),
        PUT: await post('/a', 'PUT'),
        flag: await said(() => resolveOptions('start', START_OPTIONS, { flags: { [name]: text }, env: {} })),
        environment: await said(() =>
          resolveOptions('start', START_OPTIONS, { flags: {}, env: { [env]: text } }),
        ),
        ...(inFile && {
          file: await said(() => parseScenario(JSON.stringify({ name: 'n', sandbox: inFile, steps: [] }))),
        }),
      }
      for (const [way, sentence] of Object.entries(sayings)) {
        expect.soft(sentence, `${way}: ${JSON.stringify(given)}`).toContain(expected)
      }
      expect.soft(sayings.environment).toMatch(new RegExp(`^${env} `))
    }
    expect(simulator.sandboxes()).toHaveLength(1)
  })

  test('with a misspelled choice is refused with the nearest one', () => {
    for (const [name, text, expected] of [
      ['log', 'jsno', 'did you mean json?'],
      ['durability', 'comit', 'did you mean commit?'],
      ['webhook.events', 'refund.complete', 'did you mean refund.completed?'],
    ] as const) {
      const { env } = commandOptions(START_OPTIONS).find((option) => option.name === name)!
      const others = { 'webhook.url': 'http://a.test' }
      const value = name === 'webhook.events' ? { ...others, [name]: [text] } : { [name]: text }
      expect.soft(() => resolveOptions('start', START_OPTIONS, { flags: value, env: {} })).toThrow(expected)
      expect
        .soft(() =>
          resolveOptions('start', START_OPTIONS, {
            flags: name === 'webhook.events' ? others : {},
            env: { [env]: text },
          }),
        )
        .toThrow(expected)
    }
    expect(() => createSimulator({ log: 'jsno' as 'json' })).toThrow('did you mean json?')
  })

  test('with a misspelled name is refused in code, over HTTP, by a remote client and in a file', async () => {
    const { simulator, url } = await served()
    for (const [options, expected] of [
      [{ rateLimt: 'off' }, 'did you mean rateLimit?'],
      [{ clok: 'frozen' }, 'did you mean clock?'],
      [{ refunddelay: '1s' }, 'did you mean refundDelay?'],
      [{ webhook: { url: 'http://127.0.0.1:9', event: ['*'] } }, 'did you mean events?'],
      [{ audit: { ingore: {} } }, 'did you mean ignore?'],
    ] as [object, string][]) {
      const sentence = await said(() => simulator.sandbox('a', options))
      expect(sentence).toContain(expected)
      expect(await said(() => createSimulator(options))).toBe(sentence)
      expect(await said(() => simulator.create(options))).toBe(sentence)
      expect(await said(() => connect(url).sandbox('a', options))).toBe(sentence)
      expect(await said(() => connect(url).create(options))).toBe(sentence)
      const file = () => parseScenario(JSON.stringify({ name: 'n', sandbox: options, steps: [] }))
      if (!('webhook' in options)) expect(await said(file)).toContain(expected)
    }
    expect(simulator.sandboxes()).toHaveLength(1)
    expect(await said(() => simulator.listen({ prot: 1 } as object))).toContain('did you mean port?')
    expect(await said(() => connect(url, { admintoken: 't' } as object))).toContain(
      'did you mean adminToken?',
    )
  })

  test('that differs from the existing sandbox is refused by name', async () => {
    const { simulator, url } = await served()
    simulator.create({ name: 'shop', refundDelay: '1s' })
    const remote = connect(url)
    for (const open of [simulator.sandbox.bind(simulator), remote.sandbox]) {
      expect(await said(() => open('shop', { clock: 'frozen' }))).toContain('with another clock')
      expect(await said(() => open('shop', { refundDelay: '2s' }))).toContain('with another refundDelay')
      expect((await open('shop', { refundDelay: 1000, clock: 'real' })).name).toBe('shop')
      expect(await said(() => open('shop', { ttl: '1h' }))).toContain('with another ttl')
      expect(await said(() => open('shop', { from: 'default' }))).toContain('with another from')
    }
  })

  test('for the source or the ttl of a sandbox can be repeated only with the same value', async () => {
    const { simulator, url } = await served()
    simulator.sandbox('default').snapshot('empty')
    const fixture = { customers: [{ externalId: 'c' }] }
    const remote = connect(url)
    for (const [index, from] of ['default', { snapshot: 'empty' }, { fixture }].entries()) {
      const options = { from, ttl: '1h' } as const
      for (const open of [simulator.sandbox.bind(simulator), remote.sandbox]) {
        expect((await open(`shop-${index}`, options)).name).toBe(`shop-${index}`)
        expect(await said(() => open(`shop-${index}`, { ...options, ttl: '2h' }))).toContain('another ttl')
        const newer = { fixture: { customers: [{ externalId: 'd' }] } }
        expect(await said(() => open(`shop-${index}`, { ...options, from: newer }))).toContain('another from')
      }
    }
  })
})

describe('a step', () => {
  test.for([
    ['{ call: "POST /v1/checkout/{id}/refunds" }', 'did you mean POST /v1/checkouts/{id}/refunds?'],
    ['{ call: POST /v1/checkouts, json: { amount: 5, expect: { status: 400 } } }', 'next to json'],
  ])('%s is refused', ([step, expected]) => {
    expect(() => parseScenario(`name: n\nsteps:\n  - ${step}\n`)).toThrow(expected)
  })
})
