import { describe, expect, test } from 'vitest'
import { start, type Written } from './start.ts'

const pending = { resource: 'refund', enters: 'pending' } as const
type After = Extract<Written['do'], { transition: unknown }>['after']
const DAY = 86_400_000

/** A refund under a behavior that decides when it completes. */
async function refundThat(after: After) {
  const started = start()
  const checkout = await started.confirmCheckout()
  started.arm({ id: 'timing', when: pending, do: { transition: 'completed', after } })
  return { ...started, checkout, id: await started.refund(checkout) }
}

describe('a refund completes', () => {
  test('at its third read; lists and reads of other refunds do not count', async () => {
    const { id, call, readRefund, refund, checkout, behaviors, sandbox } = await refundThat({ polls: 3 })
    behaviors.armed.disarm()
    const second = await refund(checkout, 1)
    await readRefund(second)
    await call('GET /v1/refunds')
    expect([await readRefund(id), await readRefund(id), await readRefund(id), await readRefund(id)]).toEqual([
      'pending',
      'pending',
      'completed',
      'completed',
    ])
    expect(sandbox.committedStore().events.list({ limit: 1 }).data).toMatchObject([
      { type: 'refund.completed', resourceId: id },
    ])
  })

  test('without counting a refused read', async () => {
    const { id, call, readRefund } = await refundThat({ polls: 2 })
    await call(`GET /v1/refunds/${id}`, { sim: 'respond=503' })
    await call(`GET /v1/refunds/${id}`, { sim: 'respond=503' })
    expect([await readRefund(id), await readRefund(id)]).toEqual(['pending', 'completed'])
  })

  test('when a gate is opened', async () => {
    const { id, behaviors, readRefund, advance } = await refundThat({ gate: 'bank' })
    await advance(DAY)
    behaviors.release('other')
    expect(await readRefund(id)).toBe('pending')
    behaviors.release('bank')
    expect(await readRefund(id)).toBe('completed')
  })

  test('only once: opening a gate too late changes nothing', async () => {
    const { id, simulator, behaviors, sandbox } = await refundThat({ gate: 'bank' })
    simulator.sandbox('default').refunds.complete(id)
    behaviors.release('bank')
    expect(sandbox.committedStore().events.list({ type: 'refund.completed', limit: 5 }).data).toHaveLength(1)
  })
})

test('a behavior can match the JSON fields of a refund', async () => {
  const { arm, confirmCheckout, refund, readRefund, advance } = start()
  const checkout = await confirmCheckout()
  arm({
    when: { ...pending, json: { amount: { gte: 100.5 } } },
    do: { transition: 'completed', after: 'never' },
  })
  const small = await refund(checkout, 100.49)
  const large = await refund(checkout, 100.5)
  await advance(DAY)
  expect([await readRefund(small), await readRefund(large)]).toEqual(['completed', 'pending'])
})

test('the journal names the behavior at the request that created the refund, as does the list of background work', async () => {
  const { arm, confirmCheckout, refund, journal, behaviors } = start()
  const checkout = await confirmCheckout()
  arm(
    { id: 'second', when: { ...pending, attempt: 2 }, do: { transition: 'completed', after: 'now' } },
    { id: 'never', when: pending, times: 1, do: { transition: 'completed', after: 'never' } },
  )
  const id = await refund(checkout)
  const rows = [
    { behavior: 'second', did: 'completes it now', fired: false, why: 'match 1, and attempt is 2' },
    { behavior: 'never', did: 'never completes it', fired: true, why: 'match 1, acting 1 of 1' },
  ]
  expect(journal().at(-1)?.behaviors).toEqual(rows)
  expect(behaviors.backgroundResults.list()).toMatchObject(rows.map((row) => ({ ...row, subject: id })))
})
