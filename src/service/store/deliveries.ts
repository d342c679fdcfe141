/** One delivery per event and endpoint, and each of its attempts (§6). */
import { z } from 'zod'
import { Columns, LIMIT, type Statements } from './statements.ts'
import { defineTable, Table } from './table.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export const DeliveryRow = z.object({
  id: z.string(),
  eventId: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** 1 if a tester asked for this delivery. */
  byHand: z.int(),
})

export type DeliveryRow = z.output<typeof DeliveryRow>

export const AttemptRow = z.object({
  deliveryId: z.string(),
  number: z.int(),
  at: z.int(),
  url: z.string(),
  /** The receiver's status, or null if it returned none. */
  status: z.int().nullable(),
  durationMs: z.int(),
  signature: z.string(),
  /** The start of the response body. */
  response: z.string().nullable(),
  /** The reason for a missing response, as text. */
  error: z.string().nullable(),
})

type AttemptRow = z.output<typeof AttemptRow>

interface MadeDeliveryRow extends Pick<DeliveryRow, 'id' | 'eventId' | 'status'> {
  eventType: string
  /** The event's row number. */
  eventNumber: number
  eventAt: number
  resourceId: string
  /** The amount in the event's body. */
  amount: unknown
  attempts: Pick<AttemptRow, 'at' | 'status' | 'durationMs'>[]
}

const DELIVERIES = defineTable<DeliveryRow>('deliveries', DeliveryRow, {
  fixed: ['eventId', 'createdAt', 'byHand'],
  filters: ['eventId', 'status'],
})
/** The status of an event is that of its last delivery: `failing` is being retried, `failed` is given up. */
const STANDING = {
  failing: `status = 'pending' AND attempts > 0`,
  failed: `status = 'failed'`,
}
export type Standing = keyof typeof STANDING
/** Reads only the newest such deliveries, up to a limit, because every page of the dashboard counts them. */
const latestOf = (holds: string) =>
  `(SELECT id, eventId AS ofEvent, seq AS place FROM deliveries WHERE ${holds} ORDER BY seq DESC ${LIMIT})
   WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE eventId = ofEvent AND seq > place)`
/** The events of resources whose last delivery is failing or failed. */
const TROUBLED = `SELECT resourceId, events.id FROM json_each(?) CROSS JOIN events ON resourceId = value
   CROSS JOIN deliveries AS one ON one.eventId = events.id
   WHERE (one.status = 'failed' OR one.status = 'pending' AND one.attempts > 0)
     AND NOT EXISTS (SELECT 1 FROM deliveries WHERE eventId = events.id AND seq > one.seq)`
// One JSON text per delivery: reading 900 takes 5 ms, with a query for each event and its attempts 20 ms.
const MADE = `SELECT json_object('id', deliveries.id, 'eventId', eventId, 'status', status, 'resourceId', resourceId,
     'eventType', type, 'eventNumber', events.seq, 'eventAt', events.createdAt,
     'amount', json_extract(body, '$.data.amount'),
     'attempts', json((SELECT json_group_array(json_object('at', at, 'status', status, 'durationMs', durationMs))
       FROM (SELECT * FROM attempts WHERE deliveryId = deliveries.id ORDER BY seq))))
   FROM (SELECT *, seq FROM deliveries ORDER BY seq DESC ${LIMIT}) AS deliveries JOIN events ON events.id = eventId
   ORDER BY deliveries.seq`

const ATTEMPTS = new Columns<AttemptRow>(AttemptRow)
const INSERT_ATTEMPT = `INSERT INTO attempts ${ATTEMPTS.insertion}`
const ATTEMPTS_OF = `SELECT ${ATTEMPTS.list} FROM attempts WHERE deliveryId = ? ORDER BY seq`

export class DeliveryTable extends Table<DeliveryRow> {
  constructor(db: Statements) {
    super(db, DELIVERIES)
  }

  /** The latest deliveries with their events and attempts, oldest first. */
  made(most: number): MadeDeliveryRow[] {
    return this.db.values<string>(MADE, most).map((text) => JSON.parse(text))
  }

  /** How many events have this standing, among the newest `most` deliveries that have it. */
  countStanding(standing: Standing, most: number): number {
    return this.db.value(`SELECT count(*) FROM ${latestOf(STANDING[standing])}`, most) ?? 0
  }

  /** The last deliveries of events with this standing, the oldest first. */
  standing(standing: Standing, most: number): string[] {
    return this.db.values<string>(`SELECT id FROM ${latestOf(STANDING[standing])}`, most).reverse()
  }

  /** Each event after its resource. */
  troubledOf(resources: readonly string[]): [resourceId: string, eventId: string][] {
    return this.db.lists(TROUBLED, JSON.stringify(resources))
  }

  ofEvent(eventId: string): DeliveryRow[] {
    return this.rows('WHERE eventId = ? ORDER BY seq', eventId)
  }

  insertAttempt(attempt: AttemptRow): void {
    this.db.run(INSERT_ATTEMPT, ...ATTEMPTS.valuesOf(attempt))
  }

  attemptsOf(deliveryId: string): AttemptRow[] {
    return this.db.all(ATTEMPTS_OF, deliveryId)
  }
}
