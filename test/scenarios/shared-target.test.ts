/** A target that is not a paysim is shared: only some requests are sent to it. */
import { describe, expect, test } from 'vitest'
import { service } from './service.ts'

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
    const { playAgainst, asked } = await service(() => ({ status: 200, json: {} }))
    const { out, code } = await playAgainst(story(call))
    expect(out).toContain(
      `skipped: ${call} ends or replaces something, and the file does not set target: any`,
    )
    expect([code, asked.length]).toEqual([0, 0])
    await playAgainst(story(call, 'target: any\n'))
    expect(asked).toHaveLength(3)
  })

  test('a step that only counts such calls sends none, so the file is played', async () => {
    const { playAgainst, asked } = await service(() => ({ status: 200, json: {} }))
    const counts =
      'steps:\n  - call: GET /v1/a\n  - requests: { call: POST /v1/checkouts/*/cancel, exactly: 0 }\n'
    const { out, code } = await playAgainst(`name: n\n${counts}`)
    expect([code, asked.length]).toEqual([0, 1])
    expect(out).not.toContain('ends or replaces')
  })

  test.each(['POST ${cancelAt}', 'POST /v1/checkouts/x/${verb}', 'POST ${cancelAt}/?now=1'])(
    '%s is not sent if a captured value turns it into a call that ends something',
    async (call) => {
      const { playAgainst, asked } = await service(() => ({
        status: 200,
        json: { cancelAt: '/v1/checkouts/x/cancel', verb: 'void' },
      }))
      const file = (more: string) =>
        `name: n\n${more}steps:\n` +
        '  - { call: GET /v1/a, capture: { cancelAt: $.cancelAt, verb: $.verb } }\n' +
        `  - { id: end, call: "${call}" }\n  - { repeat: end }\n`
      const { out, code } = await playAgainst(file(''))
      expect(out).toMatch(
        /skipped, as POST \/v1\/checkouts\/x\/(cancel|void)\S* ends or replaces something, and the file does not set target: any/,
      )
      expect([code, asked.map(({ target }) => target)]).toEqual([0, ['/v1/a']])
      await playAgainst(file('target: any\n'))
      expect(asked).toHaveLength(4)
    },
  )

  test('buyer steps are skipped, because only a tester can play the buyer', async () => {
    const { playAgainst, asked } = await service(() => ({
      status: 201,
      json: { id: 'chk_1', checkoutUrl: `/checkout/x` },
    }))
    const { out, code } = await playAgainst(
      'name: n\nsteps:\n' +
        '  - { call: POST /v1/checkouts, capture: { checkout: $.id } }\n' +
        '  - { buyer: "${checkout}", actions: [{ press: Cancel and return }] }\n' +
        '  - call: GET /v1/checkouts/${checkout}\n',
    )
    expect(out).toContain('buyer press Cancel and return: skipped, as only a tester can play the buyer')
    expect([code, asked.map(({ target }) => target)]).toEqual([0, ['/v1/checkouts', '/v1/checkouts/chk_1']])
  })

  test('calls that only add data are sent', async () => {
    const { playAgainst, asked } = await service(() => ({ status: 200, json: {} }))
    await playAgainst(story('POST /v1/checkouts/x/refunds'))
    expect(asked).toHaveLength(3)
  })
})
