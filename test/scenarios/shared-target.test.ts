/** A target that is not a paysim is shared: only some requests are sent to it, and at a limited rate. */
import { describe, expect, test } from 'vitest'
import { requestPace } from '../../src/tools/player/request-pace.ts'
import { play } from './playing.ts'
import { KEY, service } from './service.ts'

/** A clock that moves only during a wait. */
function pace(limit: number) {
  const said: string[] = []
  const waits: number[] = []
  let now = 0
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      waits.push(ms)
      now += ms
    },
  }
  return {
    pace: requestPace(limit, clock, (line) => said.push(line)),
    said,
    waits,
    pass(ms: number) {
      now += ms
    },
  }
}

describe("the run stays below the target's rate limit", () => {
  test('a request beyond the limit waits until the first is a minute old, and the wait is printed', async () => {
    const { pace: three, said, waits, pass } = pace(3)
    for (let sent = 0; sent < 3; sent += 1) {
      await three.take(1)
      pass(1000)
    }
    expect(waits).toEqual([])
    await three.take(1)
    expect(waits).toEqual([58_000])
    expect(said).toEqual(['the target allows 3 requests a minute: sending the next in 58 s'])
    await three.take(1)
    expect(waits).toEqual([58_000, 1_000])
    pass(120_000)
    await three.take(3)
    expect(waits).toHaveLength(2)
  })

  test('parallel callers are served in turn, and a burst stays together', async () => {
    const { pace: three, waits } = pace(3)
    await Promise.all([three.take(2), three.take(2), three.take(1)])
    expect(waits).toEqual([61_000])
  })

  test('a burst larger than the limit is skipped with the reason', async () => {
    const { url, asked } = await service(() => ({ status: 200, json: {} }))
    const burst = 'name: n\nsteps:\n  - { call: GET /v1/a, parallel: { count: 4 } }\n  - call: GET /v1/b\n'
    const { out, code } = await play(burst, { target: url, apiKey: KEY, rateLimit: 3 })
    expect(out).toContain(
      'GET /v1/a × 4: skipped, as it sends 4 requests at the same time, but the target allows 3 a minute',
    )
    expect([code, asked.length]).toEqual([0, 1])
    await play(burst, { target: url, apiKey: KEY, rateLimit: 'off' })
    expect(asked).toHaveLength(6)
  })

  test('a run waits after an unexpected 429, and prints the wait', async () => {
    const { url } = await service((_, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '0' } } : { status: 200, json: {} },
    )
    const { err, code } = await play('name: n\nsteps: [{ call: GET /v1/a }]\n', { target: url, apiKey: KEY })
    expect({ code, err }).toEqual({
      code: 0,
      err: '  the target responded 429: retrying in 0 s',
    })
  })
})

describe('nothing is ended or replaced at the target', () => {
  const story = (call: string, more = '') =>
    `name: n\n${more}steps:\n  - call: GET /v1/a\n  - parallel: { steps: [{ call: GET /v1/b }, { call: ${call} }] }\n`

  test.each([
    'DELETE /v1/a',
    'PUT /v1/a',
    'PATCH /v1/a',
    'POST /v1/checkouts/x/cancel',
    'POST /v1/a/void?x=1',
    'POST /v1/customers/x/payment-methods/y/detach',
  ])('%s is sent only by a file that sets target: any', async (call) => {
    const { url, asked } = await service(() => ({ status: 200, json: {} }))
    const { out, code } = await play(story(call), { target: url, apiKey: KEY })
    expect(out).toContain(
      `skipped: ${call} ends or replaces something, and the file does not set target: any`,
    )
    expect([code, asked.length]).toEqual([0, 0])
    await play(story(call, 'target: any\n'), { target: url, apiKey: KEY })
    expect(asked).toHaveLength(3)
  })

  test('a step that only counts such calls sends none, so the file is played', async () => {
    const { url, asked } = await service(() => ({ status: 200, json: {} }))
    const counts =
      'steps:\n  - call: GET /v1/a\n  - requests: { call: POST /v1/checkouts/*/cancel, exactly: 0 }\n'
    const { out, code } = await play(`name: n\n${counts}`, { target: url, apiKey: KEY })
    expect([code, asked.length]).toEqual([0, 1])
    expect(out).not.toContain('ends or replaces')
  })

  test.each(['POST ${cancelAt}', 'POST /v1/checkouts/x/${verb}', 'POST ${cancelAt}/?now=1'])(
    '%s is not sent if a captured value turns it into a call that ends something',
    async (call) => {
      const { url, asked } = await service(() => ({
        status: 200,
        json: { cancelAt: '/v1/checkouts/x/cancel', verb: 'void' },
      }))
      const file = (more: string) =>
        `name: n\n${more}steps:\n` +
        '  - { call: GET /v1/a, capture: { cancelAt: $.cancelAt, verb: $.verb } }\n' +
        `  - { id: end, call: "${call}" }\n  - { repeat: end }\n`
      const { out, code } = await play(file(''), { target: url, apiKey: KEY })
      expect(out).toMatch(
        /skipped, as POST \/v1\/checkouts\/x\/(cancel|void)\S* ends or replaces something, and the file does not set target: any/,
      )
      expect([code, asked.map(({ target }) => target)]).toEqual([0, ['/v1/a']])
      await play(file('target: any\n'), { target: url, apiKey: KEY })
      expect(asked).toHaveLength(4)
    },
  )

  test('buyer steps are skipped, because only a tester can play the buyer', async () => {
    const { url, asked } = await service(() => ({
      status: 201,
      json: { id: 'chk_1', checkoutUrl: `/checkout/x` },
    }))
    const { out, code } = await play(
      'name: n\nsteps:\n' +
        '  - { call: POST /v1/checkouts, capture: { checkout: $.id } }\n' +
        '  - { buyer: "${checkout}", actions: [{ press: Cancel and return }] }\n' +
        '  - call: GET /v1/checkouts/${checkout}\n',
      { target: url, apiKey: KEY },
    )
    expect(out).toContain('buyer press Cancel and return: skipped, as only a tester can play the buyer')
    expect([code, asked.map(({ target }) => target)]).toEqual([0, ['/v1/checkouts', '/v1/checkouts/chk_1']])
  })

  test('calls that only add data are sent', async () => {
    const { url, asked } = await service(() => ({ status: 200, json: {} }))
    await play(story('POST /v1/checkouts/x/refunds'), { target: url, apiKey: KEY })
    expect(asked).toHaveLength(3)
  })
})
