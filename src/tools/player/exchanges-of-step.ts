/** What a step sent and received: several where it asked several times at once. */
import type { Exchange } from '../../spec/exchange.ts'
import type { StepResult } from './result.ts'

export function exchangesOfStep({ request, received, startedAt: at }: StepResult): Exchange[] {
  if (request === undefined) return []
  const { method, target } = request
  const asked = {
    method,
    target,
    headers: Object.fromEntries(request.headers),
    body: request.body?.toString(),
  }
  return received.map(({ connection, status, headers, body, tookMs: took }) => ({
    asked,
    answered: status === undefined ? null : { status, headers, body: body.toString() },
    ending: connection === 'answered' ? null : connection,
    at,
    took,
  }))
}
