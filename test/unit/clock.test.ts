import { expect, test } from 'vitest'
import { Clock } from '../../src/spec/world/clock.ts'

// An alarm that never rings would block all others.
test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'an alarm at %s is refused, and the others ring',
  (instant) => {
    const clock = new Clock({ frozenAt: 0, offsetMs: 0 })
    const rung: string[] = []
    expect(() => clock.alarmWhileProcessRuns(instant, () => rung.push('never'))).toThrow(
      'is not an instant of a clock',
    )
    clock.alarmWhileProcessRuns(5, () => rung.push('at 5'))
    clock.moveTo(10)
    expect(rung).toEqual(['at 5'])
  },
)

test('an alarm at the first instant of 1970, which is 0, rings', () => {
  const clock = new Clock({ frozenAt: -5, offsetMs: 0 })
  const rung: string[] = []
  clock.alarmWhileProcessRuns(0, () => rung.push('at 0'))
  clock.moveTo(10)
  expect(rung).toEqual(['at 0'])
})
