/** A sandbox at one glance: what is due, who has used how much of the rate limit, and how much there is of everything. */
import { z } from 'zod'
import type { ResourceName } from '../contract/event.ts'
import { NEVER } from '../operations/unit.ts'
import type { SandboxInternals } from './internals.ts'
import { DueWork, RateWindow } from './shapes.ts'

export interface Overview {
  /** What falls due, the next first. */
  due: DueWork[]
  /** How much of it there is in all. */
  dueInAll: number
  /** Who has asked in the present minute, and how often. */
  windows: RateWindow[]
  /** How many there are of each resource, by state; those without states count as `known`. */
  counts: Record<ResourceName, Record<string, number>>
  events: number
  requests: number
}

const DUE_SHOWN = 5
const WINDOWS_SHOWN = 10

export const due = ({ store }: SandboxInternals, limit: number): DueWork[] =>
  z.encode(
    z.array(DueWork),
    store.agenda
      .list(limit)
      .map(({ dueAt, kind, subject }) => ({ at: dueAt === NEVER ? null : dueAt, kind, subject })),
  )

export function overview(internals: SandboxInternals): Overview {
  const { store, clock, journal, rateLimit } = internals
  const now = clock.now()
  return {
    due: due(internals, DUE_SHOWN),
    dueInAll: store.agenda.count(),
    windows: z.encode(
      z.array(RateWindow),
      rateLimit
        .windows(now)
        .slice(0, WINDOWS_SHOWN)
        .map(({ bucket, limit, remaining, resetAt }) => ({
          bucket,
          limit,
          used: limit - remaining,
          resetAt,
        })),
    ),
    counts: {
      checkout: store.checkouts.countBy('status'),
      authorization: store.authorizations.countBy('status'),
      refund: store.refunds.countBy('status'),
      customer: { known: store.customers.count() },
      payment_method: store.paymentMethods.countBy('status'),
    },
    events: store.events.count(),
    requests: journal.arrived,
  }
}
