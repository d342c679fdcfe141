/** §6: one delivery for each event and endpoint, and every attempt that was made at it. */
import { z } from 'zod'
import { tableColumns } from './columns.ts'
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

export interface MadeDeliveryRow extends Pick<DeliveryRow, 'id' | 'eventId' | 'status'> {
  eventType: string
  /** The event's place among all events. */
  eventNumber: number
  eventAt: number
  resourceId: string
  /** As the event's body has it. */
  amount: unknown
  attempts: Pick<AttemptRow, 'at' | 'status' | 'durationMs'>[]
}

/** `changed` is called whenever one is added or has another status. */
export function deliveryStore(db: Statements, changed: () => void) {
  const deliveries = table<DeliveryRow>(db, 'deliveries', DeliveryRow, {
    fixed: ['eventId', 'createdAt'],
    filters: ['eventId', 'status'],
  })
  const attempts = tableColumns(AttemptRow)
  const insertAttempt = db.prepare<unknown[]>(`INSERT INTO attempts ${attempts.insertion}`)
  const attemptsOf = db.prepare<[string], AttemptRow>(
    `SELECT ${attempts.list} FROM attempts WHERE deliveryId = ? ORDER BY seq`,
  )
  const resourceOf = db
    .prepare<[string], string>(
      'SELECT events.resourceId FROM deliveries JOIN events ON events.id = deliveries.eventId WHERE deliveries.id = ?',
    )
    .pluck()
  // One text for each: 900 deliveries are read in 5 ms, where asking for each one's event and attempts took 20.
  const made = db
    .prepare<[number, number], string>(
      `SELECT json_object('id', deliveries.id, 'eventId', eventId, 'status', status, 'resourceId', resourceId,
         'eventType', type, 'eventNumber', events.seq, 'eventAt', events.createdAt,
         'amount', json_extract(body, '$.data.amount'),
         'attempts', json((SELECT json_group_array(json_object('at', at, 'status', status, 'durationMs', durationMs))
           FROM (SELECT * FROM attempts WHERE deliveryId = deliveries.id ORDER BY seq))))
       FROM deliveries JOIN events ON events.id = eventId
       WHERE deliveries.seq > ? AND deliveries.seq <= ? ORDER BY deliveries.seq`,
    )
    .pluck()
  return {
    ...deliveries,
    /** Every delivery with its event and its attempts, in the order in which they were made; in steps. */
    *made<Shown>(shown: (row: MadeDeliveryRow) => Shown): Generator<undefined, Shown[]> {
      const rows: Shown[] = []
      for (const [after, upTo] of deliveries.steps(MADE_ROWS)) {
        for (const text of made.all(after, upTo)) rows.push(shown(JSON.parse(text)))
        yield
      }
      return rows
    },
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
    insertAttempt: (attempt: AttemptRow): void => void insertAttempt.run(...attempts.valuesOf(attempt)),
    attemptsOf: (deliveryId: string): AttemptRow[] => attemptsOf.all(deliveryId),
  }
}

/** They are read in 2 to 3 ms. */
const MADE_ROWS = 500
