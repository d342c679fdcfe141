/** A client that retries quickly with the same key. MISTAKE=new-key makes it use another key for each retry of a refund. */
const TRIES = 10
const PAUSE_MS = 120
const TIMEOUT_MS = 3_000

export function clientOf({ url, apiKey }) {
  return { sell, refund }

  async function sell(orderId, amount) {
    const urls = { successUrl: 'https://shop.test/ok', cancelUrl: 'https://shop.test/no' }
    const { id } = await post('/checkouts', { orderId, externalId: 'ada', amount, ...urls })
    await post(`/checkouts/${id}/confirm`, {})
    return id
  }

  function refund(checkout, amount) {
    return post(`/checkouts/${checkout}/refunds`, { amount })
  }

  async function post(path, body) {
    let key = crypto.randomUUID()
    for (let left = TRIES, pauseMs = PAUSE_MS; ; left -= 1, pauseMs *= 1.5) {
      const answer = await ask(path, body, key)
      if (answer.body) return answer.body
      if (left === 0 || answer.isFinal) throw new Error(`POST ${path}: ${answer.status ?? 'no answer'}`)
      if (process.env.MISTAKE === 'new-key' && path.endsWith('/refunds')) key = crypto.randomUUID()
      await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, answer.waitMs ?? 0)))
    }
  }

  async function ask(path, body, key) {
    try {
      const response = await fetch(`${url}/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      const { status, headers } = response
      if (response.ok) return { status, body: JSON.parse(text) }
      const isInFlight = status === 409 && /in progress/.test(text)
      const isFinal = status < 500 && status !== 429 && !isInFlight
      return { status, isFinal, waitMs: Number(headers.get('retry-after') ?? 0) * 1000 }
    } catch {
      return {}
    }
  }
}
