/** What each word of a `sim` step asks of the tester's side. */
import { formatDuration } from '../contract/duration.ts'
import { behaviorsAsWritten } from '../scenario-file/format.ts'
import type { SimVerb } from '../scenario-file/step.ts'

export interface SimCommand {
  method: string
  path: string
  json?: unknown
}

/** How long a gate is given to hold its first request. */
const HELD_WITHIN = '10s'

const post = (path: string, json?: unknown): SimCommand => ({ method: 'POST', path, json })

export function simCommandOf(verb: SimVerb): SimCommand {
  if ('advance' in verb) return post('/clock', { advance: formatDuration(verb.advance) })
  if ('set' in verb) return post('/clock', { set: verb.set })
  if ('freeze' in verb) return post('/clock', { freeze: true })
  if ('resume' in verb) return post('/clock', { resume: true })
  if ('settle' in verb) return post(`/settle?within=${formatDuration(verb.settle)}`)
  if ('held' in verb) return { method: 'GET', path: `/gates/${verb.held}?within=${HELD_WITHIN}` }
  if ('release' in verb) return post(`/gates/${verb.release}/release`)
  if ('arm' in verb) return post('/behaviors', behaviorsAsWritten(verb.arm))
  if ('disarm' in verb) {
    return { method: 'DELETE', path: verb.disarm === 'all' ? '/behaviors' : `/behaviors/${verb.disarm}` }
  }
  if ('reset' in verb) return post('/reset', verb.reset === true ? {} : { what: verb.reset })
  if ('approve' in verb) {
    const { approve, ...buyer } = verb
    return post(`/checkouts/${approve}/approve`, buyer)
  }
  if ('decline' in verb) {
    const { decline, ...buyer } = verb
    return post(`/checkouts/${decline}/decline`, buyer)
  }
  if ('attach' in verb) {
    const { attach, ...kind } = verb
    return post(`/customers/${attach}/payment-methods`, kind)
  }
  return post(`/refunds/${verb.complete}/complete`)
}

/** Where nobody steers the clock, what these would have brought about takes real time. */
export const movesTime = (verb: SimVerb): boolean =>
  ['advance', 'set', 'resume', 'settle', 'complete'].some((word) => word in verb)
