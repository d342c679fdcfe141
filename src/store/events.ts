import { z } from 'zod'
import { EventType } from '../contract/event.ts'
import { JsonText } from '../contract/json-writer.ts'
import { Columns } from './columns.ts'
import { lookBack } from './look-back.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

/** An event is never changed: its body is what was true, and what is delivered. */
export const EventRow = z.object({
  id: z.string(),
  type: EventType,
  resourceId: z.string(),
  createdAt: z.int(),
  body: JsonText,
})

export type EventRow = z.output<typeof EventRow>

export const eventStore = (db: Statements) => ({
  ...table<EventRow>(db, 'events', EventRow, { filters: ['resourceId', 'type'] }),
  newest: lookBack(db, 'events', new Columns(EventRow), {
    type: 'type = ?',
    delivery: 'EXISTS (SELECT 1 FROM deliveries WHERE eventId = events.id AND status = ?)',
  }),
})
