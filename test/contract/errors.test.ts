import { describe, expect, test } from 'vitest'
import type { Operation } from '../../src/service/operations/operation.ts'
import { OPERATIONS, operationsUnder } from '../../src/service/operations/table.ts'
import { DEFINITIONS } from '../../src/spec/contract/resources/index.ts'
import { operationOf } from '../../src/spec/contract/translation.ts'
import { type Case, play, refused } from './case.ts'
import { contract, isRemote, openPlatform } from './platform.ts'
import { head, listening, sendRaw } from './socket.ts'

const PATHS = [...new Set(OPERATIONS.map(({ path }) => path))]
const asked = (path: string) => path.replaceAll(/\{\w+\}/g, 'x')

const allowedAt = (path: string, rows: readonly Operation[]) =>
  ['GET', 'HEAD', 'POST'].filter((method) =>
    rows.some((row) => row.path === path && row.method === method.replace('HEAD', 'GET')),
  )

/** The `Allow` header of a path of the default contract. A profile may move its reads away from its writes. */
const allowHeader = (path: string) => {
  const read = operationOf({ method: 'PUT', target: asked(path) })
  return allowedAt(read ? contract.pathOf(read) : path, operationsUnder(contract)).join(', ')
}

describe('an unknown path', () => {
  play(
    [
      '/v1',
      '/v1/',
      '/v1/nothing',
      '/v1/checkout',
      '/v1/checkouts/x/capture',
      '/v1/checkouts/x/confirm/y',
      '/v1/checkouts/x/refunds/y',
      '/v1/refunds/x/cancel',
      '/v1/captures',
      '/v1/payment-methods',
      '/v1/CHECKOUTS',
      '/v1/checkouts/',
      '/v1/checkouts//confirm',
      '/v1//checkouts',
    ].flatMap((path) =>
      ['GET', 'POST', 'DELETE'].map(
        (method): Case => ({
          name: `${method} ${path}`,
          call: `${method} ${path}`,
          status: 404,
          body: { error: 'Not Found', message: 'Route not found' },
          absent: ['allow', 'existingResourceId'],
        }),
      ),
    ),
  )
})

describe('a method that a path does not support', () => {
  const refused = (method: string, path: string, allow: string): Case => ({
    name: `${method} ${path}`,
    call: `${method} ${asked(path)}`,
    status: 405,
    answerHeaders: { allow },
    ...(method !== 'HEAD' && { body: { error: 'Method Not Allowed', message: 'Method not allowed' } }),
  })
  play(
    PATHS.flatMap((path) =>
      ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
        .filter((method) => !allowedAt(path, OPERATIONS).includes(method))
        .map((method) => refused(method, path, allowHeader(path))),
    ),
  )

  test.skipIf(isRemote).for(['TRACE', 'PROPFIND', 'PURGE'])('%s, over a socket', async (method) => {
    const { port } = await listening()
    const answer = await sendRaw(port, head(`${method} /v1/checkouts`))
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } })
    expect(JSON.parse(answer.text)).toEqual({ error: 'Method Not Allowed', message: 'Method not allowed' })
  })
})

describe('HEAD is GET without content', () => {
  test.for(PATHS.filter((path) => allowedAt(path, OPERATIONS).includes('GET')))('%s', async (path) => {
    const platform = openPlatform()
    const get = await platform.send({ call: `GET ${asked(path)}` })
    const head = await platform.send({ call: `HEAD ${asked(path)}` })
    expect(head.status).toBe(get.status)
    expect(head.headers.get('content-type')).toBe('application/json')
    expect(head.text).toBe('')
  })
})

describe('an id', () => {
  const unknown = { status: 404, body: { error: 'Not Found', message: 'Checkout not found' } }
  play(
    [
      '%2F',
      'a%2Fb',
      'a%2fconfirm',
      '%00',
      '%',
      '%%',
      '%zz',
      '%C3%28',
      '%ED%A0%80',
      '%F0%9F%A7%BE',
      '..%2F..',
      '%25',
      '%2525',
      '__proto__',
      'constructor',
      "'%20OR%201=1--",
      '%7Bid%7D',
      ':id',
      '*',
      'x'.repeat(4000),
    ].map(
      (id): Case => ({
        ...unknown,
        name: `${id.slice(0, 40)} is the id of no resource`,
        call: `GET /v1/checkouts/${id}`,
      }),
    ),
  )
})

/**
 * Each read, with an id that no resource has; and each list, with a value that its filter does not have. shown-events.test.ts has
 * those of events.
 */
const READ_IN_VAIN = {
  'checkouts/chk_7Qm2ZxT9cLw4RbN8sVk1YdHf': '404 Checkout not found',
  'checkouts/nobody/refunds': '404 Checkout not found',
  'refunds/ref_nobody': '404 Refund not found',
  'authorizations/auth_nobody': '404 Authorization not found',
  'customers/cus_nobody': '404 Customer not found',
  'customers/cus_nobody/payment-methods': '404 Customer not found',
  'checkouts?status=paid': `400 status must be one of ${DEFINITIONS.checkout.states.join(', ')}`,
  'refunds?status=failed': `400 status must be one of ${DEFINITIONS.refund.states.join(', ')}`,
  'authorizations?status=confirmed': `400 status must be one of ${DEFINITIONS.authorization.states.join(', ')}`,
  'customers/nobody/payment-methods?type=cash': '400 type must be one of card, bank_account',
  'customers/nobody/payment-methods?status=lost': '400 status must be one of attached, detached',
}

describe('a read in vain', () => {
  play(
    Object.entries(READ_IN_VAIN).map(([path, refusal]) => ({
      ...refused(refusal.replace('400 ', '400 Invalid query parameter: ')),
      name: path,
      call: `GET /v1/${path}`,
    })),
  )
})

describe.skipIf(isRemote)('a bug gets a response without internals, and has no effects', () => {
  test('500, and the key stays free', async () => {
    const platform = openPlatform()
    const { tester } = platform
    const { services, webhooks } = tester.sandbox
    const { store } = services
    const order = {
      call: 'POST /v1/customers',
      body: '{"externalId":"b"}',
      headers: { 'idempotency-key': 'k' },
    }
    const { announce } = webhooks
    webhooks.announce = () => {
      throw new Error('secret internals')
    }
    const failed = await platform.send(order)
    const rows = store.customers.countUpTo(1)
    webhooks.announce = announce
    const again = await platform.send(order)

    expect(failed).toMatchObject({
      status: 500,
      text: '{"error":"Internal Error","message":"Internal server error"}',
    })
    expect(rows).toBe(0)
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
  })
})
