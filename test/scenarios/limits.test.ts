/** Inputs that could block a sandbox forever, and with it every other. */
import { describe, expect, test } from 'vitest'
import type { Armable } from '../../src/sandbox/scenario-file/armable.ts'
import { matches } from '../../src/sandbox/scenario-file/matcher.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { TESTER_LIMITS } from '../../src/spec/contract/limits.ts'
import { Clock } from '../../src/spec/world/clock.ts'
import { ORDER } from '../order.ts'
import { start } from './start.ts'

const read = (behavior: object) => parseScenario(JSON.stringify({ name: 'n', behaviors: [behavior] }))

describe('a file must not contain', () => {
  test.each<[string, object, string]>([
    ['a p99 below p50', { do: { delay: { p50: '2s', p99: '1s' } } }, 'delay.p99 must be p50 or longer'],
    ['30,000,000 deliveries of an event', { do: { webhook: { duplicate: 30_000_000 } } }, 'at most 100'],
    ['a count without end', { times: 1e9, do: { fault: 'hang' } }, 'at most 1000000'],
    ['a skip without end', { skip: 1e9, do: { fault: 'hang' } }, 'at most 1000000'],
    [
      'reads without end',
      {
        when: { resource: 'refund', enters: 'pending' },
        do: { transition: 'completed', after: { polls: 1e9 } },
      },
      'at most 1000000',
    ],
    ['a rate limit without end', { do: { rateLimit: { limit: 1e15 } } }, 'at most 1000000000'],
    ['a hundred and one years', { do: { delay: '36865d' } }, 'a duration such as'],
    ['a name of 256 characters', { do: { hold: 'g'.repeat(256) } }, 'at most 255'],
    [
      'a regex with a look-around',
      { when: { key: { regex: '(?=a)b' } }, do: { fault: 'hang' } },
      'without look-around',
    ],
    ['a regex of 501 steps', { when: { key: { regex: 'x{501}' } }, do: { fault: 'hang' } }, '500 steps'],
    [
      'a regex of 1,001 characters',
      { when: { key: { regex: 'x|'.repeat(501) } }, do: { fault: 'hang' } },
      '1000 characters',
    ],
    [
      'a header that HTTP does not allow',
      { do: { respond: { status: 200, headers: { 'a b': 'c' } } } },
      'a name that HTTP allows',
    ],
    [
      'a header over two lines',
      { do: { respond: { status: 200, headers: { a: 'b\r\nc: d' } } } },
      'text that HTTP allows',
    ],
    [
      'another length than the body has',
      { do: { respond: { status: 200, headers: { 'Content-Length': '1' } } } },
      'follows from the body',
    ],
    [
      'fields after a body with a length',
      { do: { respond: { status: 200, headers: { Trailer: 'x-sum' } } } },
      'follows from the body',
    ],
    [
      'fifty-one headers',
      {
        do: {
          respond: {
            status: 200,
            headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`h${n}`, ''])),
          },
        },
      },
      'at most 50 headers',
    ],
  ])('%s', (_, behavior, rule) => {
    expect(() => read(behavior)).toThrow(rule)
  })

  test('more behaviors than a sandbox can have', () => {
    const behaviors = Array.from({ length: TESTER_LIMITS.behaviors.max + 1 }, () => ({
      do: { fault: 'hang' },
    }))
    expect(() => parseScenario(JSON.stringify({ name: 'n', behaviors }))).toThrow('at most 1000')
  })
})

describe('the same limits apply to behaviors as objects', () => {
  test.each<[string, Armable['do'], string]>([
    ['a delay that is not a number', { delay: Number.NaN }, 'behaviors[0].do.delay'],
    ['a delay before now', { delay: -1 }, 'behaviors[0].do.delay'],
    ['a p99 below p50', { delay: { p50: 2, p99: 1 } }, 'p50 or longer'],
    ['30,000,000 deliveries', { webhook: { duplicate: 30_000_000 } }, 'duplicate'],
    [
      'a header over two lines',
      { respond: { status: 200, headers: { a: 'b\r\nc: d' } } },
      'text that HTTP allows',
    ],
  ])('%s', (_, words, rule) => {
    const { behaviors } = start()
    expect(() => behaviors.armed.arm([{ do: words }])).toThrow(rule)
    expect(behaviors.armed.list()).toEqual([])
  })

  test('more behaviors than a sandbox can have, armed a few at a time', () => {
    const { behaviors } = start()
    for (let armed = 0; armed < TESTER_LIMITS.behaviors.max; armed += 250) {
      behaviors.armed.arm(
        Array.from({ length: 250 }, () => ({ continue: true, do: { fault: 'hang' } as const })),
      )
    }
    expect(() => behaviors.armed.arm([{ do: { fault: 'hang' } }])).toThrow('at most 1000')
    behaviors.armed.disarm('behavior-1')
    expect(behaviors.armed.arm([{ do: { fault: 'hang' } }])).toHaveLength(1)
  })
})

test('a delay of 0s does not wait', async () => {
  const { arm, call, parked, advance } = start()
  arm({ do: { delay: { p50: '0s', p99: '0s' } } })
  const answer = call('POST /v1/checkouts', { json: ORDER })
  await parked(1)
  await advance(0)
  expect((await answer).status).toBe(201)
})

describe('the clock refuses a value that is not a time', () => {
  const wrong = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  test.each(wrong)('%d', (instant) => {
    const clock = new Clock({ frozenAt: 0, offsetMs: 0 })
    expect(() => clock.alarmWhileProcessRuns(instant, () => {})).toThrow(RangeError)
    expect(() => clock.moveTo(instant)).toThrow(RangeError)
    expect(() => clock.restore({ frozenAt: instant, offsetMs: 0 })).toThrow(RangeError)
    expect(() => clock.restore({ frozenAt: null, offsetMs: instant })).toThrow(RangeError)
    expect(clock.alarmCount).toBe(0)
  })
})

describe('a regex', () => {
  test('that would run for years in JavaScript runs for milliseconds', () => {
    expect(matches({ regex: '^(a+)+$' }, `${'a'.repeat(5_000)}b`)).toBe(false)
    expect(matches({ regex: '^(a+)+$' }, 'a'.repeat(5_000))).toBe(true)
  })

  test.each([
    ['chk_\\w{3}', 'a chk_123', true],
    ['^ref_', 'chk_1', false],
    ['^\\u0041\\/\\d$', 'A/1', true],
    ['(?<year>\\d{4})-01', '2026-01', true],
    ['^\\p{Lu}', 'Über', true],
    ['a|b', 'c', false],
    ['^.$', '🧾', true],
  ])('%s in %s', (regex, text, found) => {
    expect(matches({ regex }, text)).toBe(found)
  })
})
