/** @jest-environment node */
import { createSimulator } from 'paysim'

const sim = createSimulator({ rateLimit: 'off' })
const sandbox = sim.sandbox('shop')
let url
beforeAll(async () => {
  url = (await sim.listen()).url
})
afterAll(() => sim.close())

test('a lost response does not refund twice', async () => {
  const order = {
    orderId: 'order-1',
    externalId: 'ada',
    amount: 100,
    successUrl: 'https://shop.example/ok',
    cancelUrl: 'https://shop.example/no',
  }
  const { id } = await pay('/checkouts', order)
  await pay(`/checkouts/${id}/confirm`, {})

  sandbox.arm({ when: { op: 'checkouts.refund' }, times: 1, do: { fault: 'reset', at: 'after-commit' } })
  await pay(`/checkouts/${id}/refunds`, { amount: 25 })

  expect(sandbox.ledger().sums.refunded).toEqual(25)
  expect(sandbox.audit().findings).toEqual([])
}, 60_000)

/** Replace this with your own client. Every retry has the key of the first attempt. */
async function pay(path, body) {
  const key = crypto.randomUUID()
  for (let tries = 1, pauseMs = 200; ; tries += 1, pauseMs = Math.min(2 * pauseMs, 5_000)) {
    let problem = 'no response'
    let waitMs = pauseMs
    let isFinal = false
    try {
      const response = await fetch(`${url}/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      })
      const text = await response.text()
      if (response.ok) return JSON.parse(text)
      const { status, headers } = response
      problem = `${status} ${text}`
      isFinal = status < 500 && status !== 429 && !(status === 409 && text.includes('in progress'))
      waitMs = Math.max(pauseMs, 1000 * Number(headers.get('retry-after') ?? 0))
    } catch {
      // The connection broke, or the response cannot be read: the money may have moved.
    }
    if (isFinal || tries === 10) throw new Error(`POST ${path}: ${problem}`)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}
