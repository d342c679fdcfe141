import { describe, expect, test } from 'vitest'
import { readScenario } from '../../src/index.ts'
import { ORDER } from '../order.ts'
import { start } from './start.ts'

/** A simulator that is controlled over HTTP, as a player does it. */
function steered() {
  const started = start()
  const ask = async (method: string, path: string, body?: string, type = 'application/yaml') => {
    const request = new Request(`http://paysim.test/_sim${path}`, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': type } }),
    })
    const response = await started.simulator.fetch(request)
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
  }
  return { ...started, ask, create: () => started.call('POST /v1/checkouts', { json: ORDER }) }
}

const DOWN = 'name: Down\nbehaviors: [{ id: down, times: 1, do: { respond: { status: 503 } } }]\n'

describe('over HTTP', () => {
  test('behaviors are armed, listed with their counters, and disarmed', async () => {
    const { ask, create } = steered()
    expect(await ask('POST', '/behaviors', DOWN)).toMatchObject({
      json: { data: [{ id: 'down', fired: 0 }] },
    })
    const json = JSON.stringify({ name: 'more', behaviors: [{ id: 'slow', do: { delay: '0s' } }] })
    await ask('POST', '/behaviors', json, 'application/json')
    expect((await create()).status).toBe(503)
    expect((await ask('GET', '/behaviors')).json.data).toEqual([
      {
        id: 'down',
        explained: 'any request: answers 503, once',
        matched: 1,
        fired: 1,
        left: 0,
        lastMiss: null,
      },
      {
        id: 'slow',
        explained: 'any request: waits 0s',
        matched: 1,
        fired: 0,
        left: null,
        lastMiss: 'match 1, but down acts first',
      },
    ])
    expect((await ask('DELETE', '/behaviors/slow')).status).toBeLessThan(300)
    expect((await ask('DELETE', '/behaviors/slow')).status).toBe(404)
    await ask('DELETE', '/behaviors')
    expect((await ask('GET', '/behaviors')).json.data).toEqual([])
  })

  test('a scenario replaces the armed behaviors; an invalid one changes nothing', async () => {
    const { ask } = steered()
    await ask('PUT', '/behaviors', DOWN)
    const message = 'behaviors[0].do.repond is unknown; did you mean respond?'
    expect(await ask('PUT', '/behaviors', DOWN.replace('respond', 'repond'))).toEqual({
      status: 400,
      json: {
        error: 'Bad Request',
        message: `Malformed behavior: body:2:41: ${message}`,
        problems: [{ file: 'body', line: 2, column: 41, message }],
      },
    })
    await ask('PUT', '/behaviors', DOWN.replace('down', 'other'))
    expect((await ask('GET', '/behaviors')).json.data).toMatchObject([{ id: 'other' }])
  })

  const nested = (depth: number) =>
    `{"when":{"json":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}},"do":{"fault":"reset"}}`

  test.each([97, 200, 5_000, 100_000])('behaviors nested %d deep are refused', async (depth) => {
    const { ask } = steered()
    expect(await ask('PUT', '/behaviors', nested(depth), 'application/json')).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/nested deeper than 100|larger than 256 KB/) },
    })
  })

  test('the same depth is refused in code, and a smaller depth is accepted in both', async () => {
    const { ask, simulator } = steered()
    const shop = simulator.sandbox('default')
    for (const depth of [97, 5_000]) {
      expect(() => shop.arm(JSON.parse(nested(depth)))).toThrow('must not be nested deeper than 100')
    }
    shop.arm(JSON.parse(nested(96)))
    expect(await ask('PUT', '/behaviors', nested(96), 'application/json')).toMatchObject({ status: 200 })
  })

  test('a reset disarms behaviors and releases held requests', async () => {
    const { ask, call, create, parked } = steered()
    await ask(
      'PUT',
      '/behaviors',
      'name: Hold\nbehaviors: [{ times: 1, do: { hold: gate-a } }, { do: { fault: reset } }]\n',
    )
    const held = call('GET /v1/checkouts')
    await parked(1)
    await ask('POST', '/reset', JSON.stringify({ what: ['behaviors'] }), 'application/json')
    expect((await held).status).toBe(200)
    expect((await create()).status).toBe(201)
  })
})

test('the object arms a parsed file, or behaviors as objects', async () => {
  const { simulator, call, send, confirmCheckout } = start()
  const shop = simulator.sandbox('default')
  const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
  shop.arm(await readScenario('scenarios/answer-lost.yaml'))
  await expect(send(path, { json: { amount: 1 }, key: 'a' })).rejects.toMatchObject({ kind: 'reset' })
  expect(shop.ledger().sums.refunds).toBe(1)

  shop.replaceBehaviors([{ when: { op: 'checkouts.create' }, times: 1, do: { respond: { status: 500 } } }])
  expect((await call('POST /v1/checkouts', { json: ORDER })).status).toBe(500)
  expect(shop.behaviors()).toMatchObject([{ id: 'behavior-1', matched: 1, fired: 1, left: 0 }])
})
