/** What a request costs does not grow with the number of clients, and windows that have expired do not stay. */
import { expect, test } from 'vitest'
import { RateLimit, type RequestWindow } from '../../src/service/door/rate-limit.ts'

class LookedThrough extends Map<string, RequestWindow> {
  looks = 0

  override *[Symbol.iterator](): MapIterator<[string, RequestWindow]> {
    for (const window of this.entries()) {
      this.looks += 1
      yield window
    }
  }
}

test('windows are looked through more rarely the more there are', () => {
  const windows = new LookedThrough()
  const rateLimit = new RateLimit(100, { windows })
  const count = (clients: number, now: number) => {
    for (let client = 0; client < clients; client += 1) rateLimit.count(`client ${client} at ${now}`, now)
  }
  count(10_000, 0)
  expect(windows.looks).toBeLessThan(20_000)
  count(20_000, 60_000)
  expect(windows.size).toBe(20_000)
})
