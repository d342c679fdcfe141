/**
 * What a scenario sent and received. A paysim's journal has all of it, with what happened at each step of the gate; of any
 * other service the player knows what it sent itself.
 */

import type { RequestMoment } from '../../pages/dashboard/timeline-model.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import type { FileResult, StepResult } from '../player/result.ts'

interface Bytes {
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Exchange {
  id: string
  at: string
  method: string
  target: string
  status: number | null
  fault: string | null
  request: Bytes
  response: Bytes | null
  /** Undefined where it was played against no paysim. */
  explained: RequestExplained | undefined
}

export const exchangesOf = ({ record, steps }: FileResult): Exchange[] =>
  record
    ? record.requests.map((request) => ({ ...request, at: request.arrivedAt, explained: request }))
    : steps.flatMap(exchangesOfStep)

function exchangesOfStep({ place, startedAt, request, received }: StepResult): Exchange[] {
  if (request === undefined) return []
  return received.map((answer, index) => ({
    id: received.length === 1 ? `step-${place}` : `step-${place}-${index + 1}`,
    at: startedAt,
    method: request.method,
    target: request.target,
    status: answer.status ?? null,
    fault: answer.connection === 'answered' ? null : answer.connection,
    request: { headers: Object.fromEntries(request.headers), body: request.body?.toString() ?? '' },
    response: answer.status === undefined ? null : { headers: answer.headers, body: answer.body.toString() },
    explained: undefined,
  }))
}

/** An exchange as a timeline shows it, where no journal says more. */
export const momentOf = ({ id, at, method, target, status, fault, request }: Exchange): RequestMoment => ({
  kind: 'request',
  id,
  at: Date.parse(at),
  method,
  path: target,
  status,
  reached: 'operation',
  key: request.headers['idempotency-key'] ?? null,
  replayed: false,
  fault,
  arrives: fault === null ? 'whole' : status === null ? 'nothing' : 'damaged',
  behaviors: [],
  effects: [],
})
