import { expect, test } from 'vitest'
import { Duration, formatDuration, parseDuration, tookText } from '../../src/spec/contract/duration.ts'

test.each([
  ['250ms', 250],
  ['5s', 5_000],
  ['1m', 60_000],
  ['2h', 7_200_000],
  ['2d', 172_800_000],
  ['1h30m', 5_400_000],
  ['1m500ms', 60_500],
  ['0s', 0],
])('%s is %i milliseconds, and is printed as such', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
  expect(formatDuration(ms)).toBe(text)
})

test('a duration is written with the largest units that fit', () => {
  expect(formatDuration(parseDuration('90s'))).toBe('1m30s')
  expect(formatDuration(parseDuration('24h'))).toBe('1d')
})

test.each([
  [0, '0 ms'],
  [0.84, '0.8 ms'],
  [9.96, '10 ms'],
  [250.4, '250 ms'],
  [999.6, '1.0 s'],
  [1_240, '1.2 s'],
  [61_000, '61.0 s'],
])('%d elapsed milliseconds are shown as %s', (ms, text) => {
  expect(tookText(ms)).toBe(text)
})

test.each([
  '',
  '5',
  's',
  '5 s',
  '-5s',
  '1.5h',
  '5sec',
  '30m1h',
  '5s5s',
  '99999d',
  '9999999999ms',
  ' 5s',
  '5s\n',
])('%j is refused in one sentence', (text) => {
  const rule = 'must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d'
  expect(() => parseDuration(text)).toThrow(`${JSON.stringify(text)} ${rule}`)
  expect(Duration.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([rule])
})
