import { CLIENT_LEFT, mayActBefore } from '../../spec/contract/connection-fault.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import type { RecordedRequest } from './session.ts'

/** The headers that a player does not send by itself, and `X-Sim` for the fault that acted. */
export function headersToSend(recorded: RecordedRequest): Record<string, unknown> {
  const { asked, key, step } = recorded
  const { headers, body, method } = asked
  const type = headers['content-type']
  const header: Record<string, unknown> = {}
  if (step === 'api key') header['x-api-key'] = 'unknown-key'
  if (type === undefined && body !== '' && writes(method)) header['content-type'] = null
  else if (type !== undefined && type !== 'application/json') header['content-type'] = type
  // A malformed key, or one on an operation that takes none.
  if (key === null && headers['idempotency-key'] !== undefined)
    header['idempotency-key'] = headers['idempotency-key']
  const xSim = xSimFor(recorded)
  if (xSim !== undefined) header['X-Sim'] = xSim
  return header
}

function xSimFor({ asked, answered, step, ending, fired }: RecordedRequest): string | undefined {
  // The magic orderId in the recorded body causes its fault again.
  if (fired.some((behavior) => behavior.startsWith('orderId '))) return undefined
  const sent = asked.headers['x-sim']
  if (sent !== undefined) return fired.length > 0 ? withoutWaiting(sent) : sent
  if (ending !== null && ending !== CLIENT_LEFT) {
    const at = step === 'behaviors' ? 'before' : 'after-commit'
    return `fault=${ending}${mayActBefore(ending) ? `; at=${at}` : ''}`
  }
  return step === 'behaviors' && answered !== null ? `respond=${answered.status}` : undefined
}

/** Leaves out delays and holds: they change no answer, and would never end in a scenario, whose clock is frozen. */
function withoutWaiting(xSim: string): string | undefined {
  const others = xSim.split(',').filter((fault) => !/^\s*(delay|hold)\s*=/.test(fault))
  return others.length === 0 ? undefined : others.join(',').trim()
}
