import { describe, expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { NOW, type Sent, start, statuses, type Written } from './start.ts'

const create = { json: ORDER }

describe('when', () => {
  test.each([
    ['POST /v1/checkouts', true],
    ['* /v1/checkouts', true],
    ['POST /v1/*', true],
    ['POST /v1/**', true],
    ['* /**', true],
    ['POST /v1/{anything}', true],
    ['POST /v1/{any-thing}', true],
    ['GET /v1/checkouts', false],
    ['POST /v1/checkouts/{id}/*', false],
    ['POST /v1/refund*', false],
  ] as const)('call %s', async (call, hit) => {
    const started = start()
    started.arm({ when: { call }, do: { respond: { status: 503 } } })
    expect(await statuses(started, 1)).toEqual([hit ? 503 : 201])
  })

  test.each([
    ['checkouts.create', true],
    ['checkouts.*', true],
    ['*.create', true],
    ['*', true],
    ['checkouts.confirm', false],
    ['authorizations.*', false],
  ] as const)('op %s', async (op, hit) => {
    const started = start()
    started.arm({ when: { op }, do: { respond: { status: 503 } } })
    expect(await statuses(started, 1)).toEqual([hit ? 503 : 201])
  })

  test.each([
    [{ json: { amount: { gt: 500 } } }, true],
    [{ json: { amount: 1000, orderId: { regex: '^order' } } }, true],
    [{ json: { amount: { gt: 1000 } } }, false],
    [{ json: { paymentMethodType: { exists: false } } }, true],
    [{ header: { 'X-Color': 'blue' } }, true],
    [{ header: { 'x-color': { oneOf: ['red', 'blue'] } } }, true],
    [{ header: { 'x-color': 'red' } }, false],
    [{ header: { 'x-number': { gte: 3 } } }, true],
    [{ header: { 'x-none': { exists: false } } }, true],
    [{ key: 'k-1' }, true],
    [{ key: { regex: '^k' } }, true],
    [{ key: 'k-2' }, false],
    [{ query: { page: 2 } }, true],
    [{ query: { page: '2', on: true } }, true],
    [{ query: { page: 3 } }, false],
    [{ query: { page: { exists: false } } }, false],
  ])('%j', async (when, hit) => {
    const { arm, call } = start()
    arm({ when, do: { respond: { status: 503 } } })
    const { status } = await call('POST /v1/checkouts?page=2&on=true', {
      ...create,
      key: 'k-1',
      headers: { 'x-color': 'blue', 'x-number': '3' },
    })
    expect(status).toBe(hit ? 503 : 201)
  })

  test('attempt selects the nth call that matches the rest', async () => {
    const started = start()
    started.arm({ when: { op: 'checkouts.create', attempt: 2 }, do: { respond: { status: 500 } } })
    await started.call('GET /v1/checkouts')
    expect(await statuses(started, 3)).toEqual([201, 500, 201])
  })

  test('attempt takes a matcher', async () => {
    const started = start()
    started.arm({ when: { attempt: { gte: 2, lt: 4 } }, do: { respond: { status: 500 } } })
    expect(await statuses(started, 4)).toEqual([201, 500, 500, 201])
  })

  test('probability depends on the seed, and changes no id', async () => {
    const behavior = { when: { probability: 0.5 }, do: { respond: { status: 500 } } } as const
    const opened = start()
    opened.arm(behavior)
    const same = start()
    same.arm(behavior)
    const second = start({ seed: 8 })
    second.arm(behavior)
    const [drawn, again, elsewhere] = [
      await statuses(opened, 40),
      await statuses(same, 40),
      await statuses(second, 40),
    ]
    expect(again).toEqual(drawn)
    expect(elsewhere).not.toEqual(drawn)
    expect(drawn.filter((status) => status === 500).length).toBeGreaterThan(8)
    expect(drawn.filter((status) => status === 201).length).toBeGreaterThan(8)

    const untroubled = start()
    const armed = start()
    armed.arm({ when: { probability: 0 }, do: { respond: { status: 500 } } })
    expect(await armed.createCheckout()).toBe(await untroubled.createCheckout())
  })
})

describe('counters and conditions', () => {
  test('times, skip and the order in the file', async () => {
    const started = start()
    started.arm(
      { id: 'first', times: 2, do: { respond: { status: 500 } } },
      { id: 'second', skip: 3, times: 1, do: { respond: { status: 503 } } },
    )
    expect(await statuses(started, 5)).toEqual([500, 500, 201, 503, 201])
    expect(started.behaviors.armed.list()).toMatchObject([
      { id: 'first', matched: 5, fired: 2, left: 0 },
      { id: 'second', matched: 5, fired: 1, left: 0 },
    ])
  })

  test('continue lets later behaviors act as well', async () => {
    const { arm, call, parked, sandbox, journal } = start()
    arm(
      { id: 'slow', continue: true, do: { delay: '5s' } },
      { id: 'down', times: 9, do: { respond: { status: 503 } } },
      { id: 'never', do: { respond: { status: 500 } } },
    )
    const answer = call('POST /v1/checkouts', create)
    await parked(1)
    await sandbox.agenda.advanceTo(() => NOW + 5_000)
    expect((await answer).status).toBe(503)
    expect(journal()[0]?.behaviors).toEqual([
      {
        ...{ behavior: 'slow', did: 'waits 5s', fired: true, why: 'match 1, acting 1' },
        waits: { gate: null, for: '5s' },
      },
      { behavior: 'down', did: 'answers 503', fired: true, why: 'match 1, acting 1 of 9' },
      { behavior: 'never', did: 'answers 500', fired: false, why: 'match 1, but down acts first' },
    ])
  })

  type Request = [line: string, sent?: Sent]
  const order = (amount: number, key?: string): Request => [
    'POST /v1/checkouts',
    { json: { ...ORDER, amount }, key },
  ]
  const from = (ip: string): Request => ['GET /v1/checkouts', { headers: { 'x-forwarded-for': ip } }]
  const twiceEach = (...requests: Request[]) => requests.flatMap((request) => [request, request])
  test.each<[Written['scope'], string, Request[]]>([
    ['key', 'for each Idempotency-Key', twiceEach(order(1, 'a'), order(1, 'b'))],
    ['key', 'what has no key by method, path and body', twiceEach(order(1), order(2))],
    ['ip', 'for each address', twiceEach(from('10.0.0.1'), from('10.0.0.2'))],
    ['op', 'for each operation', twiceEach(['GET /v1/checkouts'], ['GET /v1/refunds'])],
    ['resource', 'for each checkout', twiceEach(['GET /v1/checkouts/a'], ['GET /v1/checkouts/b'])],
  ])('scope %s counts %s', async (scope, _, requests) => {
    const { arm, call } = start({ trustProxy: true })
    arm({ scope, times: 1, do: { respond: { status: 503 } } })
    const hit: boolean[] = []
    for (const [line, sent] of requests) hit.push((await call(line, sent)).status === 503)
    expect(hit).toEqual([true, false, true, false])
  })
})

test('times: 1 affects one of a hundred parallel callers on separate connections', async () => {
  const { arm, simulator, behaviors } = start()
  const { url } = await simulator.listen()
  arm({ times: 1, do: { respond: { status: 503 } } })
  const headers = { 'x-api-key': 'sk_staging_default', connection: 'close' }
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => fetch(`${url}/v1/checkouts`, { headers })),
  )
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(1)
  expect(behaviors.armed.list()).toMatchObject([{ matched: 100, fired: 1 }])
  await Promise.all(answers.map((answer) => answer.text()))
})

describe('the journal', () => {
  test.each([
    [{ when: { json: { amount: { lt: 5 } } } }, '$.amount is 1000, not less than 5'],
    [{ when: { key: 'other' } }, 'key is "k", not "other"'],
    [{ when: { query: { a: 1 } } }, 'query.a is nothing, not 1'],
    [{ when: { header: { 'x-api-key': 'other' } } }, 'header.x-api-key is another one, or is missing'],
    [{ when: { attempt: 2 } }, 'match 1, and attempt is 2'],
    [{ skip: 1 }, 'match 1 of the 1 that it skips'],
    [{ ttl: '0s' }, 'its ttl of 0s has passed'],
    [{ when: { probability: 0 } }, /^match 1, and 0\.\d{3} was drawn, not below 0$/],
  ] as const)('explains a near miss: %j', async (given, why) => {
    const { arm, call, journal, behaviors } = start()
    arm({ id: 'near', ...given, do: { respond: { status: 500 } } })
    arm({ id: 'far', when: { op: 'refunds.*' }, do: { respond: { status: 500 } } })
    expect((await call('POST /v1/checkouts', { ...create, key: 'k' })).status).toBe(201)
    const [near, ...others] = journal()[0]?.behaviors ?? []
    expect(near).toMatchObject({ behavior: 'near', fired: false })
    expect(near?.why).toMatch(why)
    expect(others).toEqual([])
    expect(behaviors.armed.list()[0]).toMatchObject({ fired: 0, lastMiss: near?.why })
  })

  test('has no behaviors if none is armed', async () => {
    const { call, journal } = start()
    await call('POST /v1/checkouts', create)
    expect(journal()[0]?.behaviors).toEqual([])
  })
})

describe('arming', () => {
  test('the same id again replaces the behavior and resets its count', async () => {
    const started = start()
    const behavior = { id: 'once', times: 1, do: { respond: { status: 500 } } }
    started.arm(behavior)
    expect(await statuses(started, 2)).toEqual([500, 201])
    started.arm(behavior)
    expect(started.behaviors.armed.list()).toMatchObject([{ id: 'once', matched: 0, fired: 0, left: 1 }])
    expect(await statuses(started, 2)).toEqual([500, 201])
  })

  test('a reset disarms all but the installed behaviors, and restarts the random numbers', async () => {
    const started = start()
    const [installed] = started.arm({ when: { probability: 0.5 }, do: { respond: { status: 500 } } })
    started.behaviors.armed.disarm()
    started.behaviors.armed.armPermanently([installed!.behavior])
    const before = await statuses(started, 10)
    started.arm({ do: { respond: { status: 503 } } })
    started.behaviors.reset()
    expect(started.behaviors.armed.list()).toMatchObject([{ id: 'behavior-1', matched: 0 }])
    expect(await statuses(started, 10)).toEqual(before)
  })

  test('installed behaviors replace only earlier installed ones', () => {
    const { behaviors, arm } = start()
    const [slow, first, second] = arm(
      { id: 'own', continue: true, do: { delay: '1s' } },
      { id: 'first', continue: true, do: { delay: '1s' } },
      { id: 'second', continue: true, do: { delay: '1s' } },
    ).map(({ behavior }) => behavior)
    behaviors.armed.disarm()
    behaviors.armed.armPermanently([first!])
    behaviors.armed.arm([slow!])
    behaviors.armed.armPermanently([second!])
    expect(behaviors.armed.list().map(({ id }) => id)).toEqual(['own', 'second'])
  })
})

test('at most 100 mistakes of a behavior are reported', () => {
  const { behaviors } = start()
  const keys = Array.from({ length: 200 }, (_, index) => [`k${index}`, 1])
  const fieldsOf = (given: object) => {
    try {
      behaviors.armed.arm(given as Written)
    } catch (error) {
      return (error as Error).message.split('\n')
    }
  }
  expect(fieldsOf({ do: { fault: 'reset' }, ...Object.fromEntries(keys) })).toHaveLength(100)
  const text = keys.map(([name]) => `\${${name}}`).join('')
  expect(fieldsOf({ when: { key: text }, do: { fault: 'reset' } })).toHaveLength(100)
})
