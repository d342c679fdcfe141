/** Rate limits: expired windows are removed, and a limit is reported with its window. */
import { expect, test } from 'vitest'
import { rateLimitText } from '../../src/sandbox/log.ts'
import { RateLimit } from '../../src/service/door/rate-limit.ts'
import { contractOf } from '../../src/spec/contract/contract.ts'

test('expired windows are removed', () => {
  const windows = new Map()
  const rateLimit = new RateLimit(100, { windowMs: 60_000, windows })
  const count = (clients: number, now: number) => {
    for (let client = 0; client < clients; client += 1) rateLimit.count(`client ${client} at ${now}`, now)
  }
  count(10_000, 0)
  count(20_000, 60_000)
  expect(windows.size).toBe(20_000)
})

test("a limit is reported with its window, and as the environment's only if it is the service's default", () => {
  const short = contractOf({ rateLimit: { window: '10s' } })
  expect(rateLimitText(100, contractOf(undefined), 'staging')).toEqual({
    requests: '100 requests a minute for each IP, like staging',
    flag: '--rate-limit',
  })
  expect(rateLimitText(100, short, 'production')).toEqual({
    requests: '100 requests in 10s for each IP, like production',
    flag: '--production-rate-limit',
  })
  expect(rateLimitText(7, short, 'staging').requests).toBe('7 requests in 10s for each IP')
})
