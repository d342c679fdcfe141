import { z } from 'zod'
import { EventType } from '../../spec/contract/event.ts'
import { JsonText } from '../../spec/contract/json-writer.ts'
import { LookBack, LookBackQueries } from './look-back.ts'
import { type Statements, valueQuery } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

/** An event is never changed: its body is what was true, and what is delivered. */
export const EventRow = z.object({
  id: z.string(),
  type: EventType,
  resourceId: z.string(),
  /** Its order: the checkout or the authorization that it is of, or that made the customer or payment method; else itself. */
  belongsTo: z.string(),
  createdAt: z.int(),
  body: JsonText,
})

export type EventRow = z.output<typeof EventRow>

const EVENTS = new TableQueries<EventRow>('events', EventRow, { filters: ['resourceId', 'type'] })
const ORDER_OF = valueQuery<[resourceId: string], string>(
  'SELECT belongsTo FROM events WHERE resourceId = ? LIMIT 1',
)
const NEWEST = new LookBackQueries('events', EVENTS.columns, {
  type: 'type = ?',
  // How its last delivery stands; several are asked for as one text.
  delivery: `instr(?, (SELECT iif(status = 'pending' AND attempts > 0, 'failing', status) FROM deliveries
    WHERE eventId = events.id ORDER BY seq DESC LIMIT 1)) > 0`,
})

export class EventTable extends Table<EventRow> {
  readonly newest = new LookBack(this.db, NEWEST)

  constructor(db: Statements) {
    super(db, EVENTS)
  }

  /** What the earlier events of a resource belong to. */
  orderOf(resourceId: string): string | undefined {
    return this.db.get(ORDER_OF, resourceId)
  }

  /** They are numbered from 1 and never removed; counting a million takes 20 ms. */
  override count(): number {
    return this.lastPlace()
  }
}
