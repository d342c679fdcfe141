/** A mistake in typing must not make a green test: each is refused through every way in, with the nearest right word. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/control-client.ts'
import { createSimulator } from '../../src/index.ts'
import { readCommandLine } from '../../src/options/read.ts'
import { START_OPTIONS } from '../../src/options/simulator.ts'
import { parseScenario } from '../../src/scenario-file/read.ts'

type Mistake = [given: object, said: string]

const doing = (what: object, more: object = {}) => ({ ...more, do: what })
const when = (condition: object) => doing({ fault: 'reset' }, { when: condition })

/** What is refused in a behavior, however it comes. */
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
  [doing({ fault: 'reset', over: '2s' }), 'goes only with fault: drip'],
  [doing({ respond: { status: 99 } }), 'must be at least 200'],
  [doing({ respond: 99 }), 'must be at least 200'],
  [doing({ respond: { stats: 503 } }), 'did you mean status?'],
  [doing({ respond: { status: 503, body: {} } }), 'body is unknown'],
  [doing({ delay: 'abc' }), 'must be a duration'],
  [doing({ delay: '2 s' }), 'must be a duration'],
  [doing({ delay: -1 }), 'must be a duration'],
  [doing({ delay: { p50: '2s', p99: '1s' } }), 'must be p50 or longer'],
  [doing({ dealy: '2s' }), 'did you mean delay?'],
  [doing({ hold: 'a gate' }), 'must be a name'],
  [doing({ hold: 'gate', max: 'long' }), 'must be a duration'],
  [doing({ rateLimit: { limt: 5 } }), 'must be { limit: 5'],
  [doing({ ratelimit: { limit: 5 } }), 'did you mean rateLimit?'],
  [doing({ transition: 'complete', after: 'now' }), 'must be completed'],
  [doing({ transition: 'completed', after: 'later' }), 'must be now, never'],
  [doing({ webhook: { drp: true } }), 'did you mean drop?'],
  [doing({ webhook: { duplicate: 1 } }), 'must be at least 2'],
  [doing({ webhook: { sign: 'stalle' } }), 'did you mean stale?'],
  [
    doing({ webhook: { drop: true } }, { when: { event: 'refund.complete' } }),
    'did you mean refund.completed?',
  ],
  [doing({ webhook: { drop: true } }, { when: { op: 'refunds.create' } }), 'does not go with do: webhook'],
  [doing({ decision: 'declined' }), 'must be approve or decline'],
  [{ when: {} }, 'do is missing'],
  [{ doo: { fault: 'reset' }, when: {} }, 'did you mean do?'],
  [doing({ fault: 'reset' }, { time: 2 }), 'did you mean times?'],
  [doing({ fault: 'reset' }, { times: 0 }), 'must be at least 1'],
  [doing({ fault: 'reset' }, { scope: 'keys' }), 'did you mean key?'],
  [doing({ fault: 'reset' }, { ttl: 'soon' }), 'must be a duration'],
  [doing({ fault: 'reset' }, { skipp: 1 }), 'did you mean skip?'],
]

async function served() {
  const simulator = createSimulator()
  onTestFinished(() => simulator.close())
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

test('there are more than sixty', () => expect(BEHAVIORS.length).toBeGreaterThan(60))

describe('a behavior', () => {
  test('is refused from a file, from code, over HTTP and from afar, in any form', async () => {
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
    const one = { id: 'a', do: { respond: 503 } }
    for (const body of [one, [one], { behaviors: [one] }, { name: 'n', behaviors: [one] }]) {
      const answer = await fetch(`${url}/_sim/behaviors`, { method: 'PUT', body: JSON.stringify(body) })
      expect([answer.status, shop.behaviors().map(({ explained }) => explained)]).toEqual([
        200,
        ['any request: answers 503'],
      ])
    }
    shop.replaceBehaviors([{ also: true, do: { delay: 2000 } }, { do: { delay: '2s' } } as never])
    const [first, second] = shop.behaviors().map(({ explained }) => explained)
    expect(first).toBe(second)
  })
})

test('verify is refused what no request can be', async () => {
  const { shop, url } = await served()
  const remote = await connect(url).find('default')
  const mistakes: Mistake[] = [
    [{ op: 'refunds.crate', count: 0 }, 'did you mean refunds.create?'],
    [{ call: 'POST /v1/refund', count: 0 }, 'did you mean POST /v1/refunds?'],
    [{ opp: 'refunds.create', count: 0 }, 'did you mean op?'],
    [{ cuont: 0 }, 'did you mean count?'],
  ]
  for (const [expectation, expected] of mistakes) {
    expect(await said(() => shop.verify(expectation))).toContain(expected)
    expect(await said(() => remote.verify(expectation))).toContain(expected)
  }
})

describe('an option', () => {
  test('that is misspelt is refused from code, over HTTP and from afar', async () => {
    const { simulator, url } = await served()
    for (const [options, expected] of [
      [{ rateLimt: 'off' }, 'did you mean rateLimit?'],
      [{ clok: 'frozen' }, 'did you mean clock?'],
      [{ refunddelay: '1s' }, 'did you mean refundDelay?'],
      [{ webhook: { url: 'http://127.0.0.1:9', event: ['*'] } }, 'did you mean events?'],
    ] as [object, string][]) {
      expect(await said(() => createSimulator(options))).toContain(expected)
      expect(await said(() => simulator.sandbox('a', options))).toContain(expected)
      expect(await said(() => simulator.create(options))).toContain(expected)
      expect(await said(() => connect(url).sandbox('a', options))).toContain(expected)
      expect(await said(() => connect(url).create(options))).toContain(expected)
    }
    expect(simulator.sandboxes()).toHaveLength(1)
  })

  test('that a sandbox has otherwise already is refused, and says which', async () => {
    const { simulator, url } = await served()
    simulator.create({ name: 'shop', refundDelay: '1s' })
    const remote = connect(url)
    for (const open of [simulator.sandbox.bind(simulator), remote.sandbox]) {
      expect(await said(() => open('shop', { clock: 'frozen' }))).toContain('with another clock')
      expect(await said(() => open('shop', { refundDelay: '2s' }))).toContain('with another refundDelay')
      expect((await open('shop', { refundDelay: 1000, clock: 'real' })).name).toBe('shop')
    }
  })

  test('that is wrong in a flag or in the environment is refused by its name', () => {
    for (const [flags, environment, expected] of [
      [{ clock: 'frozne' }, {}, '--clock must be real, frozen or'],
      [{ adminToken: '' }, {}, '--admin-token must be'],
      [{}, { PAYSIM_PORT: 'http' }, 'PAYSIM_PORT must be'],
      [{}, { PAYSIM_REQUIRE_APPROVAL: 'yes' }, 'PAYSIM_REQUIRE_APPROVAL must be true or false'],
    ] as const) {
      expect(() => readCommandLine(START_OPTIONS, flags, environment)).toThrow(expected)
    }
  })
})

describe('a step', () => {
  test.for([
    ['{ call: "POST /v1/checkout/{id}/refunds" }', 'did you mean POST /v1/checkouts/{id}/refunds?'],
    ['{ call: POST /v1/checkouts, json: { amount: 5, expect: { status: 400 } } }', 'belongs beside json'],
    [
      '{ call: POST /v1/checkouts, parallel: { count: 3 }, expect: { status: { 200: 2 } } }',
      'counts 2 answers of 3',
    ],
  ])('%s is refused', ([step, expected]) => {
    expect(() => parseScenario(`name: n\nsteps:\n  - ${step}\n`)).toThrow(expected)
  })
})
