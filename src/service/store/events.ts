import { z } from 'zod'
import { EventType } from '../../spec/contract/event.ts'
import { JsonText } from '../../spec/contract/json-writer.ts'
import { LookBack, LookBackQueries } from './look-back.ts'
import type { Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

/** An event is never changed: its body is what was true, and what is delivered. */
export const EventRow = z.object({
  id: z.string(),
  type: EventType,
  resourceId: z.string(),
  createdAt: z.int(),
  body: JsonText,
})

export type EventRow = z.output<typeof EventRow>

const EVENTS = new TableQueries<EventRow>('events', EventRow, { filters: ['resourceId', 'type'] })
const NEWEST = new LookBackQueries('events', EVENTS.columns, {
  type: 'type = ?',
  delivery: 'EXISTS (SELECT 1 FROM deliveries WHERE eventId = events.id AND status = ?)',
})

export class EventTable extends Table<EventRow> {
  readonly newest = new LookBack(this.db, NEWEST)

  constructor(db: Statements) {
    super(db, EVENTS)
  }

  /** They are numbered from 1 and never removed; counting a million takes 20 ms. */
  override count(): number {
    return this.lastPlace()
  }
}
