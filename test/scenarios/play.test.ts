import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { folderOf, play } from './playing.ts'
import { type Asked, KEY, service } from './service.ts'

const CHECKOUT = { id: 'chk_1', status: 'pending', amount: 1000, note: null, items: [{ id: 'a b' }] }
const created = () => ({ status: 201, json: CHECKOUT, headers: { location: '/v1/checkouts/chk_1' } })

/** A request without the headers that every request has. */
const sent = ({ method, target, headers, body }: Asked) => ({
  call: `${method} ${target}`,
  key: headers['idempotency-key'],
  body,
})

describe('requests', () => {
  test('use captured values in paths, bodies and keys', async () => {
    const { playAgainst, asked } = await service(created)
    const { code } = await playAgainst(
      `
name: n
steps:
  - id: first
    call: POST /v1/checkouts
    key: k-\${uuid:a}
    json: { amount: 10.50, ref: "\${uuid:a}", from: "\${env:SHOP_NAME}", plain: "$\${x}" }
    capture: { id: $.id, amount: $.amount, item: '$.items[0].id' }
  - call: POST /v1/checkouts/\${item}/refunds?of=\${id}
    json: { amount: "\${amount}", text: "of \${amount}", price: "$$\${amount}", plain: "$$$\${amount}" }
    expect: { status: 201 }
  - repeat: first
  - { call: POST /v1/checkouts, raw: "{ not json \${id}" }
  - { call: GET /v1/checkouts }
`,
      {},
      { env: { SHOP_NAME: 'shop' } },
    )
    expect(code).toBe(0)
    const uuid = asked[0]!.headers['idempotency-key']!.slice(2)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const first = {
      call: 'POST /v1/checkouts',
      key: `k-${uuid}`,
      body: `{"amount":10.5,"ref":"${uuid}","from":"shop","plain":"\${x}"}`,
    }
    expect(asked.map(sent)).toEqual([
      first,
      {
        call: 'POST /v1/checkouts/a%20b/refunds?of=chk_1',
        key: undefined,
        body: '{"amount":1000,"text":"of 1000","price":"$1000","plain":"$${amount}"}',
      },
      first,
      { call: 'POST /v1/checkouts', key: undefined, body: '{ not json chk_1' },
      { call: 'GET /v1/checkouts', key: undefined, body: '' },
    ])
    expect(asked[2]!.rawHeaders).toEqual(asked[0]!.rawHeaders)
  })

  test('have the API key by default, and can omit or repeat headers', async () => {
    const { playAgainst, asked } = await service(created)
    await playAgainst(`
name: n
steps:
  - call: GET /v1/checkouts
    header: { X-Sim: delay=2s, content-type: null }
  - call: GET /v1/checkouts
    header: { x-api-key: null, idempotency-key: [a, b] }
  - call: GET /v1/checkouts
    header: { X-Api-Key: wrong }
`)
    expect(asked[0]!.headers).toMatchObject({ 'x-api-key': KEY, 'x-sim': 'delay=2s' })
    expect(asked[0]!.headers).not.toHaveProperty('content-type')
    expect(asked[1]!.headers).not.toHaveProperty('x-api-key')
    expect(asked[1]!.rawHeaders.filter((name) => name === 'idempotency-key')).toHaveLength(2)
    expect(asked[2]!.headers['x-api-key']).toBe('wrong')
  })

  test('can have a sum with a captured value in the path', async () => {
    const { playAgainst, asked } = await service(() => ({
      status: 200,
      json: { count: 4 },
      headers: { 'retry-after': '2' },
    }))
    const { code } = await playAgainst(
      'name: n\nsteps:\n  - { call: GET /v1/a, capture: { n: $.count, wait: header.retry-after } }\n  - call: GET /v1/customers?limit=${n + wait * 2}&cursor=${n}\n',
    )
    expect(code).toBe(0)
    expect(asked.map(({ target }) => target)).toEqual(['/v1/a', '/v1/customers?limit=8&cursor=4'])
  })

  test('can follow a captured Location: a path, or an address of the target, but no other address', async () => {
    const address = await service(() => ({ status: 500 }))
    const { url, asked } = await service(({ target }) => ({
      status: 200,
      json: { id: 'a b' },
      headers: {
        location: { '/api/v1/a': '/api/v1/a/1?x=y', '/api/v1/b': `${url}/api/v1/b/1` }[target] ?? address.url,
      },
    }))
    const { code, out } = await play(
      `
name: n
steps:
  - { call: POST /v1/a, capture: { place: header.location } }
  - call: GET \${place}
  - { call: POST /v1/b, capture: { place: header.location, id: $.id } }
  - call: GET \${place}/lines/\${id}
  - each: [/v1/c, /v1/d?x=y]
    steps: [{ call: "GET \${item}", capture: { place: header.location } }]
  - call: GET \${place}
`,
      { target: `${url}/api`, apiKey: KEY },
    )
    expect(asked.map(({ target }) => target)).toEqual([
      ...['/api/v1/a', '/api/v1/a/1?x=y', '/api/v1/b', '/api/v1/b/1/lines/a%20b'],
      ...['/api/v1/c', '/api/v1/d?x=y'],
    ])
    expect(out).toContain(`The call is to "${address.url}", which is not at the target, ${url}`)
    expect(code).toBe(1)
    expect(address.asked).toEqual([])
  })

  test('fail with a sentence if the captured value is not a path, or a sum is not of numbers', async () => {
    const { playAgainst, asked } = await service(created)
    const { code, out } = await playAgainst({
      'a.yaml': 'name: a\nsteps:\n  - { call: POST /v1/a, capture: { id: $.id } }\n  - call: GET ${id}\n',
      'b.yaml':
        'name: b\nsteps:\n  - { call: POST /v1/a, capture: { id: $.id } }\n  - { call: POST /v1/a, json: { n: "${id + 1}" } }\n',
    })
    expect(out).toContain('The call is to "chk_1", which is neither a path that starts with / nor a URL')
    expect(out).toContain('${id + 1} has no value: "chk_1" is not a number')
    expect(code).toBe(1)
    expect(asked).toHaveLength(2)
  })

  test('can run in parallel, identical or different', async () => {
    const { playAgainst, asked } = await service((_, count) =>
      count % 5 === 1 ? created() : { status: 409, json: {} },
    )
    const { code, out } = await playAgainst(`
name: n
steps:
  - call: POST /v1/checkouts
    parallel: { count: 5 }
    expect: { status: { 201: 1, 4xx: 4 } }
  - parallel:
      steps:
        - { id: a, call: POST /v1/a, capture: { id: $.id }, expect: { status: 201 } }
        - { call: POST /v1/b, expect: { json: { id: { exists: false } }, status: 4xx } }
  - repeat: a
    expect: { status: 409 }
`)
    expect(out).toContain('✓ 1/3   POST /v1/checkouts × 5 → 1 × 201, 4 × 409')
    expect(out).toContain('✓ 2/3   2 steps in parallel → 1 × 201, 1 × 409')
    expect(code).toBe(0)
    expect(asked.map(({ target }) => target).slice(5)).toEqual(['/v1/a', '/v1/b', '/v1/a'])
  })
})

describe('expectations', () => {
  const expecting = async (expectation: string, reply = created()) => {
    const { playAgainst } = await service(() => reply)
    return playAgainst(`name: n\nsteps:\n  - call: POST /v1/checkouts\n${expectation}`)
  }

  test.each([
    ['nothing but success', ''],
    ['a status', '    expect: { status: 201 }'],
    ['a class of statuses', '    expect: { status: 2xx }'],
    ['a part of the body', '    expect: { json: { status: pending, items: [{}], amount: { gte: 1000 } } }'],
    [
      'the whole body',
      '    expect: { exact: true, json: { id: chk_1, status: pending, amount: 1000, note: null, items: [{ id: a b }] } }',
    ],
    ['headers', '    expect: { header: { Location: { regex: chk_1$ }, retry-after: { exists: false } } }'],
    ['an answer in time', '    expect: { within: 20s }'],
  ])('%s', async (_, expectation) => {
    expect(await expecting(expectation)).toMatchObject({ code: 0, err: '' })
  })

  test.each([
    ['not a success', '', 'status: expected 2xx, received 422', { status: 422 }],
    [
      'more than the whole',
      '    expect: { exact: true, json: { id: chk_1 } }',
      '$.status: expected nothing, received "pending"',
    ],
    [
      'nothing to capture',
      '    capture: { nope: $.nope }',
      '$.nope: expected a value to capture as nope, received nothing',
    ],
    [
      'a response instead of a reset',
      '    expect: { connection: reset }',
      'connection: expected reset, received 201',
    ],
  ])('fails with the difference: %s', async (_, expectation, difference, reply: object = {}) => {
    const { code, out } = await expecting(expectation, { ...created(), ...reply })
    expect(out).toContain(difference)
    expect(code).toBe(1)
  })

  test('fail for an answer that is late, and for other text', async () => {
    const { playAgainst } = await service(({ atMs }, count) => {
      while (performance.now() < atMs + 2);
      return { status: 200, text: `answer ${count}` }
    })
    const steps = (expectation: string) =>
      `name: n\nsteps:\n  - { id: it, call: GET /v1/r }\n  - { repeat: it, expect: { ${expectation} } }`
    expect((await playAgainst(steps('within: 1ms'))).out).toMatch(
      /within: expected within 1ms, received after \d+ms/,
    )
    expect((await playAgainst(steps('sameAs: it'))).out).toContain(
      'body: expected answer 3, received answer 4',
    )
  })

  test('cover the end of a connection, and the same bytes as before', async () => {
    const replies = [
      'reset',
      'close',
      'silence',
      created(),
      created(),
      { ...created(), text: '{"id": "chk_1"}' },
    ] as const
    const { playAgainst } = await service((_, count) => replies[count - 1]!)
    const { code, out } = await playAgainst(`
name: n
steps:
  - { id: it, call: POST /v1/checkouts, expect: { connection: reset } }
  - { repeat: it, expect: { connection: closed } }
  - { repeat: it, expect: { connection: timeout, within: 200ms } }
  - { id: whole, repeat: it }
  - { repeat: it, expect: { sameAs: whole } }
  - { repeat: it, expect: { sameAs: whole } }
`)
    expect(out).toContain('✓ 1/6   POST /v1/checkouts → reset')
    expect(out).toContain('✓ 2/6   repeat it → closed')
    expect(out).toContain('✓ 3/6   repeat it → timeout')
    expect(out).toContain('✓ 5/6   repeat it → 201')
    expect(out).toContain('✗ 6/6   repeat it → 201')
    expect(out).toContain('$.status: expected "pending", received nothing')
    expect(code).toBe(1)
  })

  test('eventually', async () => {
    const { playAgainst, asked } = await service((_, count) => ({
      status: 200,
      json: { status: count === 3 ? 'completed' : 'pending' },
    }))
    const step = (within: string) =>
      `name: n\nsteps:\n  - { call: GET /v1/r, eventually: { within: ${within}, every: 20ms }, expect: { json: { status: completed } } }`
    expect(await playAgainst(step('10s'))).toMatchObject({ code: 0 })
    expect(asked).toHaveLength(3)
    expect(await playAgainst(step('50ms'))).toMatchObject({ code: 1 })
  })

  test('until waits no longer than the patience for a real service', async () => {
    const { playAgainst } = await service(() => ({ status: 200, json: { status: 'pending' } }))
    const days =
      'name: n\nsteps:\n  - { call: GET /v1/r, until: { json: { status: completed }, within: 2d, every: 1h } }'
    const { out } = await playAgainst(days, { patience: { within: 50, every: 20 } })
    expect(out).toContain('$.status: expected "completed" within 50ms in real time, received "pending"')
  })
})

test('the first failure is shown as request, expected and received, and ends its file', async () => {
  const { playAgainst } = await service((asked) => ({
    ...created(),
    headers: { 'x-echo': asked.headers['x-api-key'] as string },
  }))
  const { code, out } = await playAgainst(`
name: A story
steps:
  - call: POST /v1/checkouts
    key: k-1
    json: { amount: 1 }
    expect: { status: 200, json: { status: confirmed, items: [{ id: c }], gone: 1 }, header: { location: /a } }
  - call: GET /v1/checkouts
`)
  expect(code).toBe(1)
  expect(out.replace(/^ +(date|connection|transfer-encoding|keep-alive|content-length): .*\n/gm, '')).toBe(
    `./it.yaml  A story
  ✗ 1/2   POST /v1/checkouts → 201

      request   POST /v1/checkouts
                x-api-key: ••••
                content-type: application/json
                idempotency-key: k-1
                {"amount":1}
      expected  {
                  "status": 200,
                  "json": {
                    "status": "confirmed",
                    "items": [
                      {
                        "id": "c"
                      }
                    ],
                    "gone": 1
                  },
                  "header": {
                    "location": "/a"
                  }
                }
      received  ✗ status 201
                  content-type: application/json
                  x-echo: ••••
                  {
                    "id": "chk_1",
                ✗   "status": "pending",
                    "amount": 1000,
                    "note": null,
                    "items": [
                      {
                ✗       "id": "a b"
                      }
                    ]
                  }
      differs   status: expected 200, received 201
                header location: expected "/a", received nothing
                $.status: expected "confirmed", received "pending"
                $.items[0].id: expected "c", received "a b"
                $.gone: expected 1, received nothing

  ./it.yaml     0/2  failed: step 1, POST /v1/checkouts

  1 failed`,
  )
})

describe('a service without a tester’s API', () => {
  const GOOD = 'name: good\nsteps:\n  - call: GET /v1/checkouts\n'

  test('steps that need a tester are skipped with the reason, and an advance becomes real waiting', async () => {
    const { playAgainst, asked } = await service((_, count) => ({
      status: 200,
      json: { status: count > 2 ? 'completed' : 'pending' },
    }))
    const { code, out } = await playAgainst(
      `
name: n
steps:
  - { id: a, call: POST /v1/refunds, key: k }
  - sim: { advance: 1d }
  - { sim: { approve: chk_1 }, capture: { method: $.id } }
  - webhook: { type: refund.completed }
  - ledger: { refunds: 1 }
  - outbox: { channel: email }
  - { call: "GET /v1/refunds/1", expect: { json: { status: completed } } }
  - { call: "GET /v1/x/\${method}" }
`,
      { patience: { within: 10_000, every: 10 } },
    )
    expect(out).toMatchInlineSnapshot(`
      "./it.yaml  n
        ✓ 1/8   POST /v1/refunds → 200
        – 2/8   sim advance 1d: skipped, as only a tester can do that
        – 3/8   sim approve chk_1: skipped, as only a tester can do that
        – 4/8   webhook refund.completed: skipped, as only a tester can set the webhook endpoint
        – 5/8   ledger: skipped, as only a tester can see the ledger
        – 6/8   outbox: skipped, as only a tester can see the outbox
        ✓ 7/8   GET /v1/refunds/1 → 200
        – 8/8   GET /v1/x/\${method}: skipped, as it needs \${method}, which is captured by a skipped step

        ./it.yaml     2/8  passed, 6 of 8 steps were skipped

        1 passed (6 of 8 steps were skipped)"
    `)
    expect(code).toBe(0)
    expect(asked).toHaveLength(3)
  })

  test('a replay ends the waiting, and the first response counts', async () => {
    const { playAgainst, asked } = await service((_, count) => ({
      status: count === 1 ? 409 : 200,
      ...(count > 2 && { headers: { 'idempotent-replayed': 'true' } }),
    }))
    const file =
      'name: n\nsteps:\n  - sim: { advance: 1d }\n  - { call: POST /v1/refunds, key: k, expect: { status: 201 } }\n'
    const { out } = await playAgainst(file, { patience: { within: 10_000, every: 10 } })
    expect(out).toContain('status: expected 201, received 200')
    expect(out).not.toContain('idempotent-replayed')
    expect(asked).toHaveLength(3)
  })

  test('a file that needs behaviors is skipped with the reason', async () => {
    const { playAgainst, asked } = await service(created)
    const { code, out } = await playAgainst({
      'a.yaml': `${GOOD}behaviors:\n  - do: { fault: reset }\n`,
      'b.yaml': `${GOOD}  - sim: { arm: [{ do: { hold: a } }] }\n`,
      'c.yaml': `${GOOD}sandbox: { requireApproval: true }\n`,
      'd.yaml': `name: behaviors alone\nbehaviors:\n  - do: { fault: reset }\n`,
      'e.yaml': GOOD,
    })
    expect(out).toContain("./a.yaml     0/1  skipped: it needs behaviors, which requires the tester's API")
    expect(out).toContain(
      "./c.yaml     0/1  skipped: it needs requireApproval, which requires the tester's API",
    )
    expect(out).toContain('./d.yaml     0/0  skipped: it has no steps to play')
    expect(out).toContain('1 passed, 4 skipped')
    expect(code).toBe(0)
    expect(asked).toHaveLength(1)
  })

  test('after a 429 that no step expects, the run prints that it waits, and sends again', async () => {
    const { playAgainst, asked } = await service((_, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '0' } } : created(),
    )
    expect(await playAgainst(GOOD)).toMatchObject({
      code: 0,
      err: '  the target responded 429: retrying in 0 s',
    })
    expect(asked).toHaveLength(2)
    const limited = await service(() => ({ status: 429, headers: { 'retry-after': '0' } }))
    await play(`name: n\nsteps:\n  - { call: GET /v1/a, expect: { status: 429 } }`, {
      target: limited.url,
      apiKey: KEY,
    })
    expect(limited.asked).toHaveLength(1)
  })
})

describe('options of a run', () => {
  const GOOD = 'name: good\nsteps:\n  - call: GET /v1/checkouts\n'
  const BAD = 'name: bad\nsteps:\n  - { call: GET /v1/checkouts, expect: { status: 418 } }\n'
  const FILES = { 'a.yaml': GOOD, 'b.yaml': BAD, 'c.yaml': GOOD }

  test('--bail stops after the first failure, --filter selects', async () => {
    const { url, asked } = await service(created)
    const target = { target: url, apiKey: KEY }
    expect((await play(FILES, { ...target, bail: true })).out).toContain('1 passed, 1 failed')
    expect((await play(FILES, { ...target, filter: 'good' })).out).toContain('2 passed')
    expect((await play(FILES, { ...target, filter: 'b.yaml' })).out).toContain('1 failed')
    expect(asked).toHaveLength(5)
    expect(await play(FILES, { ...target, filter: 'zzz' })).toMatchObject({
      code: 2,
      err: "No scenario's path or name contains zzz.",
    })
  })

  test('an unreadable file fails with its mistakes, and the other files run', async () => {
    const { url, asked } = await service(created)
    const files = { 'a.yaml': GOOD, 'b.yaml': 'name: 1\n', 'c.yaml': '[' }
    const target = { target: url, apiKey: KEY }
    const folder = await folderOf({})
    const reports = [`json=${folder}/r.json`, `junit=${folder}/r.xml`]
    const { code, out, err } = await play(files, { ...target, reports })
    expect(code).toBe(2)
    expect(err.split('\n').map((line) => line.slice(0, 12))).toEqual(['./b.yaml:1:7', './c.yaml:1:2'])
    expect(out).toContain('./a.yaml     1/1  passed')
    expect(out).toContain('1 passed, 2 failed')
    expect(asked).toHaveLength(1)
    const json = JSON.parse(await readFile(`${folder}/r.json`, 'utf8'))
    expect(json.files.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'failed',
      'failed',
      'passed',
    ])
    expect(await readFile(`${folder}/r.xml`, 'utf8')).toMatch(
      /b\.yaml.*<failure type="error" message="[^"]*b\.yaml:1:7/,
    )

    expect((await play({ 'c.yaml': '[' }, target)).code).toBe(2)
  })

  test('amounts are shown as received', async () => {
    const { playAgainst } = await service(() => ({
      status: 200,
      text: '{"amount":1.00,"fees":[{"amount":2.50}],"n":1e2}',
    }))
    const { out } = await playAgainst(
      'name: n\nsteps:\n  - { call: GET /v1/a, expect: { json: { amount: 2, fees: [{ amount: 2 }] } } }\n',
    )
    expect(out).toContain('✗   "amount": 1.00,')
    expect(out).toContain('✗       "amount": 2.50')
    expect(out).toContain('"n": 1e2')
    expect(out).toContain('$.amount: expected 2, received 1.00')
    expect(out).toContain('$.fees[0].amount: expected 2, received 2.50')
  })

  test('of several responses, one with an unexpected status is shown', async () => {
    const { playAgainst } = await service((_, count) => ({
      status: count === 1 ? 409 : 201,
      json: { count },
    }))
    const { out } = await playAgainst(
      'name: n\nsteps:\n  - { call: POST /v1/a, parallel: { count: 3 }, expect: { status: { 201: 1, 409: 2 } } }\n',
    )
    expect(out).toContain('status: expected 1 × 201, 2 × 409, received')
    expect(out).toMatch(/✗ status 201/)
  })

  test.each([
    [{ target: 'localhost' }, '--target must be an http or https URL, not "localhost".'],
    [{ compare: true }, 'Missing --target URL to compare with.'],
    [{ apiKey: KEY }, 'Missing --target URL for --api-key.'],
    [{ reports: ['xml=a'] }, '--report must be junit=FILE, json=FILE or html=FILE, not "xml=a".'],
    [{ reports: ['json'] }, '--report must be junit=FILE, json=FILE or html=FILE, not "json".'],
  ])('an invalid option gets one sentence: %j', async (options, sentence) => {
    expect(await play(GOOD, options)).toMatchObject({ code: 2, err: sentence, out: '' })
  })

  test('an address where no server is listening', async () => {
    expect(await play(GOOD, { target: 'http://127.0.0.1:1', apiKey: KEY })).toMatchObject({
      code: 1,
      err: 'http://127.0.0.1:1 cannot be reached: ECONNREFUSED',
    })
  })

  test('an environment variable that is not set', async () => {
    const { playAgainst } = await service(created)
    const { out } = await playAgainst('name: n\nsteps:\n  - { call: "GET /v1/${env:NOPE}" }')
    expect(out).toContain('because   The environment variable NOPE is not set.')
  })
})

test("a scenario's profile extends the profile of the run, and takes precedence", async () => {
  const { code, out } = await play(
    `
name: n
sandbox: { profile: { ids: { length: 12 } } }
steps:
  - call: POST /v1/customers
    json: { externalId: acme }
    expect: { json: { id: { regex: ^cli-, length: 16 } } }
`,
    { profile: { ids: { prefixes: { customer: 'cli-' }, length: 20 } } },
  )
  expect(out).toContain('passed')
  expect(code).toBe(0)
})

test('`status: any` matches any response, but not a broken connection', async () => {
  const { code, out } = await play(`
name: n
behaviors:
  - { id: cut, when: { op: customers.list }, do: { fault: reset, at: before } }
steps:
  - { call: GET /v1/refunds/unknown, expect: { status: any } }
  - { call: POST /v1/customers, json: { externalId: acme }, expect: { status: any } }
  - { call: GET /v1/customers, expect: { status: any } }
`)
  expect(out).toContain('✗ 3/3   GET /v1/customers → reset')
  expect(code).toBe(1)
})
