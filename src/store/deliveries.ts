/** §6: one delivery for each event and endpoint, and every attempt that was made at it. */
import type { Statements } from './statements.ts'
import { table } from './table.ts'

export interface DeliveryRow {
  id: string
  eventId: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  createdAt: number
  updatedAt: number
}

export interface AttemptRow {
  deliveryId: string
  number: number
  at: number
  url: string
  /** The receiver's status, or null when it gave none. */
  status: number | null
  durationMs: number
  signature: string
  /** The beginning of the receiver's answer. */
  response: string | null
  /** Why there was no answer, in words. */
  error: string | null
}

const COLUMNS = [
  'id',
  'eventId',
  'status',
  'attempts',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof DeliveryRow)[]
const ATTEMPT_COLUMNS = 'deliveryId, number, at, url, status, durationMs, signature, response, error'

export function deliveryStore(db: Statements) {
  const insertAttempt = db.prepare<[(string | number | null)[]]>(
    `INSERT INTO attempts (${ATTEMPT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const attemptsOf = db.prepare<[string], AttemptRow>(
    `SELECT ${ATTEMPT_COLUMNS} FROM attempts WHERE deliveryId = ? ORDER BY seq`,
  )
  const ofEvent = db.prepare<[string], DeliveryRow>(
    `SELECT ${COLUMNS.join(', ')} FROM deliveries WHERE eventId = ? ORDER BY seq`,
  )
  const countOf = db.prepare<[string], number>('SELECT count(*) FROM deliveries WHERE status = ?').pluck()
  const resourceOf = db
    .prepare<[string], string>(
      'SELECT events.resourceId FROM deliveries JOIN events ON events.id = deliveries.eventId WHERE deliveries.id = ?',
    )
    .pluck()
  return {
    ...table<DeliveryRow>(db, 'deliveries', COLUMNS, {
      changing: ['status', 'attempts', 'updatedAt'],
      filters: ['eventId', 'status'],
    }),
    /** The resource whose event a delivery tells of. */
    resourceOf: (id: string): string => resourceOf.get(id) ?? '',
    countOf: (status: DeliveryRow['status']): number => countOf.get(status) ?? 0,
    ofEvent: (eventId: string): DeliveryRow[] => ofEvent.all(eventId),
    insertAttempt(a: AttemptRow): void {
      insertAttempt.run([
        a.deliveryId,
        a.number,
        a.at,
        a.url,
        a.status,
        a.durationMs,
        a.signature,
        a.response,
        a.error,
      ])
    },
    attemptsOf: (deliveryId: string): AttemptRow[] => attemptsOf.all(deliveryId),
  }
}
