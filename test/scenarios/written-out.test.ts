/** `each`, `use` and `cases`: the steps that they play, and the messages for mistakes in them. */
import { describe, expect, test } from 'vitest'
import { lintFiles } from '../../src/sandbox/scenario-file/lint.ts'
import { parseScenario, parseScenarios } from '../../src/sandbox/scenario-file/read.ts'
import { mistakesIn, problemsOf } from './mistakes.ts'
import { folderOf } from './playing.ts'
import { type Asked, service } from './service.ts'

const created = (asked: Asked, count: number) => ({
  status: 201,
  json: { id: `chk_${count}`, amount: 0.3, asked: asked.target },
})

/** Plays against a temporary service; returns each request as one line. */
async function sent(scenarios: string | Record<string, string>) {
  const { playAgainst, asked } = await service(created)
  const shown = await playAgainst(scenarios)
  const lines = asked.map(({ method, target, headers, body }) =>
    [method, target, headers['idempotency-key'], body].filter(Boolean).join(' '),
  )
  return { ...shown, lines }
}

describe('each', () => {
  test('iterates over a range, a list and a table, in order', async () => {
    const { lines, out, code } = await sent(`
name: n
steps:
  - each: 1..3
    steps:
      - { call: "GET /v1/checkouts?limit=\${item}&cursor=\${i}" }
  - each: [a b, "\${uuid:x}"]
    steps:
      - { call: "GET /v1/customers/\${item}", key: "k-\${item}" }
  - each: [{ amount: 0.1, status: 201 }, { amount: 10, status: 2xx }]
    steps:
      - call: POST /v1/checkouts
        key: order-\${i + 1}
        json: { amount: "\${item.amount}", more: "\${item.amount + 0.2}", less: "\${(item.amount - 0.05) * 2}" }
        expect: { status: "\${item.status}" }
`)
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(lines.slice(0, 4)).toEqual([
      'GET /v1/checkouts?limit=1&cursor=0',
      'GET /v1/checkouts?limit=2&cursor=1',
      'GET /v1/checkouts?limit=3&cursor=2',
      'GET /v1/customers/a%20b k-a b',
    ])
    expect(lines[4]).toMatch(/^GET \/v1\/customers\/([0-9a-f-]{36}) k-\1$/)
    expect(lines.slice(5)).toEqual([
      'POST /v1/checkouts order-1 {"amount":0.1,"more":0.3,"less":0.1}',
      'POST /v1/checkouts order-2 {"amount":10,"more":10.2,"less":19.9}',
    ])
    expect(out).toContain('✓ 1/3   each of 1..3 → 3 steps')
    expect(out).not.toContain('GET /v1')
  })

  test('sends different requests in parallel inside `parallel`', async () => {
    const { lines, out, code } = await sent(`
name: n
steps:
  - parallel:
      each: 1..20
      steps:
        - { call: POST /v1/refunds, key: "r-\${item}", json: { amount: "\${item * 0.5}" } }
    expect: { status: { 201: 20 } }
`)
    expect(code).toBe(0)
    expect(new Set(lines).size).toBe(20)
    expect(lines).toContain('POST /v1/refunds r-7 {"amount":3.5}')
    expect(out).toContain('20 steps in parallel → 20 × 201')
  })

  test('inside each has its own inner item', async () => {
    const { lines } = await sent(`
name: n
steps:
  - each: [{ rows: [1, 2] }, { rows: [3] }]
    steps:
      - each: \${item.rows}
        steps:
          - call: GET /v1/checkouts/\${item}
`)
    expect(lines).toEqual(['GET /v1/checkouts/1', 'GET /v1/checkouts/2', 'GET /v1/checkouts/3'])
  })

  test('a failed step is shown by its place, and the remaining steps do not run', async () => {
    const { out, code, lines } = await sent(`
name: n
steps:
  - each: [201, 404, 201]
    steps:
      - { call: GET /v1/checkouts, expect: { status: "\${item}" } }
  - call: GET /v1/customers
`)
    expect(code).toBe(1)
    expect(lines).toHaveLength(2)
    expect(out).toContain('✗ 1.2   GET /v1/checkouts → 201')
    expect(out).toContain('1.2, with the item 404: expected to pass, received 201')
  })
})

describe('use', () => {
  const SETUPS = `
name: Setups
setups:
  checkout:
    values: { amount: 1000.00, order: null }
    steps:
      - id: create
        call: POST /v1/checkouts
        json: { orderId: "\${order}", amount: "\${amount}" }
        capture: { checkout: $.id }
      - call: POST /v1/checkouts/\${checkout}/confirm
`

  test('plays a setup of the file, with its values, as often as it is used', async () => {
    const { lines, out, code } = await sent(`${SETUPS}
  both:
    steps:
      - { use: checkout, with: { order: first } }
      - { use: checkout, with: { order: "\${checkout}", amount: 2 }, capture: { second: $.checkout } }
steps:
  - use: both
  - call: GET /v1/checkouts/\${second}
`)
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(lines).toEqual([
      'POST /v1/checkouts {"orderId":"first","amount":1000}',
      'POST /v1/checkouts/chk_1/confirm',
      'POST /v1/checkouts {"orderId":"chk_1","amount":2}',
      'POST /v1/checkouts/chk_3/confirm',
      'GET /v1/checkouts/chk_3',
    ])
    expect(out).toContain('✓ 1/2   use both → 2 steps')
  })

  test('plays a setup of another file; a file with only setups is not played', async () => {
    const { lines, out, code } = await sent({
      'setups.yaml': SETUPS,
      'it.yaml': 'name: n\nsteps:\n  - { use: setups.yaml#checkout, with: { order: o-1 } }\n',
    })
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(lines).toHaveLength(2)
    expect(out).toContain('1 passed')
    expect(out).not.toContain('Setups')
  })

  test('a mistake in another file is reported with its place there', async () => {
    const path = await folderOf({
      'setups.yaml': SETUPS.replace('$.id', 'id').replace('confirm', 'confrim'),
      'it.yaml': 'name: n\nsteps:\n  - { use: setups.yaml#checkout, with: { order: o-1 } }\n',
    })
    const { problems } = await lintFiles([`${path}/it.yaml`])
    expect(problems.map(({ file, line, message }) => [file.slice(path.length + 1), line, message])).toEqual([
      [
        'setups.yaml',
        10,
        'setups.checkout.steps[0].capture.checkout must be a path such as $.id, $.data[0].id, $.data[*].id or header.location, not "id"',
      ],
      [
        'setups.yaml',
        11,
        expect.stringMatching(
          /^setups\.checkout\.steps\[1\]\.call is not an endpoint; did you mean .*confirm\?$/,
        ),
      ],
    ])
  })

  test('a setup without steps in another file is reported there', async () => {
    const path = await folderOf({
      'setups.yaml': 'name: n\nsetups:\n  a: { stps: [{ call: GET /v1/checkouts }] }\n',
      'it.yaml': 'name: n\nsteps:\n  - use: setups.yaml#a\n',
    })
    const { problems } = await lintFiles([`${path}/it.yaml`])
    expect(problems.map(({ file, line, message }) => [file.slice(path.length + 1), line, message])).toEqual([
      ['setups.yaml', 3, 'setups.a.steps is missing'],
    ])
  })

  test('a text without a file cannot read files', () => {
    expect(problemsOf('name: n\nsteps:\n  - use: /etc/hostname#x\n')).toEqual([
      'f.yaml:3:10: steps[0].use names /etc/hostname, but a text without a file can use only its own setups',
    ])
  })
})

describe('cases', () => {
  const CASES = `
name: Statuses
cases:
  - { name: good, status: 201, delay: 2s }
  - { name: bad, status: 404, delay: 1s }
behaviors:
  - { optional: true, do: { delay: "\${delay}" } }
steps:
  - { call: GET /v1/checkouts, expect: { status: "\${status}" } }
`

  test('play the steps once for each case, and are reported by name', async () => {
    const { lines, out, code } = await sent(
      CASES.replace(/behaviors[^s]*steps/s, 'steps').replace(/behaviors:\n.*\n/, ''),
    )
    expect(lines).toHaveLength(2)
    expect(code).toBe(1)
    expect(out).toContain('it.yaml  Statuses: good')
    expect(out).toMatch(/it\.yaml, good +1\/1 {2}passed/)
    expect(out).toMatch(/it\.yaml, bad +0\/1 {2}failed: step 1, GET/)
    expect(out).toContain('1 passed, 1 failed')
  })

  test('can be used in sums with captured values, also below zero, and with dashes in field names', async () => {
    const { lines } = await sent(`
name: n
cases: [{ name: less, delta: -0.01 }, { name: more, delta: 0.01 }]
steps:
  - { call: POST /v1/checkouts, json: {}, capture: { order: $ } }
  - { call: POST /v1/checkouts, json: { amount: "\${order.amount + delta}", or: "\${order.amount * -2}" } }
`)
    expect(lines).toEqual([
      expect.stringContaining('{}'),
      expect.stringContaining('{"amount":0.29,"or":-0.6}'),
      expect.stringContaining('{}'),
      expect.stringContaining('{"amount":0.31,"or":-0.6}'),
    ])
    const [bound] = parseScenarios(`
name: n
cases: [{ name: one, delta: 1 }]
steps:
  - { call: GET /v1/checkouts, capture: { order: $ } }
  - { call: GET /v1/checkouts, expect: { json: { a: "\${order.unit-price[0] + delta}" } } }
`)
    expect(bound).toMatchObject({ steps: [{}, { expect: { json: { a: '${order.unit-price[0] + 1}' } } }] })
  })

  test('give their values to behaviors as well', () => {
    const scenarios = parseScenarios(CASES)
    expect(scenarios.map(({ behaviors }) => behaviors?.[0]?.do)).toEqual([{ delay: 2000 }, { delay: 1000 }])
    expect(parseScenario(CASES).case).toBe('good')
  })
})

describe('every mistake has its place and a suggestion', () => {
  test.each<[string, unknown[]]>([
    [
      'name: n\nsteps:\n  - { each: [{ a: x }, {}, {}, {}, {}, {}, {}, {}], steps: [{ call: GET /v1/checkouts, key: "${item.a}" }] }\n',
      [expect.stringMatching(/but item has no a \(row 2\)$/)],
    ],
    [
      'name: n\nsteps:\n  - { each: 1..1000, steps: [{ each: 1..1000, steps: [{ call: GET /v1/checkouts }] }] }\n',
      [expect.stringContaining('is one step too many')],
    ],
    ...mistakesIn(`
setups:
  paid: { values: { amount: 1 }, steps: [{ call: GET /v1/checkouts }] }
steps:
  - use: pad
> 5:10: steps[0].use names no setup of the file: pad; did you mean paid?
cases: [{ name: x, more: abc }]
steps:
  - { call: GET /v1/checkouts, capture: { a: $ }, expect: { json: { b: "\${a.b + more}" } } }
> 4:72: steps[0].expect.json.b has \${a.b + more}, but "abc" is not a number
setups:
  paid: { values: { amount: 1 }, steps: [{ call: GET /v1/checkouts }] }
steps:
  - { use: paid, with: { amuont: 2 } }
> 5:34: steps[0].with.amuont is not a value of paid; did you mean amount?
setups:
  paid: { values: { amount: null }, steps: [{ call: GET /v1/checkouts }] }
steps:
  - use: paid
> 5:5: steps[0] must pass paid its value amount: with: { amount: … }
steps:
  - use: 5
> 3:10: steps[0].use must be a text, not 5
setups:
  paid: { values: { amount: 1 }, steps: [{ call: GET /v1/checkouts }] }
steps:
  - { use: paid, wiht: { amount: 2 } }
> 5:18: steps[0].wiht is unknown; did you mean with?
setups:
  paid: { values: { amount: 1 }, steps: [{ call: GET /v1/checkouts, capture: { checkout: $.id } }] }
steps:
  - { use: paid, capture: { first: $.chekout } }
> 5:36: steps[0].capture.first has $.chekout, which no step of the setup captures; did you mean checkout?
steps:
  - { each: 1..3, call: GET /v1/checkouts }
> 3:7: steps[0].each cannot be combined with call
cases: []
steps:
  - call: GET /v1/checkouts
> 2:8: cases must have at least 1 item
setups:
  a: { steps: [{ use: b }] }
  b: { steps: [{ use: a }] }
> 3:23: setups.a.steps[0].use goes in a circle: b uses a uses b
> 4:23: setups.b.steps[0].use goes in a circle: a uses b uses a
setups:
  a: { steps: [{ cal: GET /v1/checkouts }] }
> 3:18: setups.a.steps[0].cal is unknown; did you mean call?
setups:
  a: { steps: [{ call: "GET /v1/checkouts/\${checkout}" }] }
> 3:24: setups.a.steps[0].call has \${checkout}, which no step before it captures
steps:
  - { each: [{ a: x }, { b: y }, { a: x }], steps: [{ call: GET /v1/checkouts, key: "\${item.a}" }] }
> 3:85: steps[0].steps[0].key has \${item.a}, but item has no a (row 2)
steps:
  - { eech: 1..3, steps: [{ call: GET /v1/checkouts }] }
> 3:7: steps[0].eech is unknown; did you mean each?
steps:
  - { each: 1..3 }
> 3:5: steps[0].steps is missing
steps:
  - { use: setup, often: true }
> 3:12: steps[0].use names no setup of the file: setup
> 3:19: steps[0].often is unknown; known here: id, use, with, capture
steps:
  - steps: [{ call: GET /v1/checkouts }]
> 3:5: steps[0].each is missing: it must be a range such as 1..20 or a list, of 1 to 1000 items
steps:
  - { each: 3..1, steps: [{ call: GET /v1/checkouts }] }
> 3:13: steps[0].each must be a range such as 1..20 or a list, of 1 to 1000 items
steps:
  - { call: GET /v1/checkouts, capture: { ids: $.data } }
  - { each: "\${ids}", steps: [{ call: GET /v1/checkouts }] }
> 4:13: steps[1].each must be a range such as 1..20 or a list, of 1 to 1000 items, known before the file is played
steps:
  - { call: GET /v1/checkouts, capture: { n: $.n } }
  - { each: ["\${n + 1}"], steps: [{ call: GET /v1/checkouts, key: "\${item.x}" }] }
> 4:67: steps[1].steps[0].key has \${item.x}, but item is a number, so it has no x
steps:
  - { each: [{ amount: 1 }], steps: [{ call: GET /v1/checkouts, key: "\${item.amuont}" }] }
> 3:70: steps[0].steps[0].key has \${item.amuont}, but item has no amuont; did you mean amount?
steps:
  - { each: [a], steps: [{ call: GET /v1/checkouts, key: "\${item + 1}" }] }
> 3:58: steps[0].steps[0].key has \${item + 1}, but "a" is not a number
steps:
  - { each: [0.01], steps: [{ call: GET /v1/checkouts, key: "\${item * 0.1}" }] }
> 3:61: steps[0].steps[0].key has \${item * 0.1}, but 0.01 * 0.1 has more than two decimals
steps:
  - { each: [200, 2000], steps: [{ call: GET /v1/checkouts, expect: { status: "\${item}" } }] }
> 3:79: steps[0].steps[0].expect.status must be at most 599, not 2000
steps:
  - call: GET /v1/checkouts/\${item}
> 3:11: steps[0].call has \${item}, which no step before it captures
cases: [{ a: 1 }, { name: x, a: 1 }, { name: x, a: 2 }]
steps:
  - call: GET /v1/checkouts
> 2:9: cases[0].name is missing
> 2:46: cases[2].name is the name of a case above: x
cases: [{ name: x, limit: 1 }, { name: y }]
steps:
  - call: GET /v1/checkouts?limit=\${limit}
> 4:11: steps[0].call has \${limit}, which not every case gives
cases: [{ name: x, id: 1 }]
steps:
  - { call: GET /v1/checkouts, capture: { id: $.id } }
> 4:47: steps[0].capture.id is already a value of the cases
steps:
  - parallel: { steps: [{ call: GET /v1/checkouts }] }
> 3:24: steps[0].parallel.steps must be two steps or more, or have each, not [{"call":"GET /v1/checkouts"}]
`),
  ])('%s', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })
})
