/** What is due, how much of the rate limit each IP has used, and how many resources there are. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { NEVER } from '../../service/store/agenda.ts'
import type { Table } from '../../service/store/table.ts'
import { DEFINITIONS, RESOURCE_NAMES } from '../../spec/contract/resources/index.ts'
import { DueWork, type Overview, RateWindow } from './shapes.ts'
import type { InTurns } from './turns.ts'

const DUE_SHOWN = 5
const WINDOWS_SHOWN = 10

/** From the agenda, with the requests that are held for a time: under a frozen clock nothing else explains why those hang. */
export function dueWork(internals: Sandbox, limit: number): Pick<Overview, 'due' | 'dueInAll'> {
  const { agenda } = internals.committedStore()
  const held = internals.behaviors.heldRequests
    .timed()
    .map(({ request, until }) => ({ dueAt: until, kind: 'request.continue' as const, subject: request }))
  const first = [...agenda.list(limit), ...held].sort((one, other) => one.dueAt - other.dueAt).slice(0, limit)
  const due = first.map(({ dueAt, kind, subject }) => ({ at: dueAt === NEVER ? null : dueAt, kind, subject }))
  return { due: z.encode(z.array(DueWork), due), dueInAll: agenda.count() + held.length }
}

export function* overview(internals: Sandbox): InTurns<Overview> {
  const store = internals.committedStore()
  const counts = {} as Overview['counts']
  for (const kind of RESOURCE_NAMES) {
    const table = store.tables[kind] as Table<{ id: string; status: string }>
    const hasStates = Object.keys(DEFINITIONS[kind].moves).length > 0
    counts[kind] = hasStates ? yield* table.countBy('status') : { known: table.count() }
  }
  return {
    ...dueWork(internals, DUE_SHOWN),
    windows: windowsOf(internals),
    counts,
    events: store.events.count(),
    requests: internals.journal.arrived,
  }
}

const windowsOf = ({ clock, rateLimit }: Sandbox): Overview['windows'] =>
  z.encode(
    z.array(RateWindow),
    rateLimit
      .windows(clock.now())
      .slice(0, WINDOWS_SHOWN)
      .map(({ bucket, limit, remaining, resetAt }) => ({ bucket, limit, used: limit - remaining, resetAt })),
  )
