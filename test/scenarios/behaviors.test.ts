import { describe, expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { NOW, start, type Written } from './start.ts'

const create = { json: ORDER }

/** The statuses of so many creates, one after the other. */
async function statuses(
  { call }: ReturnType<typeof start>,
  count: number,
  more: object = {},
): Promise<number[]> {
  const found: number[] = []
  for (let n = 0; n < count; n += 1) {
    found.push((await call('POST /v1/checkouts', { json: { ...ORDER, ...more } })).status)
  }
  return found
}

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

  test('attempt is the nth call that matches otherwise', async () => {
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

  test('probability is drawn from the seed, and changes no id', async () => {
    const behavior = { when: { probability: 0.5 }, do: { respond: { status: 500 } } } as const
    const one = start()
    one.arm(behavior)
    const same = start()
    same.arm(behavior)
    const other = start({ seed: 8 })
    other.arm(behavior)
    const [drawn, again, elsewhere] = [
      await statuses(one, 40),
      await statuses(same, 40),
      await statuses(other, 40),
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
  test('times, skip and the order of the file', async () => {
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

  test('also lets those after it act too', async () => {
    const { arm, call, parked, sandbox, journal } = start()
    arm(
      { id: 'slow', also: true, do: { delay: '5s' } },
      { id: 'down', times: 9, do: { respond: { status: 503 } } },
      { id: 'never', do: { respond: { status: 500 } } },
    )
    const answer = call('POST /v1/checkouts', create)
    await parked(1)
    await sandbox.agenda.advanceTo(() => NOW + 5_000)
    expect((await answer).status).toBe(503)
    expect(journal()[0]?.behaviors).toEqual([
      { behavior: 'slow', did: 'waits 5s', fired: true, why: 'match 1, acting 1' },
      { behavior: 'down', did: 'answers 503', fired: true, why: 'match 1, acting 1 of 9' },
      { behavior: 'never', did: 'answers 500', fired: false, why: 'match 1, but down acts first' },
    ])
  })

  test('ttl ends on the sandbox clock', async () => {
    const started = start()
    started.arm({ ttl: '1m', do: { respond: { status: 500 } } })
    expect(await statuses(started, 1)).toEqual([500])
    await started.sandbox.agenda.advanceTo(() => NOW + 59_999)
    expect(await statuses(started, 1)).toEqual([500])
    await started.sandbox.agenda.advanceTo(() => NOW + 60_000)
    expect(await statuses(started, 1)).toEqual([201])
  })

  test('scope key counts what has no key by method, path and body', async () => {
    const { arm, call } = start()
    arm({ when: { call: 'POST /v1/**' }, scope: 'key', times: 1, do: { respond: { status: 500 } } })
    const found: number[] = []
    for (const amount of [100, 100, 200, 200])
      found.push((await call('POST /v1/checkouts', { json: { ...ORDER, amount } })).status)
    expect(found).toEqual([500, 201, 500, 201])
  })

  test('scope key counts for each Idempotency-Key', async () => {
    const { arm, call } = start()
    arm({ scope: 'key', times: 1, do: { respond: { status: 500 } } })
    const found: number[] = []
    for (const key of ['a', 'a', 'b', 'b'])
      found.push((await call('POST /v1/checkouts', { ...create, key })).status)
    expect(found).toEqual([500, 201, 500, 201])
  })

  test('scope ip counts for each address', async () => {
    const { arm, call } = start({ trustProxy: true })
    arm({ scope: 'ip', times: 1, do: { respond: { status: 500 } } })
    const from = async (ip: string) =>
      (await call('GET /v1/checkouts', { headers: { 'x-forwarded-for': ip } })).status
    expect([await from('10.0.0.1'), await from('10.0.0.1'), await from('10.0.0.2')]).toEqual([500, 200, 500])
  })

  test('scope resource counts for each checkout', async () => {
    const { arm, call, createCheckout } = start()
    const [a, b] = [await createCheckout(), await createCheckout()]
    arm({ scope: 'resource', times: 1, do: { respond: { status: 500 } } })
    const read = async (id: string) => (await call(`GET /v1/checkouts/${id}`)).status
    expect([await read(a), await read(a), await read(b), await read(b)]).toEqual([500, 200, 500, 200])
  })

  test('scope op counts for each operation', async () => {
    const { arm, call } = start()
    arm({ scope: 'op', times: 1, do: { respond: { status: 500 } } })
    const ask = async (path: string) => (await call(path)).status
    const asked = ['GET /v1/checkouts', 'GET /v1/checkouts', 'GET /v1/refunds', 'GET /v1/refunds']
    const found: number[] = []
    for (const one of asked) found.push(await ask(one))
    expect(found).toEqual([500, 200, 500, 200])
  })

  test('of 100 callers at once, times: 1 hits exactly one, a hundred times over', async () => {
    const { arm, send, behaviors } = start()
    for (let round = 0; round < 100; round += 1) {
      arm({ id: 'once', times: 1, do: { respond: { status: 503 } } })
      const answers = await Promise.all(Array.from({ length: 100 }, () => send('GET /v1/checkouts')))
      expect(answers.filter(({ status }) => status === 503)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(99)
      expect(behaviors.armed.list()).toMatchObject([{ matched: 100, fired: 1, left: 0 }])
    }
  })
})

test('times: 1 hits one of a hundred callers on as many connections', async () => {
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

describe('the journal has', () => {
  test('which behavior acted, and how often it has', async () => {
    const { arm, call, journal } = start()
    arm({ id: 'flaky', times: 2, do: { respond: { status: 500 } } })
    await call('POST /v1/checkouts', create)
    expect(journal()[0]).toMatchObject({
      step: 'behaviors',
      status: 500,
      behaviors: [{ behavior: 'flaky', did: 'answers 500', fired: true, why: 'match 1, acting 1 of 2' }],
    })
  })

  test.each([
    [{ when: { json: { amount: { lt: 5 } } } }, '$.amount is 1000, not less than 5'],
    [{ when: { key: 'other' } }, 'the Idempotency-Key is "k"'],
    [{ when: { query: { a: 1 } } }, "the query's a is not there"],
    [{ when: { header: { 'x-api-key': 'other' } } }, 'the header x-api-key is another one'],
    [{ when: { attempt: 2 } }, 'match 1, and attempt is 2'],
    [{ skip: 1 }, 'match 1 of the 1 that it skips'],
    [{ ttl: '0s' }, 'its ttl of 0s has passed'],
    [{ when: { probability: 0 } }, /^match 1, and 0\.\d{3} was drawn, not below 0$/],
  ] as const)('why one nearly did: %j', async (given, why) => {
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

  test('nothing at all where nothing is armed', async () => {
    const { call, journal } = start()
    await call('POST /v1/checkouts', create)
    expect(journal()[0]?.behaviors).toEqual([])
  })
})

describe('arming', () => {
  test('a behavior without an id gets one, and can be disarmed by it', async () => {
    const started = start()
    started.arm({ times: 9, do: { respond: { status: 500 } } }, { do: { respond: { status: 503 } } })
    expect(started.behaviors.armed.list().map(({ id }) => id)).toEqual(['behavior-1', 'behavior-2'])
    expect(started.behaviors.armed.disarm('behavior-1')).toBe(true)
    expect(started.behaviors.armed.disarm('behavior-1')).toBe(false)
    expect(await statuses(started, 1)).toEqual([503])
    expect(started.behaviors.armed.disarm()).toBe(true)
    expect(await statuses(started, 1)).toEqual([201])
  })

  test('the same id again replaces the behavior and counts from zero', async () => {
    const started = start()
    const behavior = { id: 'once', times: 1, do: { respond: { status: 500 } } }
    started.arm(behavior)
    expect(await statuses(started, 2)).toEqual([500, 201])
    started.arm(behavior)
    expect(started.behaviors.armed.list()).toMatchObject([{ id: 'once', matched: 0, fired: 0, left: 1 }])
    expect(await statuses(started, 2)).toEqual([500, 201])
  })

  test('a reset disarms all but the installed behaviors, and draws from the seed again', async () => {
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

  test('installed behaviors replace those installed before, and no others', () => {
    const { behaviors, arm } = start()
    const [own, first, second] = arm(
      { id: 'own', also: true, do: { delay: '1s' } },
      { id: 'first', also: true, do: { delay: '1s' } },
      { id: 'second', also: true, do: { delay: '1s' } },
    ).map(({ behavior }) => behavior)
    behaviors.armed.disarm()
    behaviors.armed.armPermanently([first!])
    behaviors.armed.arm([own!])
    behaviors.armed.armPermanently([second!])
    expect(behaviors.armed.list().map(({ id }) => id)).toEqual(['own', 'second'])
  })
})

test('at most 100 mistakes of a behavior are told', () => {
  const { behaviors } = start()
  const keys = Array.from({ length: 200 }, (_, index) => [`k${index}`, 1])
  const told = (given: object) => {
    try {
      behaviors.armed.arm(given as Written)
    } catch (error) {
      return (error as Error).message.split('\n')
    }
  }
  expect(told({ do: { fault: 'reset' }, ...Object.fromEntries(keys) })).toHaveLength(100)
  const text = keys.map(([name]) => `\${${name}}`).join('')
  expect(told({ when: { key: text }, do: { fault: 'reset' } })).toHaveLength(100)
})

describe('a behavior that an earlier one leaves nothing for is refused', () => {
  const all = { id: 'all', do: { respond: { status: 500 } } } as const
  const creates = {
    id: 'creates',
    when: { op: 'checkouts.create' },
    do: { respond: { status: 503 } },
  } as const
  const calls = {
    id: 'calls',
    when: { call: 'POST /v1/checkouts/{id}/refunds' },
    do: { fault: 'reset' },
  } as const
  const told = { id: 'told', when: { event: 'refund.created' }, do: { webhook: { drop: true } } } as const

  test.each<[string, Written, Written]>([
    ['any request', all, creates],
    ['the same conditions', creates, { ...creates, id: 'again', times: 1 }],
    [
      'one condition less',
      creates,
      { ...creates, id: 'large', when: { ...creates.when, json: { amount: 5 } } },
    ],
    ['every operation of a resource', { ...creates, when: { op: 'checkouts.*' } }, { ...creates, id: 'one' }],
    ['every call', { ...calls, when: { call: '* /v1/**' } }, creates],
    ['every call below a path', { ...calls, when: { call: '* /v1/checkouts/**' } }, { ...calls, id: 'one' }],
    ['any segment', { ...calls, when: { call: 'POST /v1/*/*/refunds' } }, { ...calls, id: 'one' }],
    ['every event of a resource', { ...told, when: { event: 'refund.*' } }, { ...told, id: 'one' }],
  ])('%s', (_, earlier, later) => {
    const { arm, behaviors } = start()
    arm(earlier)
    const why = `can never act: ${earlier.id} before it acts on all that it is about`
    expect(() => arm(later)).toThrow(`behaviors.0 ${why}`)
    expect(behaviors.armed.list().map(({ id }) => id)).toEqual([earlier.id])
    expect(() => arm({ ...earlier, id: 'x' }, { ...later, id: 'y' })).toThrow('behaviors[1] can never act: x')
  })

  test.each<[string, Written, Written]>([
    ['a limit', { ...all, times: 1 }, creates],
    ['an end', { ...all, ttl: '1m' }, creates],
    ['a beginning', { ...all, skip: 1 }, creates],
    ['chance', { ...all, when: { probability: 0.5 } }, creates],
    ['an attempt', { ...all, when: { attempt: 1 } }, creates],
    ['also', { ...all, also: true }, creates],
    ['another place', all, told],
    ['another condition', { ...all, when: { key: 'k' } }, creates],
    ['a longer path', { ...calls, when: { call: 'POST /v1/*' } }, calls],
    [
      'one segment for the rest',
      { ...calls, when: { call: 'GET /v1/*' } },
      { ...calls, when: { call: 'GET /v1/**' } },
    ],
  ])('not where the earlier one has %s', (_, earlier, later) => {
    expect(start().arm(earlier, { ...later, id: 'later' })).toHaveLength(2)
  })
})

describe('precedence', () => {
  const magic = { json: { ...ORDER, orderId: 'sim:500:precedence' } }

  test('header, then behavior, then magic value, then default', async () => {
    const { arm, call, behaviors } = start()
    arm({ id: 'behavior', times: 1, do: { respond: { status: 502 } } })
    const status = async (sim?: string) =>
      (await call('POST /v1/checkouts', { ...magic, ...(sim !== undefined && { sim }) })).status
    expect(await status('respond=503')).toBe(503)
    expect(behaviors.armed.list()).toMatchObject([{ matched: 0 }])
    expect(await status()).toBe(502)
    expect(await status()).toBe(500)
    expect(await status()).toBe(201)
  })
})

describe('magic orders', () => {
  test('meet their outcomes one after the other', async () => {
    const started = start()
    expect(await statuses(started, 4, { orderId: 'sim:500,503,ok:a' })).toEqual([500, 503, 201, 201])
    expect(await statuses(started, 1, { orderId: 'sim:500,503,ok:b' })).toEqual([500])
    expect(started.journal().map(({ behaviors }) => behaviors)).toEqual([
      [{ behavior: 'orderId sim:500,503,ok:a', did: 'answers 500', fired: true, why: 'outcome 1 of 3' }],
      [{ behavior: 'orderId sim:500,503,ok:a', did: 'answers 503', fired: true, why: 'outcome 2 of 3' }],
      [],
      [],
      [{ behavior: 'orderId sim:500,503,ok:b', did: 'answers 500', fired: true, why: 'outcome 1 of 3' }],
    ])
  })

  test('leave the key free, so a retry with the same key gets through and is replayed', async () => {
    const { call } = start()
    const sent = { json: { ...ORDER, orderId: 'sim:500,500:retry' }, key: 'k' }
    const answers = []
    for (let n = 0; n < 4; n += 1) answers.push(await call('POST /v1/checkouts', sent))
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 201, 201])
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
      null,
      null,
      null,
      'true',
    ])
    expect(answers[3]?.text).toBe(answers[2]?.text)
  })

  test('may lose the answer', async () => {
    const { send, call } = start()
    const sent = { json: { ...ORDER, orderId: 'sim:reset,timeout,close:x' } }
    for (const kind of ['reset', 'hang', 'close']) {
      await expect(send('POST /v1/checkouts', sent)).rejects.toMatchObject({ kind })
    }
    expect((await call('POST /v1/checkouts', sent)).status).toBe(201)
  })

  test.each([' sim:500:x', 'simulator', 'SIM:500:x'])('%j is an ordinary order', async (orderId) => {
    expect(await statuses(start(), 1, { orderId })).toEqual([201])
  })

  test.each([
    ['sim:', ''],
    ['sim:500', ''],
    ['sim:500:', ''],
    ['sim::x', ', not ""'],
    ['sim:200:x', ', not "200"'],
    ['sim:600:order', ', not "600"'],
    ['sim:500,:x', ', not ""'],
    ['sim:timeot,ok:order', ', not "timeot"; did you mean timeout?'],
  ])('%j is refused with the right form, and nothing is created', async (orderId, mistake) => {
    const { call, sandbox } = start()
    const refused = await call('POST /v1/checkouts', { json: { ...ORDER, orderId }, key: 'k' })
    expect(refused.status).toBe(400)
    expect(refused.json.message).toBe(
      `Invalid field: orderId must be sim:, outcomes with commas between, a colon and a name, as in sim:500,ok:order-1; an outcome is ok, timeout, reset, close or a status from 400 to 599${mistake}`,
    )
    expect(sandbox.committedStore().checkouts.count()).toBe(0)
    const corrected = await call('POST /v1/checkouts', { json: ORDER, key: 'k' })
    expect(corrected.status).toBe(201)
  })

  test('authorizations have an orderId too', async () => {
    const { call } = start()
    await call('POST /v1/customers', { json: { externalId: 'acme' } })
    const sent = { json: { amount: 10, externalId: 'acme', orderId: 'sim:429:a' } }
    expect((await call('POST /v1/authorizations', sent)).status).toBe(429)
    expect((await call('POST /v1/authorizations', sent)).status).toBe(201)
  })
})
