import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Difference } from '../../src/tools/fidelity/comparison.ts'
import { served } from '../served.ts'
import { folderOf, play } from './playing.ts'
import { type Asked, KEY, type Reply, service, steered } from './service.ts'

/** A service with different ids and times after each start. */
let started = 0

function answering(change: (json: Record<string, unknown>, asked: Asked) => void = () => {}) {
  started += 1
  const [run, second] = [String(started).padStart(24, '0'), String(started % 60).padStart(2, '0')]
  return (asked: Asked): Reply & object => {
    const json: Record<string, unknown> = {
      id: `chk_${run}`,
      orderId: JSON.parse(asked.body || '{"orderId":"o"}').orderId,
      status: 'pending',
      reason: 'not_completed',
      amount: '@1000.00',
      customerId: null,
      card: { brand: 'visa' },
      message: `Checkout chk_${run} is there`,
      createdAt: `2026-01-01T00:00:${second}.000Z`,
      updatedAt: `2026-01-01T00:01:${second}.000Z`,
      refunds: [{ id: `ref_${run}`, status: 'pending' }],
    }
    change(json, asked)
    const text = JSON.stringify(json).replaceAll(/"@([\d.]+)"/g, '$1')
    const headers = { location: `/v1/checkouts/chk_${run}`, 'x-ratelimit-remaining': second }
    return { status: 201, text, headers: { ...headers, server: `proxy-${run}` } }
  }
}

const SCENARIO = `
name: n
sandbox: { clock: { at: 2026-01-01T00:00:00Z } }
steps:
  - { call: POST /v1/checkouts, json: { orderId: o-1 }, capture: { id: $.id } }
  - { call: "GET /v1/checkouts/\${id}", expect: { status: 418 } }
  - { call: POST /v1/checkouts, parallel: { count: 2 } }
  - sim: { advance: 1d }
`

/** With the differences of all files, from the JSON report. */
async function compare(theirs: (asked: Asked) => Reply, reports: readonly string[] = []) {
  const ours = await steered(answering())
  const target = await steered(theirs)
  const json = join(await folderOf({}), 'differences.json')
  const startOwn = async () => ({ url: ours.url, apiKey: KEY, close: async () => {} })
  const options = { target: target.url, compare: true, reports: [`json=${json}`, ...reports] }
  const { code, out } = await play(SCENARIO, options, { startOwn })
  const { files, groups } = JSON.parse(await readFile(json, 'utf8'))
  return { code, out, groups, differences: files[0].differences as Difference[] }
}

test('ids and times may differ', async () => {
  expect(await compare(answering())).toMatchObject({
    code: 0,
    out: './it.yaml  n\n33 of 33 observations alike; 0 differences',
  })
})

const reply = (more: object) => {
  const answer = answering()
  return (asked: Asked): Reply => ({ ...answer(asked), ...more })
}
const second = (change: (json: Record<string, unknown>) => void) =>
  answering((json, { method }) => {
    if (method === 'GET') change(json)
  })

test.each<[string, (asked: Asked) => Reply, string, number]>([
  ['another status', reply({ status: 200 }), 'the status is 200 there, and 201 here', 1],
  [
    'a refusal, and nothing of its body',
    reply({ status: 409, text: '{"error":"Conflict"}' }),
    'the status is 409 there, and 201 here',
    1,
  ],
  [
    'another word of two, which is no id',
    second((json) => Object.assign(json, { reason: 'not_delivered' })),
    '$.reason is "not_delivered" there, and "not_completed" here',
    2,
  ],
  [
    'the same amount written otherwise',
    second((json) => Object.assign(json, { amount: '@1000' })),
    '$.amount is 1000 there, and 1000.00 here',
    2,
  ],
  [
    'an amount as a text',
    second((json) => Object.assign(json, { amount: '1000.00' })),
    '$.amount is a text, "1000.00", there, and a number, 1000.00, here',
    2,
  ],
  [
    'another sentence',
    second((json) => Object.assign(json, { message: 'There is a checkout' })),
    '$.message is "There is a checkout" there, and "Checkout chk_',
    2,
  ],
  [
    'a field that is missing, deep inside',
    second((json) => Object.assign(json, { card: {} })),
    '$.card.brand is missing there, and a field here',
    2,
  ],
  [
    'a field more',
    second((json) => Object.assign(json, { state: 'open' })),
    '$.state is a field there, and missing here',
    2,
  ],
  [
    'a text for null',
    second((json) => Object.assign(json, { customerId: 'c' })),
    '$.customerId is a text, "c", there, and null here',
    2,
  ],
  [
    'the id of another resource',
    second((json) => Object.assign(json, { id: (json.refunds as { id: string }[])[0]!.id })),
    '$.id is the id $.refunds[0].id of it.yaml step 1 there, and the id captured as id here',
    2,
  ],
  [
    'an id that is not known',
    second((json) => Object.assign(json, { id: 'chk_z0z0z0z0z0z0z0z0z0z0z0z0' })),
    '$.id is an id that no earlier answer had there, and the id captured as id here',
    2,
  ],
  [
    'one item more',
    second((json) => Object.assign(json, { refunds: [] })),
    '$.refunds has 0 items there, and 1 item here',
    2,
  ],
  [
    'times in another order',
    second((json) => Object.assign(json, { createdAt: '2026-01-01T00:09:00.000Z' })),
    '$.createdAt is later than $.updatedAt of it.yaml step 1 there, and earlier than $.updatedAt of it.yaml step 1 here',
    2,
  ],
  [
    'a time without milliseconds',
    second((json) => Object.assign(json, { createdAt: String(json.createdAt).replace('.000', '') })),
    '$.createdAt is 0000-00-00T00:00:00Z there, and 0000-00-00T00:00:00.000Z here',
    2,
  ],
  ['no Location', reply({ headers: {} }), 'the header location is missing there, and /v1/checkouts/chk_', 1],
  ['no JSON', reply({ text: 'hello' }), 'the body is not JSON there, and an object here', 1],
  [
    'no answer',
    (asked) => (asked.method === 'GET' ? 'close' : answering()(asked)),
    'the connection is closed',
    2,
  ],
])('%s', async (_, theirs, sentence, step) => {
  const { code, out, differences } = await compare(theirs)
  expect(out).toContain(`Differences:\n  ${sentence}`)
  const [first] = differences
  expect(first!.sentence).toContain(sentence)
  expect(first!.seenIn).toBe(`it.yaml step ${step}`)
  expect(code).toBe(1)
  if (step === 2) expect(differences).toHaveLength(1)
})

test('a repeated difference is printed once, with its count and first place', async () => {
  const theirs = answering((answer) => {
    const [refund] = answer.refunds as [{ id: string }]
    refund.id = refund.id.replace('ref_', 're_')
    answer.reason = 'late'
  })
  const { out, differences, groups } = await compare(theirs)
  expect(out).toContain(`Differences:
  $.reason is "late" there, and "not_completed" here, 2 times, first in it.yaml step 1
  $.refunds[0].id is an id that begins with re_ there, and an id that begins with ref_ here, once, in it.yaml step 1
`)
  expect(differences).toHaveLength(3)
  expect(groups[0]).toEqual({
    sentence: '$.reason is "late" there, and "not_completed" here',
    times: 2,
    first: 'it.yaml step 1',
    paths: ['$.reason'],
  })
})

test('skipped files are named, and a tester step that fails on one side is reported', async () => {
  const file = (ledger: string) => `name: n\nsteps:\n  - call: GET /v1/checkouts\n  - ledger: ${ledger}\n`
  const target = await steered(
    () => ({ status: 200, text: '{"data":[],"hasMore":false,"nextCursor":null}' }),
    (what) => (what === 'GET /ledger' ? { sums: { charges: 1 } } : {}),
  )
  const files = {
    'a.yaml': file('{ refunds: 0 }'),
    'b.yaml': 'name: b\nbehaviors:\n  - do: { delay: 1s }\n',
    'c.yaml': file('{ charges: 0 }'),
  }
  const { out } = await play(files, { target: target.url, compare: true })
  expect(out).toContain('the step has failed: $.charges is 1 there, and passed here')
  expect(out).toContain('b was not compared: it has no steps to play')
})

test('the JSON report lists the differences', async () => {
  const { differences } = await compare(reply({ status: 200 }))
  const status = { kind: 'status', path: 'the status', ours: '201', theirs: '200' }
  const sentence = 'the status is 200 there, and 201 here'
  expect(differences).toEqual([
    { seenIn: 'it.yaml step 1', ...status, sentence },
    { seenIn: 'it.yaml step 2', ...status, sentence },
    {
      seenIn: 'it.yaml step 3',
      kind: 'status',
      path: 'the statuses',
      ours: '2 × 201',
      theirs: '2 × 200',
      sentence: 'the statuses are 2 × 200 there, and 2 × 201 here',
    },
  ])
})

test('JUnit and HTML show each difference with its first place', async () => {
  const folder = await folderOf({})
  const [junit, html] = [join(folder, 'a.xml'), join(folder, 'a.html')]
  await compare(reply({ status: 200 }), [`junit=${junit}`, `html=${html}`])
  expect(await readFile(junit, 'utf8')).toMatch(
    /<testsuite name="run --compare with [\s\S]*name="the status is 200 there, and 201 here"[\s\S]*message="differs: 2 times, first in it\.yaml step 1">/,
  )
  const page = await readFile(html, 'utf8')
  expect(page).toMatch(/<h1>\d+ of \d+ observations are alike<\/h1>/)
  expect(page).toContain('the statuses are 2 × 200 there, and 2 × 201 here')
})

test('a file that cannot start at the target fails the comparison', async () => {
  const ours = await steered(answering())
  const target = await service(() => ({ status: 404, json: { message: 'Route not found' } }))
  const start = async () => ({ url: ours.url, apiKey: KEY, close: async () => {} })
  const { code, out } = await play(SCENARIO, { target: target.url, compare: true }, { startOwn: start })
  expect(out).toContain(
    "n was not compared: The target has no tester's API, so it is not a paysim. Pass --api-key to play it",
  )
  expect(code).toBe(1)
})

test('an endless response is cut off after 1 MB', async () => {
  const endless = await served((_, response) => {
    const write = () => {
      while (response.write('x'.repeat(64 * 1024)));
    }
    response.writeHead(200).on('drain', write)
    write()
  })
  const { code, out } = await play(SCENARIO, { target: endless, apiKey: KEY })
  expect(out).toContain('connection broken')
  expect(code).toBe(1)
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('deeply nested responses are compared without exponential time', async () => {
  const name = 'n'.repeat(400_000)
  for (const text of [nested(100_000), `{"${name}":[${'1.0,'.repeat(100_000)}1.0]}`])
    expect(await compare(reply({ text }))).toMatchObject({ code: 1 })
  const deep = await service(() => ({ status: 200, text: nested(100_000) }))
  const failed = await play('name: n\nsteps:\n  - call: GET /v1/deep\n    expect: { json: { a: 1 } }\n', {
    target: deep.url,
    apiKey: KEY,
  })
  expect(failed.code).toBe(1)
  expect(failed.out).toContain('1 failed')
})
