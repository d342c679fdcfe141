import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { EVENT_TYPES } from '../../src/spec/contract/event.ts'
import { TIMED_MOVES } from '../../src/spec/contract/resources/timed.ts'
import { EFFORT } from '../effort.ts'
import { mistakesIn, problemsOf } from './mistakes.ts'

const SOME_EVENTS = `${EVENT_TYPES.slice(0, 8).join(', ')} and more`
const TIMED_STATES = [...new Set(TIMED_MOVES.map(({ to }) => to))]
const A_TIMED_STATE = `${TIMED_STATES.length > 1 ? 'one of ' : ''}${TIMED_STATES.join(', ')}`

const WHOLE = `
# every kind of step and behavior
$schema: ./schema.json
name: All of it
why: So that nothing of the format goes unread.
sandbox:
  seed: 7
  clock: { at: 2026-01-01T00:00:00Z, mode: frozen }
  rateLimit: off
  refundDelay: 1m
  requireApproval: true
behaviors:
  - { times: 1, do: { respond: { status: 503, json: { error: x }, headers: { retry-after: "1" } }, stored: true } }
  - when: { call: "POST /v1/checkouts/{id}/refunds", key: k, attempt: { gte: 2 }, probability: 0.5 }
    scope: key
    times: 1
    skip: 2
    ttl: 1d
    continue: true
    do: { delay: 2s, at: after-commit }
  - { when: { op: refunds.*, json: { amount: { gt: 1 } }, header: { x-a: { regex: ^b } } }, do: { delay: { p50: 1ms, p99: 2s } } }
  - { when: { call: "* /**" , query: { limit: 1 } }, do: { hold: gate-a, max: 10s } }
  - { times: 1, do: { fault: reset, at: after-commit } }
  - { times: 1, do: { fault: drip, over: 2s } }
  - { optional: true, continue: true, do: { rateLimit: { limit: 5, window: 1m } } }
  - do: { rateLimit: { exhausted: true } }
  - { when: { resource: refund, enters: pending, attempt: 1 }, do: { transition: completed, after: never } }
  - { when: { resource: refund, enters: pending }, do: { transition: completed, after: { polls: 3 } } }
  - { when: { event: refund.* }, do: { webhook: { duplicate: 2, delay: 5m, sign: stale } } }
  - do: { decision: decline }
steps:
  - id: checkout
    call: POST /v1/checkouts
    key: \${uuid:a}
    header: { x-api-key: null, x-twice: [a, b], x-one: 1 }
    json: { orderId: "\${uuid}", amount: 10.00 }
    expect: { status: 201, json: { status: pending }, exact: true, header: { location: { regex: ^/v1 } }, within: 500ms }
    capture: { checkout: $.id, first: '$.data[0]["odd name"]' }
  - { call: "GET /v1/checkouts/\${checkout}", eventually: { within: 30s, every: 1s } }
  - { call: POST /v1/checkouts, raw: "{", expect: { connection: reset } }
  - { repeat: checkout, expect: { sameAs: checkout }, meanwhile: [{ sim: { held: gate-a } }, { repeat: checkout }] }
  - { repeat: checkout, parallel: { count: 10 }, expect: { status: { 201: 1, 4xx: 9 } } }
  - { parallel: { steps: [{ repeat: checkout }, { call: GET /v1/checkouts }] }, expect: { status: { 2xx: 2 } } }
  - sim: { advance: 1d }
  - sim: { approve: "\${checkout}", method: bank_account, applicant: Test Approved }
  - sim: { arm: [{ do: { fault: hang } }] }
  - { webhook: { type: refund.completed, exactly: 1, events: 1, signature: valid, data: { id: "\${first}" } } }
  - { webhook: { order: [refund.completed, refund.created] } }
  - ledger: { charged: 10.00, refunds: { lte: 1 } }
  - outbox: { channel: email, to: { regex: "@" }, atLeast: 1 }
`

test('a file with every key of the format is read, with its durations in milliseconds', () => {
  const { sandbox, behaviors, steps } = parseScenario(WHOLE)
  expect(sandbox).toMatchObject({ refundDelay: 60_000, rateLimit: 'off' })
  expect(behaviors?.[1]).toMatchObject({ ttl: 86_400_000, do: { delay: 2_000 } })
  expect(behaviors?.[0]).toMatchObject({ when: {}, scope: 'sandbox', skip: 0, continue: false })
  expect(steps).toHaveLength(13)
})

test('a JSON file is read, because JSON is YAML', () => {
  expect(parseScenario('{"name": "n", "steps": [{"call": "GET /v1/checkouts"}]}').name).toBe('n')
})

describe('a matcher with the wrong operand is a mistake, unless it is a field of the response', () => {
  const problemsWith = (expected: string) =>
    problemsOf(`name: n\nsteps:\n  - call: GET /v1/checkouts\n    expect: { json: { a: ${expected} } }\n`)

  test.each([
    ['{ length: x }', 'length must be a number or a matcher such as { gte: 1 }, not "x"'],
    ['{ oneOf: 5 }', 'oneOf must be a list such as [pending, completed], not 5'],
    ['{ exists: maybe }', 'exists must be true or false, not "maybe"'],
    ['{ absent: false }', 'absent must be true, not false'],
    ['{ gt: true }', 'gt must be a number or a text, not true'],
    ['{ regex: 5 }', 'regex must be a regular expression such as ^chk_, not 5'],
    ['{ unique: 5 }', 'unique must be true, or the name of a field, not 5'],
    ['{ sorted: up }', 'sorted must be asc or desc, { desc: createdAt } for a field, or with ties: true'],
    ['{ not: { exists: true } }', 'not must be a value or a matcher other than exists and absent'],
    [
      '{ type: strng }',
      'type must be one of string, number, integer, boolean, object, array, null, not "strng"; did you mean string?',
    ],
  ])('%s', (expected, rule) => {
    expect(problemsWith(expected)).toEqual([expect.stringContaining(`steps[0].expect.json.a.${rule}`)])
  })

  test.each([
    '{ type: card }',
    '{ length: "${uuid:x}" }',
    '{ type: card, id: x }',
    '{ contains: 5, gte: 1 }',
    '{ type: card, min: 1 }',
    '{ min: 1, other: 2 }',
    '{ equals: { min: 1, regexp: a } }',
    '{ status: pending }',
  ])('but not %s', (expected) => {
    expect(problemsWith(expected)).toEqual([])
  })

  test.each([
    ['ne', 'not'],
    ['startsWith', 'regex: ^…'],
    ['in', 'oneOf'],
    ['min', 'gte'],
    ['atMost', 'lte'],
    ['each', 'every'],
    ['some', 'contains'],
    ['notNull', 'not: null'],
    ['minLength', 'length: { gte: … }'],
    ['regexp', 'regex'],
    ['containz', 'contains'],
    ['lenght', 'length'],
  ])('%s belongs to another tool or to a step, or is misspelled: the message suggests %s', (word, meant) => {
    const rule = `is not an operator; did you mean ${meant}? As data, write { equals: { ${word}: … } }`
    expect(problemsWith(`{ ${word}: 5 }`)).toEqual([expect.stringContaining(`json.a.${word} ${rule}`)])
    expect(problemsWith(`{ gte: 1, ${word}: 5 }`)).toEqual([expect.stringContaining(rule)])
  })

  test('also in the condition of a behavior, in webhooks and in requests', () => {
    expect(
      problemsOf(`name: n
behaviors: [{ when: { json: { amount: { regexp: a } } }, do: { respond: 503 } }]
steps:
  - { call: POST /v1/customers, json: { externalId: a, extra: { regexp: a } } }
  - webhook: { data: { id: { regexp: a } }, exactly: 0 }
  - requests: { json: { externalId: { startsWith: a } }, exactly: 0 }
`).map((problem) => problem.replace(/ is not .*/, '')),
    ).toEqual([
      'f.yaml:2:49: behaviors[0].when.json.amount.regexp',
      'f.yaml:5:38: steps[1].webhook.data.id.regexp',
      'f.yaml:6:51: steps[2].requests.json.externalId.startsWith',
    ])
  })
})

test('a file that expands without limit is refused', () => {
  const twice = Array.from(
    { length: 18 },
    (_, index) => `  s${index + 1}: { steps: [{ use: s${index} }, { use: s${index} }] }\n`,
  )
  expect(
    problemsOf(
      `name: n\nsetups:\n  s0: { steps: [{ call: GET /v1/checkouts }] }\n${twice.join('')}steps: [{ use: s18 }]\n`,
    ),
  ).toEqual([expect.stringContaining('is one step too many')])
})

test.each(['"${a}${a}"', '"${a + a}"'])('a value that doubles with each setup is refused: %s', (twice) => {
  const doubled = Array.from(
    { length: 40 },
    (_, index) =>
      `  s${index + 1}: { values: { a: null }, steps: [{ use: s${index}, with: { a: ${twice} } }] }\n`,
  )
  expect(
    problemsOf(
      `name: n\nsetups:\n  s0: { values: { a: null }, steps: [{ call: GET /v1/checkouts, key: "\${a}" }] }\n${doubled.join('')}`,
    ),
  ).toContainEqual(expect.stringContaining('has more than 100000 characters with its values'))
})

describe('every mistake has its line, its column and a suggestion', () => {
  test.each<[string, unknown[]]>([
    ['', ['f.yaml:1:1: the file is empty; a scenario needs name: and steps:, behaviors: or both']],
    [
      'hello',
      [
        'f.yaml:1:1: the file must be an object such as { name: Checkouts are listed, steps: [{ call: GET /v1/checkouts }] }, not "hello"',
      ],
    ],
    [
      'name: n\nsteps:\n  - call: GET /v1/checkouts\n  - webhook: { type: refund.complete }\n',
      [expect.stringMatching(/^f\.yaml:4:22: .*not "refund.complete"; did you mean refund.completed\?$/)],
    ],
    [
      'name: n\nsteps:\n  - call: GET /v1/checkouts\n    json: { checkoutId: ${checkout}, amount: 1 }\n',
      [expect.stringMatching(/^f\.yaml:4:\d+: between \{ \} write "\$\{name\}" in quotes$/)],
    ],
    ['name: n\n---\nname: m\n', [expect.stringMatching(/^f\.yaml:2:1: a file holds one scenario/)]],
    ['name: !secret n\n', [expect.stringMatching(/^f\.yaml:1:7: Unresolved tag/)]],
    ...mistakesIn(`
# soon
> 1:1: the file is empty; a scenario needs name: and steps:, behaviors: or both
steps:
  - parallel:
      - { call: GET /v1/checkouts, capture: { id: '$.data[0].id' } }
      - { call: GET /v1/refunds }
  - call: GET /v1/checkouts/\${id}
> 4:7: steps[0].parallel must be an object with each, steps, not a list
name: n
> 1:1: the file must have behaviors, steps or both
+stpes: []
> 4:1: stpes is unknown; did you mean steps?
+  - sim: { advance: 1d }
    key: k
> 5:5: steps[1].key cannot be combined with sim
+    sim: { advance: 1d }
> 4:5: steps[0].sim cannot be combined with call
+  - cal: GET /v1
> 4:5: steps[1].cal is unknown; did you mean call?
+  - id: x
> 4:5: steps[1] must have one of call, repeat, parallel, sim, receiver, webhook, requests, ledger, outbox, captured, buyer, each, use
+  - wait
> 4:5: steps[1] must be an object with one of call, repeat, parallel, sim, receiver, webhook, requests, ledger, outbox, captured, buyer, each, use, not "wait"
+    expect: { stauts: 200 }
> 4:15: steps[0].expect.stauts is unknown; did you mean status?
+    expect: { zzz: 200 }
> 4:15: steps[0].expect.zzz is unknown; known here: status, json, exact, header, sameAs, connection, within
+    meanwhile: [{ parallel: { count: 2 } }]
> 4:29: steps[0].meanwhile[0].parallel.steps is missing
> 4:31: steps[0].meanwhile[0].parallel.count is unknown; known here: each, steps
behaviors:
  - when: { resource: refund, enters: pending }
    do: { transition: completed, after: { poll: 3 } }
> 4:43: behaviors[0].do.after.poll is unknown; did you mean polls?
behaviors:
  - when: { ip: 203.0.113.7 }
    do: { fault: reset }
> 3:13: behaviors[0].when.ip is unknown; known here: call, stub, op, json, header, query, key, replay, attempt, event, resource, enters, probability
behaviors:
  - when: { resource: refund, enters: pending }
    do: { transition: done }
> 4:9: behaviors[0].do.after is missing: it must be now, never, { clock: 2d }, { polls: 3 } or { gate: name }
> 4:23: behaviors[0].do.transition must be ${A_TIMED_STATE}, not "done"
behaviors:
  - do: { delay: { p50: 3, p99: 1s } }
> 3:25: behaviors[0].do.delay.p50 must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d, not 3
behaviors:
  - when: { event: refund.complete }
    do: { webhook: { drop: true } }
> 3:20: behaviors[0].when.event must be one of ${SOME_EVENTS}, not "refund.complete"; did you mean refund.completed?
+  - webhook: { type: checkuot.paid }
> 4:22: steps[1].webhook.type must be one of ${SOME_EVENTS}, not "checkuot.paid"
+  - webhook: { type: foo }
> 4:22: steps[1].webhook.type must be one of ${SOME_EVENTS}, not "foo"
behaviors:
  - when: { event: refund.completed }
    do: { fault: reset }
> 3:20: behaviors[0].when.event cannot be combined with do: fault, which supports only call, stub, op, json, header, query, key, replay, attempt, probability
behaviors:
  - do: { transition: completed, after: now }
> 3:23: behaviors[0].do.transition needs when: { resource: refund, enters: pending }
behaviors:
  - do: { fault: truncate, at: before }
> 3:32: behaviors[0].do.at cannot be before with fault: truncate, which changes the committed response
+    expect: { within: 5 }
> 4:23: steps[0].expect.within must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d, not 5
+    expect: { status: ok }
> 4:23: steps[0].expect.status must be a status, a class such as 2xx, any, or a count of each: { 201: 1, 409: 9 }, not "ok"
+    expect: { status: { 200: 2 } }
> 4:23: steps[0].expect.status can count statuses only with parallel
+    parallel: { count: 2 }
    capture: { a: $.id }
> 5:14: steps[0].capture cannot be combined with parallel
+    meanwhile: [{ call: GET /v1/checkouts }]
    eventually: {}
> 5:17: steps[0].eventually cannot be combined with meanwhile
+    raw: x
    json: {}
> 4:10: steps[0].raw cannot be combined with json: a request has one body
+    expect: { json: { a: [{ regex: "[" }] } }
> 4:36: steps[0].expect.json.a[0].regex must be a regular expression such as ^chk_, without look-around and back references, of at most 1000 characters and 500 steps, not "["
+    capture: { checkout: $.id }
  - call: GET /v1/checkouts/\${chekout}
> 5:11: steps[1].call has \${chekout}, which no step before it captures; did you mean checkout?
cases: [{ name: c, limit: 5 }]
setups:
  page: { values: { size: 1 }, steps: [{ call: "GET /v1/refunds?limit=\${siez}" }] }
steps:
  - use: page
  - each: [{ a: 1 }]
    steps: [{ call: "GET /v1/refunds?limit=\${itm.a}" }]
  - call: GET /v1/refunds?limit=\${limt}
    key: \${uid}
> 4:48: setups.page.steps[0].call has \${siez}, which no step before it captures; did you mean size?
> 8:21: steps[1].steps[0].call has \${itm.a}, which no step before it captures; did you mean item?
> 9:11: steps[2].call has \${limt}, which no step before it captures; did you mean limit?
> 10:10: steps[2].key has \${uid}, which no step before it captures; did you mean uuid?
steps:
  - call: GET /v1/checkouts/\${a}
    capture: { a: $.id }
> 3:11: steps[0].call has \${a}, which no step before it captures
+    key: \${uuid:a:b}
> 4:10: steps[0].key has \${uuid:a:b}, which must be \${name}, \${name.field}, \${name + 1}, \${env:NAME}, \${uuid} or \${uuid:name}
+    id: list
  - repeat: lst
  - call: GET /v1/checkouts
    expect: { sameAs: later }
> 5:13: steps[1].repeat names no earlier step: lst; did you mean list?
> 7:23: steps[2].expect.sameAs names no earlier step: later
+    id: a
  - call: GET /v1/checkouts
    id: a
behaviors:
  - { id: b, times: 1, do: { fault: reset } }
  - { id: b, do: { fault: reset } }
> 6:9: steps[1].id is used above: a
> 9:11: behaviors[1].id is used above: b
+  - sim: { release: gaet }
behaviors: [{ do: { hold: gate } }]
> 4:21: steps[1].sim.release names a gate that no behavior in the file names: gaet; did you mean gate?
+  - sim: { disarm: slwo }
behaviors: [{ id: slow, do: { delay: 1s } }]
> 4:20: steps[1].sim.disarm names no behavior of the file: slwo; did you mean slow?
+  - sim: { arm: [5, { do: { hold: a } }] }
> 4:18: steps[1].sim.arm[0] must be an object with id, when, scope, times, skip, ttl, continue, optional and more, not 5
+name: m
> 4:1: name is given twice
setups: { a: { steps: [{ call: GET /v1/checkouts, json: { amount: \${a} } }] } }
steps:
  - use: a
> 2:68: between { } write "\${name}" in quotes
name: n
why: one thing: and another
steps:
  - call: GET /v1/checkouts
> 2:6: this is a second key in one line; a text with a colon and a space needs quotes
+    header: { x-note: late: again }
> 4:23: this is a second key without a comma before it; a text with a colon and a space needs quotes
+    capture: { id: $.data[0].id }
> 4:26: unexpected here; a text that contains [ ] { } or a quote must be quoted
+    expect: { status: 200
  - call: GET /v1/refunds
> 5:3: a { before this place is not closed
+     expect: { status: 200 }
> 3:11: the next line has a key and is indented too far: a key starts in the column of the previous key
+   expect: { status: 200 }
> 4:1: this line is indented like a list item, but does not start with -
name: @n
> 1:7: a text that starts with @ needs quotes
name:n
why: w
> 1:1: a key needs a colon and a space behind it, in the same line
name: [
> 2:1: a [ before this place is not closed
name: &n [*n, *m]
why: *m
> 1:11: *n is inside an anchored value, which must not contain aliases
> 1:15: *m is inside an anchored value, which must not contain aliases
> 2:6: *m refers to no earlier anchor
`),
  ])('%s', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  test('all of them together, in the order of the file', () => {
    const text = `name: 5
whyy: because
sandbox: { seed: -1, clok: {} }
behaviors:
  - { do: { fault: rest } }
steps:
  - call: GET
  - repeat: nobody
    expct: {}
`
    expect(problemsOf(text).map((line) => line.replace(/^f\.yaml:(\d+:\d+): (\S+).*/, '$1 $2'))).toEqual([
      '1:7 name',
      '2:1 whyy',
      '3:18 sandbox.seed',
      '3:22 sandbox.clok',
      '5:20 behaviors[0].do.fault',
      '7:11 steps[0].call',
      '8:13 steps[1].repeat',
      '9:5 steps[1].expct',
    ])
  })
})

// Most of the time is spent in the YAML package and zod: up to two seconds for the largest valid or invalid file.
describe('a hostile file is refused without blocking', () => {
  const LIMIT = 262_144
  const SIZE = EFFORT > 1 ? LIMIT : LIMIT / 8
  const laughs = Array.from({ length: 12 }, (_, depth) =>
    depth === 0
      ? 'a0: &a0 [lol, lol]'
      : `a${depth}: &a${depth} [${Array(10)
          .fill(`*a${depth - 1}`)
          .join(', ')}]`,
  ).join('\n')

  test.each([
    ['larger than 256 KB', 'x'.repeat(LIMIT + 1)],
    ['brackets', '['.repeat(SIZE)],
    ['lists in lists', '- '.repeat(SIZE / 2)],
    ['braces', '{a: '.repeat(SIZE / 4)],
    ['keys', Array.from({ length: SIZE / 13 }, (_, index) => `k${index}: 1`).join('\n')],
    ['the same key', 'a: 1\n'.repeat(SIZE / 6)],
    ['steps', `name: n\nsteps:\n${'  - cal: GET /\n'.repeat(SIZE / 16)}`],
    ['empty steps', `name: n\nsteps:\n${'  - {}\n'.repeat(SIZE / 8)}`],
    ['aliases that multiply', `${laughs}\nname: n\n`],
    ['aliases of themselves', 'name: n\nsteps: &a [*a]\n'],
    ['quotes', '"'.repeat(SIZE)],
    ['anchors', '&a '.repeat(SIZE / 3)],
    ['tabs', '\t'.repeat(SIZE)],
    ['one long word', `${'x'.repeat(SIZE - 10)}: 1`],
    ['colons', ': '.repeat(SIZE / 2)],
    ['pipes', '|\n'.repeat(SIZE / 2)],
    ['parentheses in a placeholder', `name: n\nwhy: w\nsteps: [{ call: "GET /\${${'('.repeat(SIZE)}}" }]`],
    ['a sum in a placeholder', `name: n\nsteps: [{ call: GET /, key: "\${${'a+'.repeat(SIZE / 2)}a}" }]`],
  ])('%s', (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0)
  })

  test('an alias repeats a value', () => {
    const text =
      'name: n\nsteps:\n  - { call: POST /v1/checkouts, json: &body { a: 1 } }\n  - { call: POST /v1/checkouts, json: *body }\n'
    expect(parseScenario(text).steps?.[1]).toMatchObject({ json: { a: 1 } })
  })

  test('a large valid file is read', () => {
    const text = `name: n\nsteps:\n${'  - { call: GET /v1/checkouts }\n'.repeat(SIZE / 33)}`
    expect(parseScenario(text).steps).toHaveLength(Math.floor(SIZE / 33))
  })
})

test.each([
  ['a header names', 'steps:\n  - { call: GET /v1/a, header: { x-sim: "delay=1s, hold=g" } }\n'],
  ['a step arms', 'steps:\n  - sim: { arm: [{ do: { hold: g } }] }\n'],
  [
    'a refund waits for',
    'behaviors: [{ when: { resource: refund, enters: pending }, do: { transition: completed, after: { gate: g } } }]\nsteps:\n',
  ],
])('a gate that %s may be released', (_, text) => {
  expect(problemsOf(`name: n\n${text}  - sim: { release: g }\n`)).toEqual([])
})

const BANK = 'behaviors: [{ id: bank, do: { hold: bank } }]\n'
const DISARM = (name: string, more = '') => `steps:\n  - sim: { disarm: ${name} }\n${more}`

test.each([
  [
    'is armed by a step',
    `steps:\n  - sim: { arm: [{ id: late, do: { delay: 1s } }] }\n  - sim: { disarm: late }\n`,
  ],
  ['has no id of the file', `behaviors: [{ do: { delay: 1s } }]\n${DISARM('behavior-1')}`],
  ['is one of all', DISARM('all')],
  ['is not there, as the step expects', DISARM('gone', '    expect: { status: 404 }\n')],
  [
    'the file has that uses the setup',
    `${BANK}setups: { s: { steps: [{ sim: { disarm: bank } }] } }\nsteps: [{ use: s }]\n`,
  ],
])('a behavior that %s may be disarmed', (_, text) => {
  expect(problemsOf(`name: n\n${text}`)).toEqual([])
})

test('a gate of a file that uses the setup may be released', () => {
  const setups = 'setups: { s: { steps: [{ sim: { release: bank } }] } }\n'
  expect(problemsOf(`name: n\n${BANK}${setups}steps: [{ use: s }]\n`)).toEqual([])
  expect(problemsOf(`name: n\n${setups}steps: [{ use: s }]\n`)).toEqual([
    'f.yaml:2:42: setups.s.steps[0].sim.release names a gate that no behavior in the file names: bank',
  ])
})
