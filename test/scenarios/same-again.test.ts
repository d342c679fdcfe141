import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { openReceiver } from '../receiver.ts'
import { type Sent, start, type Written } from './start.ts'

const BEHAVIORS: Written[] = [
  { id: 'flaky', when: { op: 'checkouts.create', probability: 0.3 }, do: { respond: { status: 500 } } },
  { id: 'slow', continue: true, when: { probability: 0.5 }, do: { delay: { p50: '50ms', p99: '3s' } } },
  {
    id: 'lost',
    when: { op: 'checkouts.refund', probability: 0.4 },
    do: { fault: 'reset', at: 'after-commit' },
  },
  { id: 'cut', when: { op: 'checkouts.list', attempt: { gte: 3 } }, times: 2, do: { fault: 'truncate' } },
  {
    id: 'fast',
    when: { resource: 'refund', enters: 'pending', probability: 0.5 },
    do: { transition: 'completed', after: 'now' },
  },
  { id: 'twice', when: { event: 'refund.completed', probability: 0.5 }, do: { webhook: { duplicate: 2 } } },
]

/** A busy hour under many faults, and everything that the sandbox reports about it afterwards. */
async function live(seed: number, url: string): Promise<string> {
  const { arm, send, advance, confirmCheckout, sandbox, behaviors } = start({
    seed,
    webhook: { url },
  })
  const checkout = await confirmCheckout()
  arm(...BEHAVIORS)
  /** Advances the clock only if the request waits for it. */
  async function ask(line: string, sent?: Sent): Promise<void> {
    let answered = false
    const answer = send(line, sent)
      .then((response) => response.text())
      .catch(({ name }) => name)
      .finally(() => (answered = true))
    while (!answered) {
      if (behaviors.heldRequests.size > 0) await advance(10_000)
      else await new Promise(setImmediate)
    }
    await answer
  }
  for (let n = 0; n < 12; n += 1) {
    await ask('POST /v1/checkouts', { json: { ...ORDER, orderId: `o-${n}` }, key: `c-${n}` })
    await ask(`POST /v1/checkouts/${checkout}/refunds`, { json: { amount: 1 + n / 100 }, key: `r-${n}` })
    await ask('GET /v1/checkouts')
    await advance(60_000)
  }
  // Only the start and duration of a request by the machine's clock differ between runs.
  const journal = [...sandbox.journal.newestFirst()].map(({ begunAt: _, took: __, ...entry }) => entry)
  const armed = behaviors.armed
    .list()
    .map(({ id, matched, fired, lastMiss }) => ({ id, matched, fired, lastMiss }))
  return JSON.stringify([journal, behaviors.backgroundResults.list(), armed])
}

test('the same file and the same seed produce the same journal twice, byte for byte', async () => {
  const receiver = await openReceiver()
  const first = await live(7, receiver.url)
  expect(await live(7, receiver.url)).toBe(first)
  expect(await live(8, receiver.url)).not.toBe(first)
  for (const id of BEHAVIORS.map(({ id }) => id)) expect(first).toContain(`"behavior":"${id}"`)
})
