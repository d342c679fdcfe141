/**
 * A client for the payments service: one file to copy, which needs only fetch.
 *
 * A response may be lost after the money has moved. A POST therefore has one Idempotency-Key for one intent, and every retry
 * sends the same key and body: the service then returns the first response and moves nothing twice.
 */

/** The statuses after which the same request may succeed later. Every other 4xx is final. */
const WORTH_ANOTHER_TRY = [408, 425, 429, 500, 502, 503, 504]

export class PaymentsError extends Error {
  /**
   * `refused`: the service refused the request, and nothing happened.
   * `unknown`: no response in time. Call again with the same key to learn the outcome.
   */
  outcome
  status
  body
  key

  /** @param {{ outcome: 'refused' | 'unknown', status?: number, body?: any, key?: string }} about */
  constructor(message, about) {
    super(message)
    this.name = 'PaymentsError'
    this.outcome = about.outcome
    this.status = about.status
    this.body = about.body
    this.key = about.key
  }
}

export class PaymentsClient {
  #url
  #apiKey
  #timing

  /**
   * `timeoutMs`: how long one attempt may take. `budgetMs`: how long all attempts together may take.
   * `firstPauseMs`: the pause after the first attempt; it doubles up to `longestPauseMs`.
   */
  constructor({
    url,
    apiKey,
    timeoutMs = 10_000,
    budgetMs = 60_000,
    firstPauseMs = 500,
    longestPauseMs = 8_000,
  }) {
    this.#url = url
    this.#apiKey = apiKey
    this.#timing = { timeoutMs, budgetMs, firstPauseMs, longestPauseMs }
  }

  get(path) {
    return this.#askUntilAnswered('GET', path)
  }

  /**
   * Store the key with the intent, such as the order, so that a restarted program retries with the same one.
   * Default: a new key for this call and its retries.
   */
  post(path, body, key = crypto.randomUUID()) {
    return this.#askUntilAnswered('POST', path, body, key)
  }

  async #askUntilAnswered(method, path, body = undefined, key = undefined) {
    const { timeoutMs, budgetMs, firstPauseMs, longestPauseMs } = this.#timing
    const deadline = Date.now() + budgetMs
    let pauseMs = firstPauseMs
    for (;;) {
      const signal = AbortSignal.timeout(Math.min(timeoutMs, Math.max(deadline - Date.now(), 1)))
      const answer = await this.#askOnce(method, path, { body, key, signal })
      if (answer.ok) return answer.body
      const what = `${method} ${path}: ${answer.problem}`
      if (!answer.mayBeRepeated) throw new PaymentsError(what, { outcome: 'refused', key, ...answer })
      // Up to a quarter more, so that many clients do not retry at the same moment.
      const waitMs = Math.max(pauseMs * (1 + Math.random() / 4), answer.retryAfterMs)
      if (Date.now() + waitMs > deadline)
        throw new PaymentsError(what, { outcome: 'unknown', key, ...answer })
      await pause(waitMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  async #askOnce(method, path, { body, key, signal }) {
    const headers = { 'x-api-key': this.#apiKey }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (key !== undefined) headers['idempotency-key'] = key
    let response
    let text
    try {
      response = await fetch(`${this.#url}${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        signal,
      })
      text = await response.text()
    } catch (cause) {
      // The connection broke or the response is late: the operation may have run.
      return { problem: cause.cause?.message ?? cause.message, mayBeRepeated: true, retryAfterMs: 0 }
    }
    const { status } = response
    const answer = readJson(text)
    if (response.ok && answer !== undefined) return { ok: true, body: answer }
    return {
      status,
      body: answer,
      problem: `${status} ${answer?.message ?? 'with a body that is not JSON'}`,
      mayBeRepeated: response.ok || WORTH_ANOTHER_TRY.includes(status) || isInFlight(response, answer),
      retryAfterMs: retryAfterMs(response),
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** An earlier attempt with this key is in flight, and a retry gets its response. Every other 409 is final. */
const isInFlight = ({ status, headers }, body) =>
  status === 409 && (headers.has('retry-after') || /already in progress/.test(body?.message))

/** Seconds, or a date. */
function retryAfterMs({ headers }) {
  const given = headers.get('retry-after')
  if (given === null) return 0
  const ms = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) ? Math.max(ms, 0) : 0
}

function readJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
