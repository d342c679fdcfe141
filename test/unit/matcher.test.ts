import { describe, expect, test } from 'vitest'
import { differences, isMatcher, matches } from '../../src/sandbox/scenario-file/matcher.ts'
import { Expected } from '../../src/sandbox/scenario-file/matcher-schema.ts'

const checkout = {
  id: 'chk_1',
  amount: 1000,
  status: 'pending',
  createdAt: '2026-01-01T00:00:00.000Z',
  canceledAt: null,
  card: { brand: 'visa', last4: '4242' },
  refunds: [{ id: 'ref_1', amount: 10 }],
}

describe('matches', () => {
  test.each([
    ['the fields that are named', { status: 'pending', card: { last4: '4242' } }],
    ['a number, however it was written', { amount: 1000.0 }],
    ['null', { canceledAt: null }],
    ['a list by its items', { refunds: [{ amount: 10 }] }],
    ['a range', { amount: { gt: 999, lte: 1000 } }],
    ['timestamps by their order in time', { createdAt: { gte: '2025-12-31T23:59:59.000Z', lt: '2026-02' } }],
    ['a regular expression', { id: { regex: '^chk_' } }],
    ['one of some values, matchers among them', { status: { oneOf: ['confirmed', { regex: '^pend' }] } }],
    ['a field that exists, be it null', { canceledAt: { exists: true }, nope: { exists: false } }],
    ['types', { id: { type: 'string' }, amount: { type: 'integer' }, card: { type: 'object' } }],
    ['more types', { canceledAt: { type: 'null' }, refunds: { type: 'array' } }],
    ['nothing expected', {}],
    ['a length, of a list and of a text', { refunds: { length: 1 }, id: { length: { gte: 5 } } }],
    [
      'an item of a list, a part of a text',
      { refunds: { contains: { id: 'ref_1' } }, id: { contains: 'hk_' } },
    ],
    ['every item', { refunds: { every: { amount: { gt: 1 } } } }],
    ['no item', { refunds: { none: { amount: { gt: 10 } } } }],
    ['absent', { nope: { absent: true } }],
    [
      'anything but a value',
      { status: { not: 'failed' }, canceledAt: { not: 1 }, amount: { not: { gt: 1000 } } },
    ],
    ['a literal value', { card: { equals: { last4: '4242', brand: 'visa' } } }],
    ['a list without doubles', { refunds: { unique: true } }],
    [
      'several together',
      { refunds: { length: { gte: 1 }, every: { amount: 10 }, unique: 'id', sorted: 'asc' } },
    ],
  ])('%s', (_, expected) => {
    expect(differences(expected, checkout)).toEqual([])
    expect(matches(expected, checkout)).toBe(true)
  })

  test('a field with the name of a matcher, and a value that the matcher does not accept', () => {
    expect(isMatcher({ type: 'card' })).toBe(false)
    expect(matches({ type: 'card' }, { type: 'card', status: 'attached' })).toBe(true)
    expect(matches({ exists: 'yes', gt: 1 }, { exists: 'yes', gt: 1 })).toBe(true)
  })

  test('a whole body, or its absence', () => {
    expect(matches({ exists: false }, undefined)).toBe(true)
    expect(matches({ type: 'object' }, {})).toBe(true)
  })
})

describe('a difference has its path', () => {
  test.each([
    [{ status: 'confirmed' }, '$.status', '"confirmed"', '"pending"'],
    [{ card: { last4: '0000' } }, '$.card.last4', '"0000"', '"4242"'],
    [{ refunds: [{ amount: 11 }] }, '$.refunds[0].amount', '11', '10'],
    [{ refunds: [] }, '$.refunds', '[]', '[{"id":"ref_1","amount":10}]'],
    [{ nope: 1 }, '$.nope', '1', 'nothing'],
    [{ 'odd name': 1 }, '$["odd name"]', '1', 'nothing'],
    [{ canceledAt: { exists: false } }, '$.canceledAt', 'nothing', 'null'],
    [{ amount: { gt: 1000, lt: 5 } }, '$.amount', 'more than 1000 and less than 5', '1000'],
    [{ amount: { gt: '1' } }, '$.amount', 'more than "1"', '1000'],
    [{ id: { regex: '^ref_' } }, '$.id', 'text like /^ref_/', '"chk_1"'],
    [{ status: { oneOf: ['a', { gt: 1 }] } }, '$.status', 'one of "a", more than 1', '"pending"'],
    [{ amount: { type: 'string' } }, '$.amount', 'a value of type string', '1000'],
    [{ amount: '1000' }, '$.amount', '"1000"', '1000'],
    [{ refunds: { length: 2 } }, '$.refunds', 'a length of 2', 'a length of 1'],
    [
      { refunds: { length: 1, sorted: 'asc', contains: 3 } },
      '$.refunds',
      'something with 3',
      '[{"id":"ref_1","amount":10}]',
    ],
    [
      { refunds: { none: { amount: 10 } } },
      '$.refunds[0]',
      'a list of which no item is {"amount":10}',
      '{"id":"ref_1","amount":10}',
    ],
    [
      { refunds: { lenght: 1 } },
      '$.refunds',
      '{"lenght":1}',
      'a list, which has no fields; did you mean length?',
    ],
    [{ amount: { gt: 1, lt: 10 } }, '$.amount', 'less than 10', '1000'],
    [{ amount: { length: 4 } }, '$.amount', 'a length of 4', '1000'],
    [{ id: { contains: 'x' } }, '$.id', 'something with "x"', '"chk_1"'],
    [{ refunds: { every: { amount: 11 } } }, '$.refunds[0].amount', '11', '10'],
    [{ amount: { every: 1 } }, '$.amount', 'a list of which every item is 1', '1000'],
    [{ amount: { none: 1 } }, '$.amount', 'a list of which no item is 1', '1000'],
    [{ status: { absent: true } }, '$.status', 'nothing', '"pending"'],
    [{ status: { not: 'pending' } }, '$.status', 'anything but "pending"', '"pending"'],
    [{ amount: { not: { gte: 5 } } }, '$.amount', 'anything but at least 5', '1000'],
    [{ nope: { not: 1 } }, '$.nope', 'anything but 1', 'nothing'],
    [{ canceledAt: { not: null } }, '$.canceledAt', 'anything but null', 'null'],
    [
      { card: { equals: { brand: 'visa' } } },
      '$.card',
      'exactly {"brand":"visa"}',
      '{"brand":"visa","last4":"4242"}',
    ],
    [{ amount: { equals: { gt: 1 } } }, '$.amount', 'exactly {"gt":1}', '1000'],
    [{ card: null }, '$.card', 'null', '{"brand":"visa","last4":"4242"}'],
    [{ status: { a: 1 } }, '$.status', '{"a":1}', '"pending"'],
  ])('%j', (expected, path, wanted, received) => {
    expect(differences(expected, checkout)).toEqual([{ path, expected: wanted, received }])
  })

  test('all differences are listed', () => {
    expect(differences({ id: 1, status: 2 }, checkout).map(({ path }) => path)).toEqual(['$.id', '$.status'])
  })

  test('with exact, unexpected fields as well', () => {
    expect(differences({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }, { exact: true })).toEqual([
      { path: '$.a.c', expected: 'nothing', received: '2' },
      { path: '$.d', expected: 'nothing', received: '3' },
    ])
  })

  test('inherited names are not fields', () => {
    expect(matches({ toString: { exists: false }, constructor: { exists: false } }, {})).toBe(true)
    expect(isMatcher(JSON.parse('{"__proto__": 1}'))).toBe(false)
  })
})

test('an invalid regular expression is reported at each place', () => {
  const expected = { a: [{ regex: '[' }], b: { oneOf: [1, { regex: '(' }] }, c: { regex: 'ok' } }
  expect(Expected.safeParse(expected).error?.issues.map((issue) => issue.path)).toEqual([
    ['a', 0, 'regex'],
    ['b', 'oneOf', 1, 'regex'],
  ])
})

describe('lists', () => {
  const holds = (expected: unknown, list: unknown) => matches(expected, list)

  test('unique, by the whole item or by a field', () => {
    expect(holds({ unique: true }, [1, 2, { a: 1 }, { a: 2 }])).toBe(true)
    expect(holds({ unique: true }, [{ a: 1 }, { a: 1 }])).toBe(false)
    expect(
      holds({ unique: 'a' }, [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ]),
    ).toBe(false)
    expect(holds({ unique: true }, 'abc')).toBe(false)
  })

  test('sorted, by the item or by a field; equal neighbors are in order only with ties', () => {
    expect(holds({ sorted: 'asc' }, [1, 2, 10])).toBe(true)
    expect(holds({ sorted: 'asc' }, [1, 1, 2])).toBe(false)
    expect(holds({ sorted: { asc: true, ties: true } }, [1, 1, 2])).toBe(true)
    expect(holds({ sorted: { desc: true, ties: true } }, [1, 1, 2])).toBe(false)
    expect(holds({ sorted: { desc: 'at' } }, [{ at: 1 }, { at: 1 }])).toBe(false)
    expect(holds({ sorted: { desc: 'at', ties: true } }, [{ at: 1 }, { at: 1 }])).toBe(true)
    expect(holds({ sorted: 'desc' }, ['b', 'a'])).toBe(true)
    expect(holds({ sorted: 'asc' }, [2, 1])).toBe(false)
    expect(holds({ sorted: { desc: 'at' } }, [{ at: '2026-02' }, { at: '2026-01' }])).toBe(true)
    expect(holds({ sorted: { asc: 'at' } }, [{ at: '2026-02' }, { at: '2026-01' }])).toBe(false)
    expect(holds({ sorted: { asc: 'at' } }, [{ at: 1 }, {}])).toBe(false)
    expect(holds({ sorted: 'asc' }, [])).toBe(true)
    expect(holds({ sorted: 'asc' }, 'abc')).toBe(false)
  })

  test('none and every of an empty list', () => {
    expect(holds({ none: 1, every: 1 }, [])).toBe(true)
    expect(holds({ none: { a: 1 } }, [{ a: 1 }])).toBe(false)
  })
})
