/** §6: one delivery for each event and endpoint, and every attempt that was made at it. */
import { z } from 'zod'
import { Columns } from './columns.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

export const DeliveryRow = z.object({
  id: z.string(),
  eventId: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
})

export type DeliveryRow = z.output<typeof DeliveryRow>

export const AttemptRow = z.object({
  deliveryId: z.string(),
  number: z.int(),
  at: z.int(),
  url: z.string(),
  /** The receiver's status, or null when it gave none. */
  status: z.int().nullable(),
  durationMs: z.int(),
  signature: z.string(),
  /** The beginning of the receiver's answer. */
  response: z.string().nullable(),
  /** Why there was no answer, in words. */
  error: z.string().nullable(),
})

export type AttemptRow = z.output<typeof AttemptRow>

/** `changed` is called whenever one is added or has another status. */
export function deliveryStore(db: Statements, changed: () => void) {
  const deliveries = table<DeliveryRow>(db, 'deliveries', DeliveryRow, {
    fixed: ['eventId', 'createdAt'],
    filters: ['eventId', 'status'],
  })
  const attempts = new Columns(AttemptRow)
  const insertAttempt = db.prepare<[unknown[]]>(`INSERT INTO attempts ${attempts.insertion}`)
  const attemptsOf = db.prepare<[string], AttemptRow>(
    `SELECT ${attempts.list} FROM attempts WHERE deliveryId = ? ORDER BY seq`,
  )
  const resourceOf = db
    .prepare<[string], string>(
      'SELECT events.resourceId FROM deliveries JOIN events ON events.id = deliveries.eventId WHERE deliveries.id = ?',
    )
    .pluck()
  return {
    ...deliveries,
    insert(row: DeliveryRow): void {
      changed()
      deliveries.insert(row)
    },
    update(row: DeliveryRow): void {
      changed()
      deliveries.update(row)
    },
    /** The resource that a delivery's event is about. */
    resourceOf: (id: string): string => resourceOf.get(id) ?? '',
    ofEvent: deliveries.lister<[string]>('WHERE eventId = ? ORDER BY seq'),
    insertAttempt: (attempt: AttemptRow): void => void insertAttempt.run(attempts.valuesOf(attempt)),
    attemptsOf: (deliveryId: string): AttemptRow[] => attemptsOf.all(deliveryId),
  }
}
