/** A request of the tester's API as an exchange. */
import type { AnswerLoss } from '../../spec/contract/connection-fault.ts'
import type { Asked, Exchange } from '../../spec/exchange.ts'
import type { RequestExplained } from './shapes.ts'

type ExplainedExchange = Exchange<Asked & { readonly body: string }, AnswerLoss>

export function exchangeOf(explained: RequestExplained): ExplainedExchange {
  const { arrivedAt, durationMs, method, target, status, fault, request, response } = explained
  return {
    asked: { method, target, headers: request.headers, body: request.body },
    answered:
      response === null || status === null
        ? null
        : { status, headers: response.headers, body: response.body },
    ending: fault,
    at: Date.parse(arrivedAt),
    took: durationMs ?? 0,
  }
}
