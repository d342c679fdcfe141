/** Builds a picture of a run from its requests, deliveries and resources, each written as its difference from a default. */

import type { OperationId } from '../../src/spec/contract/endpoints.ts'
import { keyInFlight } from '../../src/spec/contract/errors.ts'
import { IDEMPOTENCY_RETENTION_MS } from '../../src/spec/contract/limits.ts'
import { fromMajor } from '../../src/spec/contract/money.ts'
import {
  callOf,
  type JournaledRequest,
  type MadeDelivery,
  type Picture,
  saysMore,
} from '../../src/tester/audit/picture.ts'

/** `afterMs`: the pause since the previous request; a negative pause makes the two overlap. */
export type Sent = Partial<Omit<JournaledRequest, 'asked' | 'answered' | 'query' | 'amount'>> & {
  method?: string
  target?: string
  body?: string
  answer?: string | null
  afterMs?: number
  tookMs?: number
  amount?: number
}

export const KEY = '0c1f9b0e-8f1d-4a57-9a0e-3a1c5b7d2e44'
const OTHER_KEY = '7d6c2a51-51f0-4e0b-8a4e-9d3a6f0b1c22'
const DEFAULT_PAUSE_MS = 5_000
const START = Date.UTC(2026, 0)

export function pictureOf(sent: readonly Sent[], more: Partial<Omit<Picture, 'requests'>> = {}): Picture {
  let at = 0
  const requests = sent.map((request, index) => {
    const { afterMs = DEFAULT_PAUSE_MS, tookMs = 5, amount = 10, ...others } = request
    const { method = 'GET', target = '/v1/events', body = '', answer = '{}', ...given } = others
    at += afterMs
    const begunMs = at
    at += tookMs
    const [path = '', query = ''] = target.split('?')
    const { stateNumber = 0, operation = null, status = 200 } = given
    const asked = { method, target, headers: {}, body }
    const json = given.json ?? (body === '' ? {} : JSON.parse(body))
    return {
      id: `req_${index + 1}`,
      number: index + 1,
      stateNumber,
      call: callOf({ stateNumber, asked, operation, json }),
      operation,
      subject: null,
      key: null,
      verdict: null,
      json,
      asked,
      answered: status === null ? null : { status, headers: {}, body: answer ?? '' },
      ending: given.fault ?? null,
      status,
      retryAfterMs: null,
      at: START + begunMs,
      answeredAt: START + at,
      begunMs,
      took: tookMs,
      fault: null,
      clientLeft: false,
      events: [],
      ...given,
      hasMore: saysMore(answer ?? ''),
      path,
      query: new URLSearchParams(query),
      amount: fromMajor(amount),
    }
  })
  return {
    requests,
    forgotten: 0,
    stateNumber: 0,
    deliveries: [],
    completedRefunds: [],
    leftOpen: [],
    droppedEvents: [],
    declinedCheckouts: [],
    stuckRefunds: [],
    apiKey: 'sk_staging_default',
    currency: 'USD',
    keyRetentionMs: IDEMPOTENCY_RETENTION_MS,
    ...more,
  }
}

/** A refund of a checkout: it moves money, and succeeds unless its status is an error. */
export const refund = (given: Sent = {}): Sent => {
  const { status = 201 } = given
  const isDone = status !== null && status >= 200 && status < 300
  return {
    method: 'POST',
    target: '/v1/checkouts/chk_1/refunds',
    operation: 'checkouts.refund',
    subject: 'chk_1',
    body: '{"amount":10}',
    key: KEY,
    verdict: 'first use',
    events: isDone ? [`evt_${given.key ?? KEY}`] : [],
    ...given,
    status,
  }
}

export const underOtherKey = (given: Sent = {}): Sent => refund({ key: OTHER_KEY, ...given })
export const lost = (given: Sent = {}): Sent => refund({ fault: 'reset', ...given })
export const inFlight = (given: Sent = {}): Sent =>
  refund({ status: 409, verdict: 'in flight', answer: JSON.stringify(keyInFlight().body), ...given })
export const replayed = (given: Sent = {}): Sent => refund({ verdict: 'replayed', events: [], ...given })

export const order = (given: Sent = {}): Sent => ({
  method: 'POST',
  target: '/v1/checkouts',
  operation: 'checkouts.create',
  body: '{"orderId":"order-17","externalId":"biz-1","amount":10}',
  key: KEY,
  verdict: 'first use',
  status: 201,
  ...given,
})

export const read = (
  operation: OperationId,
  target: string,
  subject: string | null,
  given: Sent = {},
): Sent => ({
  method: 'GET',
  operation,
  target,
  subject,
  ...given,
})

export const webhook = (given: Partial<MadeDelivery> = {}): MadeDelivery => ({
  id: 'dlv_1',
  eventId: 'evt_1',
  eventNumber: 1,
  eventType: 'refund.completed',
  resourceId: 'ref_1',
  eventAt: START,
  status: 'delivered',
  attempts: [{ at: START, status: 204, durationMs: 20 }],
  signatureFault: null,
  amount: fromMajor(10),
  ...given,
})

export const attempt = (status: number | null, durationMs = 20) => ({ at: START, status, durationMs })
export const startedAt = (ms: number) => START + ms
