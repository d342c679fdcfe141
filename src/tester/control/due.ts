/** Pending work. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { NEVER } from '../../service/store/agenda.ts'
import { DueWork } from './shapes.ts'

/** From the agenda, with the requests that are held for a time: under a frozen clock nothing else explains why those hang. */
export function dueWork(internals: Sandbox, limit: number): { due: DueWork[]; inAll: number } {
  const { agenda } = internals.committedStore()
  const held = internals.behaviors.heldRequests
    .timed()
    .map(({ request, until }) => ({ dueAt: until, kind: 'request.continue' as const, subject: request }))
  const first = [...agenda.list(limit), ...held].sort((a, b) => a.dueAt - b.dueAt).slice(0, limit)
  const due = first.map(({ dueAt, kind, subject }) => ({ at: dueAt === NEVER ? null : dueAt, kind, subject }))
  return { due: z.encode(z.array(DueWork), due), inAll: agenda.count() + held.length }
}
