/** Inputs that could block a sandbox forever, and with it every other. */
import { describe, expect, test } from 'vitest'
import { matches } from '../../src/sandbox/scenario-file/matcher.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { TESTER_LIMITS } from '../../src/spec/contract/limits.ts'
import { Clock } from '../../src/spec/world/clock.ts'
import { ORDER } from '../order.ts'
import { start } from './start.ts'

// test/control/mistakes.test.ts has the limits of one behavior.
test('a file must not contain more behaviors than a sandbox can have', () => {
  const behaviors = Array(TESTER_LIMITS.behaviors.max + 1).fill({ do: { fault: 'hang' } })
  expect(() => parseScenario(JSON.stringify({ name: 'n', behaviors }))).toThrow('at most 1000')
})

test('a sandbox refuses more behaviors than it can have, armed a few at a time', () => {
  const { behaviors } = start()
  const hang = { continue: true, do: { fault: 'hang' } } as const
  for (let armed = 0; armed < TESTER_LIMITS.behaviors.max; armed += 250) {
    behaviors.armed.arm(Array(250).fill(hang))
  }
  expect(() => behaviors.armed.arm([hang])).toThrow('at most 1000')
  behaviors.armed.disarm('behavior-1')
  expect(behaviors.armed.arm([hang])).toHaveLength(1)
})

test('a delay that is not a number is refused in code', () => {
  expect(() => start().behaviors.armed.arm([{ do: { delay: Number.NaN } }])).toThrow('behaviors[0].do.delay')
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
