import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { EFFORT } from '../effort.ts'
import { type Names, prepare } from './case.ts'
import { isRemote, openPlatform } from './platform.ts'
import { head, listening, sendRaw } from './socket.ts'

const NASTY_TEXT = [
  '',
  ' ',
  '\u0000',
  '\ufeff',
  '\ud800',
  '\udfff\ud800',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; DROP TABLE checkouts; --",
  '%',
  '%00',
  '%2F..%2F',
  '../../etc/passwd',
  '🧾'.repeat(200),
  'x'.repeat(5_000),
  '{checkout}',
  '<script>alert(1)</script>',
  '\r\nx-api-key: no',
] as const

const NASTY_NUMBERS = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '9007199254740993',
  '0.1',
  '1.005',
  '99999999999999999999.99',
]

const text = fc.oneof(
  fc.constantFrom(...NASTY_TEXT),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string(),
)

/** Existing ids and references, so that a request gets as far as possible. */
const known = fc.constantFrom(
  ...[
    '{checkout}',
    '{refund}',
    '{customer}',
    '{method}',
    '{authorization}',
    '{bank}',
    'biz-{run}',
    'order-{run}',
  ],
)

const FIELDS = [
  ...['orderId', 'externalId', 'amount', 'successUrl', 'cancelUrl', 'paymentMethodType', 'paymentMethodId'],
  ...['checkoutId', 'authorizationId', 'customerId', 'name', 'email', 'phone', '__proto__', 'constructor'],
]

const asObject = (fields: readonly (readonly [string, string])[]) =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`

/** JSON texts that JSON.stringify cannot produce: numbers beyond a double, duplicate field names. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', ...NASTY_NUMBERS),
    fc.oneof(known, text).map((word) => JSON.stringify(word)),
    fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0.01, 10, 999_999_999.99)).map(String),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items}]`),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map(asObject),
  ),
})).value

const likelyBody = fc.array(fc.tuple(fc.constantFrom(...FIELDS), jsonText), { maxLength: 8 }).map(asObject)

const body = fc.oneof(
  { weight: 6, arbitrary: likelyBody },
  { weight: 2, arbitrary: jsonText },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)

/** Text that can be part of a path: a lone surrogate cannot be encoded, and an empty or dotted segment changes the path. */
const inPath = (text: string): string =>
  /^\.{0,2}$/.test(text) ? '%20' : encodeURIComponent(text.toWellFormed())

const id = fc.oneof({ weight: 3, arbitrary: known }, { weight: 2, arbitrary: text.map(inPath) })

const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom('limit', 'cursor', 'status', 'type', ...FIELDS), text),
      fc.oneof(known, text),
    ),
    {
      maxLength: 4,
    },
  )
  .map((pairs) =>
    pairs
      .map(([name, value]) => `${inPath(name)}=${value.startsWith('{') ? value : inPath(value)}`)
      .join('&'),
  )

const headerText = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    '',
    'application/json',
    'text/plain',
    '\u00e9',
    '"',
    'k',
    'k'.repeat(256),
    'chunked',
    '*/*',
    '1',
  ),
)
const headers = fc.dictionary(
  fc.constantFrom(
    'idempotency-key',
    'content-type',
    'accept',
    'x-forwarded-for',
    'prefer',
    'if-none-match',
    'range',
  ),
  headerText.filter((value) => !/[\0\r\n]/.test(value)),
  { maxKeys: 3 },
)

const calls = [
  ...OPERATIONS.map(({ method, path }) => `${method} ${path}`),
  'DELETE /v1/checkouts/{id}',
  'GET /v1/{id}',
]

const hostileRequest = fc.record({
  call: fc.constantFrom(...calls),
  ids: fc.tuple(id, id),
  query,
  headers,
  body,
})

const fill = (text: string, names: Names) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name) => names[name] ?? whole)

describe('random requests', () => {
  test.skipIf(isRemote)('get a response of the contract, and the state stays consistent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileRequest, { minLength: 1, maxLength: 12 }), async (requests) => {
        const platform = openPlatform({ log: 'silent' })
        const names = await prepare(platform, [
          'a bank checkout',
          'a checkout',
          'it is confirmed',
          'a refund of 250.00',
          'an authorization',
        ])
        for (const { call, ids, query, headers, body } of requests) {
          const [method, path] = call.split(' ') as [string, string]
          const [first, second] = ids
          const target = path.replace('{id}', first).replace('{paymentMethodId}', second)
          const received = await platform.send({
            call: `${method} ${fill(`${target}?${query}`, names)}`,
            headers,
            ...(method !== 'GET' &&
              body !== undefined && { body: typeof body === 'string' ? fill(body, names) : body }),
          })
          expect(received.status).toBeLessThan(500)
        }
        expectSound(platform.tester.sandbox.committedStore())
      }),
      { numRuns: 60 * EFFORT },
    )
  })
})

type Store = ReturnType<ReturnType<typeof openPlatform>['tester']['sandbox']['committedStore']>

/** Invariants after any requests: no charge is refunded twice, and all stored data can be read back. */
function expectSound(store: Store): void {
  const all = { limit: 1_000 }
  for (const { amount, amountRefunded } of store.checkouts.list(all).data) {
    expect(amountRefunded).toBeLessThanOrEqual(amount)
  }
  for (const { amountCaptured, amountRefunded } of store.authorizations.list(all).data) {
    expect(amountRefunded).toBeLessThanOrEqual(amountCaptured)
  }
}

describe.skipIf(isRemote)('over a socket', () => {
  const json = 'content-type: application/json'
  const post = (length: number, ...lines: string[]) =>
    head('POST /v1/checkouts', json, `content-length: ${length}`, ...lines)
  const MALFORMED = { error: 'Bad Request', message: 'Malformed JSON body' }
  const TOO_LARGE = { error: 'Content Too Large', message: 'Request body is too large' }

  const bodies: readonly [string, Uint8Array, number, object][] = [
    ['1 MB of spaces', Buffer.alloc(1_000_000, ' '), 413, TOO_LARGE],
    ['1 MB of opening brackets', Buffer.alloc(1_000_000, '['), 413, TOO_LARGE],
    ['100 KB of opening brackets', Buffer.alloc(100_000, '['), 400, MALFORMED],
    [
      '20 000 objects in each other',
      Buffer.from(`${'{"a":'.repeat(16_000)}1${'}'.repeat(16_000)}`),
      400,
      MALFORMED,
    ],
    [
      'a surrogate in UTF-8',
      Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
      400,
      MALFORMED,
    ],
    ['null bytes', Buffer.alloc(1_000), 400, MALFORMED],
  ]

  test.for(bodies)('%s', async ([, bytes, status, body]) => {
    const { port } = await listening()
    const answer = await sendRaw(port, post(bytes.length), bytes)
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toMatchObject({ status, body })
  })

  test.for(bodies)('%s, in chunks', async ([, bytes, status, body]) => {
    const { port } = await listening()
    const answer = await sendRaw(
      port,
      head('POST /v1/checkouts', json, 'transfer-encoding: chunked'),
      ...chunked(bytes),
    )
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toMatchObject({ status, body })
  })

  test('a body over 100 KiB is refused before the client has sent all of it', async () => {
    const { port } = await listening()
    const answer = await sendRaw(port, post(1_000_000_000), Buffer.alloc(200_000, ' '))
    expect(answer.status).toBe(413)
  })
})

const chunked = (bytes: Uint8Array): (string | Uint8Array)[] => {
  const chunks: (string | Uint8Array)[] = []
  for (let at = 0; at < bytes.length; at += 50_000) {
    const chunk = bytes.subarray(at, at + 50_000)
    chunks.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n')
  }
  return [...chunks, '0\r\n\r\n']
}
