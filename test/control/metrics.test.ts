import { expect, test } from 'vitest'
import { Journal } from '../../src/service/door/journal.ts'
import type { Answer, PlatformRequest } from '../../src/service/door/request.ts'
import { confirmedCheckout, openShop, order, refund } from './shop.ts'

test('metrics have the format of Prometheus', async () => {
  const { simulator, shop, call } = openShop()
  simulator.create({ name: 'other' })
  await refund(call, await confirmedCheckout(call), 10)
  await call('POST', '/v1/checkouts', { ...order(), amount: 'ten' })
  await call('GET', '/v1/nothing')

  const response = await simulator.fetch(new Request('http://paysim.test/_sim/metrics'))
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)$/)
  }
  for (const line of [
    'paysim_requests_total{operation="checkouts.create",status="201"} 1',
    'paysim_requests_total{operation="checkouts.create",status="400"} 1',
    'paysim_requests_total{operation="none",status="404"} 1',
    'paysim_request_duration_seconds_bucket{operation="checkouts.create",le="+Inf"} 2',
    'paysim_request_duration_seconds_count{operation="checkouts.create"} 2',
    'paysim_request_duration_seconds_count{operation="none"} 1',
    'paysim_requests_in_flight 0',
    'paysim_deliveries{status="pending"} 0',
    'paysim_agenda_items 1',
    'paysim_sandboxes 2',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(shop.requests()).toHaveLength(5)
})

test('the buckets of the histogram add up', async () => {
  const { simulator, call } = openShop()
  for (let n = 0; n < 20; n += 1) await call('GET', '/v1/checkouts')
  const counts = [
    ...simulator.metrics().matchAll(/_bucket\{operation="checkouts.list",le="[^"]+"\} (\d+)/g),
  ].map(([, count]) => Number(count))
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(counts.at(-1)).toBe(20)
})

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
