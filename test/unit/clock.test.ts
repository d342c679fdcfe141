/** What a clock refuses: an alarm that never rings would keep all others from ringing. */
import { expect, test } from 'vitest'
import { Clock } from '../../src/spec/world/clock.ts'

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'an alarm at %s is refused, and the others ring',
  (instant) => {
    const clock = new Clock({ frozenAt: 0, offsetMs: 0 })
    const rung: string[] = []
    expect(() => clock.alarmWhileProcessRuns(instant, () => rung.push('never'))).toThrow(
      'is no instant of a clock',
    )
    clock.alarmWhileProcessRuns(5, () => rung.push('at 5'))
    clock.moveTo(10)
    expect(rung).toEqual(['at 5'])
  },
)
