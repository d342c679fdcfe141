import { z } from 'zod'
import { EventType } from '../../spec/contract/event.ts'
import { JsonText } from '../../spec/contract/json-writer.ts'
import { lookBack } from './look-back.ts'
import type { Statements } from './statements.ts'
import { defineTable, Table } from './table.ts'

/** Events never change: the body is the state at that time, and the content of the webhook. */
export const EventRow = z.object({
  id: z.string(),
  type: EventType,
  resourceId: z.string(),
  /**
   * Its order: the checkout or authorization that it is about, or that made the customer or payment method;
   * otherwise the resource itself.
   */
  belongsTo: z.string(),
  createdAt: z.int(),
  body: JsonText,
})

export type EventRow = z.output<typeof EventRow>

const EVENTS = defineTable<EventRow>('events', EventRow, { filters: ['resourceId', 'type'] })
const LOOK_BACK = lookBack('events', EVENTS.columns, {
  type: 'type = ?',
  // The standing of its last delivery; the parameter is a text with all wanted standings.
  delivery: `instr(?, (SELECT iif(status = 'pending' AND attempts > 0, 'failing', status) FROM deliveries
    WHERE eventId = events.id ORDER BY seq DESC LIMIT 1)) > 0`,
})

export class EventTable extends Table<EventRow> {
  readonly lookBack = LOOK_BACK(this.db)

  constructor(db: Statements) {
    super(db, EVENTS)
  }

  /** The order that the resource's earlier events belong to. */
  orderOf(resourceId: string): string | undefined {
    return this.db.value('SELECT belongsTo FROM events WHERE resourceId = ? LIMIT 1', resourceId)
  }
}
