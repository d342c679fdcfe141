import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, play } from './playing.ts'
import { type Asked, KEY, type Reply, service, steered } from './service.ts'

let made = 0

/** Every id and time is another one. */
const checkout = (asked: Asked) => {
  made += 1
  return {
    id: `chk_${String(made).padStart(24, '0')}`,
    orderId: JSON.parse(asked.body || '{}').orderId ?? 'o',
    status: 'pending',
    amount: 1000 + made,
    customerId: null,
    card: { brand: 'visa' },
    message: `Checkout ${made} is already there`,
    createdAt: `2026-01-01T00:00:0${made % 10}.000Z`,
    refunds: Array.from({ length: made }, () => ({ id: `ref_${made}`, status: 'pending' })),
  }
}

const answer = (asked: Asked): Reply & object => {
  const json = checkout(asked)
  const limit = { 'x-ratelimit-remaining': String(made), server: `proxy-${made}` }
  return { status: 201, json, headers: { location: `/v1/checkouts/${json.id}`, ...limit } }
}

const SCENARIO = `
name: n
steps:
  - { call: POST /v1/checkouts, json: { orderId: "\${uuid}" }, capture: { id: $.id } }
  - { call: "GET /v1/checkouts/\${id}", expect: { status: 418 } }
  - { call: POST /v1/checkouts, parallel: { count: 2 } }
  - sim: { advance: 1d }
`

async function compare(theirs: (asked: Asked) => Reply, options = {}) {
  const ours = await steered(answer)
  const target = await service(theirs)
  const startOwn = async () => ({ url: ours.url, apiKey: KEY, close: async () => {} })
  return play(SCENARIO, { target: target.url, apiKey: 'sk_theirs', compare: true, ...options }, { startOwn })
}

test('ids, times and captured values may differ', async () => {
  expect(await compare(answer)).toMatchObject({
    code: 0,
    out: `./it.yaml  n
  = 1 POST /v1/checkouts
  = 2 GET /v1/checkouts/\${id}
  = 3 POST /v1/checkouts × 2
  – 4 sim advance 1d: not compared

no difference in 1 of 1 files`,
  })
})

const changed = (change: (json: Record<string, unknown>) => void) => (asked: Asked) => {
  const reply = answer(asked) as { json: Record<string, unknown> }
  change(reply.json)
  return reply as unknown as Reply
}

test.each<[string, (asked: Asked) => Reply, string]>([
  ['another status', (asked) => ({ ...answer(asked), status: 200 }), 'status status: ours 201, theirs 200'],
  [
    'a field by another name',
    changed((json) => {
      json.state = json.status
      delete json.status
    }),
    'field $: ours status, theirs state',
  ],
  [
    'a field that is not there, deep inside',
    changed((json) => {
      json.card = {}
    }),
    'field $.card: ours brand, theirs nothing',
  ],
  [
    'a number as a text',
    changed((json) => {
      json.amount = '1000.00'
    }),
    'type $.amount: ours number, theirs string',
  ],
  [
    'another word',
    changed((json) => {
      json.status = 'open'
    }),
    'value $.status: ours pending, theirs open',
  ],
  [
    'no Location',
    (asked) => ({ ...answer(asked), headers: { 'x-ratelimit-remaining': '1' } }),
    'header location: ours /v1/checkouts/•, theirs nothing',
  ],
  ['no JSON', () => ({ status: 201, text: 'hello' }), 'type $: ours object, theirs no JSON'],
  ['no answer', () => 'close', 'connection connection: ours answered, theirs closed'],
])('%s is one difference a step', async (_, theirs, difference) => {
  const { code, out } = await compare(theirs)
  expect(code).toBe(1)
  expect(out).toContain(`  ≠ 1 POST /v1/checkouts\n      ${difference}\n`)
  expect(out.split('≠').length - 1).toBeLessThanOrEqual(3)
})

test('the drift report as JSON', async () => {
  const folder = await folderOf({})
  const file = join(folder, 'drift.json')
  await compare((asked) => ({ ...answer(asked), status: 200 }), { reports: [`json=${file}`] })
  const { files } = JSON.parse(await readFile(file, 'utf8'))
  expect(files).toHaveLength(1)
  expect(files[0].differences).toEqual([
    { place: '1', label: 'POST /v1/checkouts', kind: 'status', path: 'status', ours: '201', theirs: '200' },
    {
      place: '2',
      label: 'GET /v1/checkouts/${id}',
      kind: 'status',
      path: 'status',
      ours: '201',
      theirs: '200',
    },
    {
      place: '3',
      label: 'POST /v1/checkouts × 2',
      kind: 'status',
      path: 'statuses',
      ours: '2 × 201',
      theirs: '2 × 200',
    },
  ])
})

test('only JSON reports a comparison', async () => {
  expect(await compare(answer, { reports: ['junit=a.xml'] })).toMatchObject({
    code: 2,
    err: '--compare reports as json=FILE only.',
  })
})

test('a file that cannot even begin at the target is no agreement', async () => {
  const ours = await steered(answer)
  const target = await service(() => ({ status: 404, json: { message: 'Route not found' } }))
  const startOwn = async () => ({ url: ours.url, apiKey: KEY, close: async () => {} })
  const { code, out } = await play(SCENARIO, { target: target.url, compare: true }, { startOwn })
  expect(out).toContain("failed: The tester's API answers 404 to POST /sandboxes: Route not found")
  expect(out).toContain('no difference in 0 of 1 files')
  expect(code).toBe(1)
})
