import { describe, expect, test } from 'vitest'
import { ENDPOINTS, type ReadingId, usualPathOf } from '../../src/spec/contract/endpoints.ts'
import { type Case, play, prepare, request } from './case.ts'
import { ORDER } from './given.ts'
import { isRemote, listRules, openPlatform, type Platform } from './platform.ts'

interface Page {
  data: { id: string }[]
  hasMore: boolean
  nextCursor: string | null
}

const get = async (platform: Platform, target: string) =>
  (await platform.send({ call: `GET ${target}` })).body as Page

/** Creates checkouts with one orderId; returns their ids, newest first. */
async function create(platform: Platform, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1) {
    const { body } = await platform.send(
      request({ call: 'POST /v1/checkouts', json: ORDER }, { run: platform.run }),
    )
    ids.unshift((body as { id: string }).id)
  }
  return ids
}

/** Follows the cursors from page to page. */
async function walk(platform: Platform, target: string, between = async () => {}): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await get(platform, `${target}${cursor && `&cursor=${cursor}`}`)
    expect(page.hasMore).toBe(page.nextCursor !== null)
    pages.push(page.data.map(({ id }) => id))
    cursor = page.nextCursor
    await between()
  }
  return pages
}

const mine = (platform: Platform, limit: number) =>
  `/v1/checkouts?orderId=order-${platform.run}&limit=${limit}`

describe('pages', () => {
  test.for([
    { count: 0, limit: 3, sizes: [0] },
    { count: 2, limit: 3, sizes: [2] },
    { count: 3, limit: 3, sizes: [3] },
    { count: 4, limit: 3, sizes: [3, 1] },
    { count: 6, limit: 3, sizes: [3, 3] },
    { count: 7, limit: 1, sizes: [1, 1, 1, 1, 1, 1, 1] },
    { count: 7, limit: 100, sizes: [7] },
  ])('$count rows with a limit of $limit come as $sizes', async ({ count, limit, sizes }) => {
    const platform = openPlatform()
    const ids = await create(platform, count)
    const pages = await walk(platform, mine(platform, limit))
    expect(pages.map(({ length }) => length)).toEqual(sizes)
    expect(pages.flat()).toEqual(ids)
  })

  test(`have ${listRules.size} rows by default`, async () => {
    const platform = openPlatform()
    const ids = await create(platform, listRules.size + 1)
    const page = await get(platform, `/v1/checkouts?orderId=order-${platform.run}`)
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, listRules.size))
  })

  test('do not shift while rows are added: no row is seen twice or missed', async () => {
    const platform = openPlatform()
    const ids = await create(platform, 7)
    const pages = await walk(platform, mine(platform, 2), async () => void (await create(platform, 3)))
    expect(pages.flat()).toEqual(ids)
  })

  test('can be read again: a cursor keeps its place', async () => {
    const platform = openPlatform()
    await create(platform, 5)
    const { nextCursor } = await get(platform, mine(platform, 2))
    const first = await get(platform, `${mine(platform, 2)}&cursor=${nextCursor}`)
    await create(platform, 2)
    expect(await get(platform, `${mine(platform, 2)}&cursor=${nextCursor}`)).toEqual(first)
  })

  test('continue at the same place if the limit changes', async () => {
    const platform = openPlatform()
    const ids = await create(platform, 5)
    const { nextCursor } = await get(platform, mine(platform, 2))
    const page = await get(platform, `${mine(platform, 100)}&cursor=${nextCursor}`)
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(2))
  })
})

type ListId = {
  [Id in ReadingId]: (typeof ENDPOINTS)[Id] extends { does: 'list' } ? Id : never
}[ReadingId]

/** The number of rows in each list after the steps below. */
const ROWS_LISTED: Readonly<Record<ListId, number>> = {
  'checkouts.list': 3,
  'checkouts.refunds': 2,
  'refunds.list': 3,
  'authorizations.list': 1,
  'customers.list': 2,
  'paymentMethods.list': 1,
  'events.list': 15,
}

describe.skipIf(isRemote)('every list has pages', () => {
  test.for(Object.entries(ROWS_LISTED))('%s', async ([id, count]) => {
    const row = ENDPOINTS[id as ListId]
    const path = usualPathOf(id as ListId).replace('{id}', 'of' in row ? `{${row.of}}` : '')
    const platform = openPlatform()
    const names = await prepare(platform, [
      'a checkout',
      'another checkout',
      'it is confirmed',
      'a refund of 250.00',
      'a refund of 750.00',
      'an authorization',
      'it is captured',
      'a refund of all of it',
      'another customer',
      'another checkout',
      'the refund is due',
    ])
    const { call } = request({ call: `${path}?limit=1` }, names)
    const pages = await walk(platform, call)
    expect(pages.map(({ length }) => length)).toEqual(Array(count).fill(1))
    expect(new Set(pages.flat()).size).toBe(count)
    const { call: whole } = request({ call: `${path}?limit=100` }, names)
    expect((await walk(platform, whole)).flat()).toEqual(pages.flat())
  })
})

describe('invalid parameters', () => {
  const refused = (query: string, message: string): Case => ({
    name: query,
    call: `GET /v1/checkouts?${query}`,
    status: 400,
    body: { error: 'Bad Request', message: `Invalid query parameter: ${message}` },
  })
  const limitRule = `limit must be a whole number from 1 to ${listRules.maxSize}`
  const cursorRule = 'cursor must be the nextCursor of an earlier page'
  play([
    ...['0', String(listRules.maxSize + 1), '-1', '1.5', '1e1', '', 'ten', '%2010', '1000000000000'].map(
      (limit) => refused(`limit=${limit}`, limitRule),
    ),
    ...['', '0', '1', 'abc', 'MA', 'LTE', 'MS41', 'MQ==', 'chk_7Qm2ZxT9cLw4RbN8sVk1YdHf', '%00'].map(
      (cursor) => refused(`cursor=${cursor}`, cursorRule),
    ),
    refused('limit=0&limit=5', limitRule),
    refused('status=', 'status must be one of pending, approved, confirmed, canceled'),
  ])
  play([
    {
      name: 'a duplicate parameter is not invalid: its first value counts',
      given: ['a checkout', 'another checkout'],
      call: 'GET /v1/checkouts?orderId=order-{run}&limit=1&limit=0',
      status: 200,
      body: { data: [{ id: '{another}' }], hasMore: true },
    },
    {
      name: 'the name of an inherited property is an unknown parameter',
      given: ['a checkout'],
      call: 'GET /v1/checkouts?orderId=order-{run}&__proto__=x&constructor=y',
      status: 200,
      body: { data: [{ id: '{checkout}' }] },
    },
    {
      name: 'a filter matches literally',
      given: ['a checkout'],
      call: "GET /v1/checkouts?orderId=order-{run}'%20OR%201=1--",
      status: 200,
      body: { data: [] },
    },
  ])
})
