/** A time written by a person: the same instant on every machine, or refused. */
import { expect, test } from 'vitest'
import { timeIn } from '../../src/spec/contract/time.ts'

const NEW_YEAR = Date.UTC(2026, 0, 1)

test.for([
  ['2026-01-01T00:00:00.000Z', NEW_YEAR],
  ['2026-01-01T00:00:00Z', NEW_YEAR],
  ['2026-01-01T00:00Z', NEW_YEAR],
  ['2026-01-01T09:00+09:00', NEW_YEAR],
  ['2026-01-01', NEW_YEAR],
  ['2024-02-29T00:00:00.5Z', Date.UTC(2024, 1, 29) + 500],
  ['2026-01-01T00:00:00', Number.NaN],
  ['2026-01-01T00:00', Number.NaN],
  ['2026-01-01 00:00:00Z', Number.NaN],
  ['2026-02-31T00:00:00Z', Number.NaN],
  ['2026-02-29', Number.NaN],
  ['2026-01-01T25:00:00Z', Number.NaN],
  ['Jan 2 2027', Number.NaN],
  ['2026', Number.NaN],
  ['', Number.NaN],
] as const)('%s is %d', ([text, ms]) => {
  expect(timeIn(text)).toBe(ms)
})
