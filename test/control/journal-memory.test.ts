/** How many requests the journal keeps. */
import { expect, test } from 'vitest'
import { Journal } from '../../src/service/door/journal.ts'
import type { Answer, PlatformRequest } from '../../src/service/door/request.ts'

const ANSWER: Answer = { status: 200, headers: {}, body: '' }
const request = (body: string) =>
  ({
    method: 'POST',
    target: '/v1/checkouts',
    origin: '',
    ip: '',
    idempotencyKeys: [],
    header: () => undefined,
    body: Buffer.from(body),
  }) as unknown as PlatformRequest

test('the journal keeps a limited number of requests, and fewer large ones', () => {
  const journal = new Journal({ capacity: 3, maxChars: 140 })
  const ids = () => [...journal.newestFirst()].map(({ id }) => id)
  const ask = (body: string) => {
    journal.close(journal.open(request(body), undefined, 0), ANSWER, 0)
  }
  for (let n = 0; n < 5; n += 1) ask('small')
  expect(ids()).toEqual(['req_5', 'req_4', 'req_3'])
  expect(journal.find('req_2')).toBeUndefined()

  ask('x'.repeat(60))
  expect(ids()).toEqual(['req_6', 'req_5', 'req_4'])
  ask('x'.repeat(60))
  expect(ids()).toEqual(['req_7'])
  ask('x'.repeat(141))
  expect(ids()).toEqual([])

  journal.clear()
  ask('small')
  ask('small')
  expect(ids()).toEqual(['req_10', 'req_9'])
  expect(journal.find('req_9')?.id).toBe('req_9')
  expect(journal.find('req_1')).toBeUndefined()
})

test('a request in flight when the journal is cleared is not counted', () => {
  const journal = new Journal({ capacity: 10, maxChars: 140 })
  const early = journal.open(request('x'.repeat(90)), undefined, 0)
  journal.clear()
  const late = journal.open(request('x'.repeat(90)), undefined, 0)
  journal.close(early, ANSWER, 0)
  journal.close(late, ANSWER, 0)
  expect([...journal.newestFirst()]).toEqual([late])
})
