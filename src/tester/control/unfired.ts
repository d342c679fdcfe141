/**
 * Armed behaviors that never acted, with the nearest misses, because a test waiting for a fault that never comes tests nothing.
 * For a request these are the received requests, also of another operation or path.
 */

import type { ArmedBehavior } from '../../sandbox/behaviors/armed-behavior.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { When } from '../../sandbox/scenario-file/behavior.ts'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { notVerified } from '../../spec/contract/errors.ts'
import { TIMED_MOVES } from '../../spec/contract/resources/timed.ts'
import type { UnfiredBehavior } from './shapes.ts'
import { nearestLines } from './verify.ts'

/** Those without `optional: true`, in the order of arming. */
export const unfired = (internals: Sandbox): UnfiredBehavior[] =>
  internals.behaviors.armed
    .list()
    .filter(({ fired, behavior }) => fired === 0 && !behavior.optional)
    .map((armed) => ({ id: armed.id, explained: armed.explained, why: whyUnfired(internals, armed) }))

/** Throws if a behavior never acted; called at the end of a test. */
export function requireAllFired(missing: readonly UnfiredBehavior[]): void {
  if (missing.length > 0)
    throw notVerified(missing.map(sentenceOfUnfired).join('\n'), { behaviors: [...missing] })
}

function whyUnfired(internals: Sandbox, { behavior, actsOn, lastMiss }: ArmedBehavior): string {
  if (lastMiss !== null) return `the last time, ${lastMiss}`
  if (actsOn === 'request') return whyNoRequest(internals, behavior.when)
  if (actsOn === 'delivery') return whyNoDelivery(internals)
  if (actsOn === 'buyer') return 'no buyer was put to the bank'
  const kinds = behavior.when.resource ? [behavior.when.resource] : TIMED_MOVES.map(({ kind }) => kind)
  return `no ${kinds.join(' or ')} was created`
}

function whyNoRequest({ journal }: Sandbox, when: When): string {
  const { op, call, stub, key, json, header = {} } = when
  const journaled = Object.entries(header).filter(([name]) => journal.headers.includes(name.toLowerCase()))
  const nearest = nearestLines(journal, { op, call, stub, key, json, header: Object.fromEntries(journaled) })
  return nearest.length === 0 ? 'no request came' : ['the nearest requests were', ...nearest].join('\n')
}

/** The most events that are searched. */
const EVENTS_MAX = 1_000

function whyNoDelivery(internals: Sandbox): string {
  if (!internals.webhooks.endpoint) return 'there is no webhook endpoint, so nothing is delivered'
  const { events } = internals.committedStore()
  const types = events.newest({ limit: EVENTS_MAX }).map(({ type }) => type)
  return types.length === 0
    ? 'no event was written'
    : `the events were ${[...new Set(types)].sort().join(', ')}`
}
