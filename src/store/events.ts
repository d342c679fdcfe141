import { z } from 'zod'
import { EventType } from '../contract/event.ts'
import { JsonText } from '../contract/json-writer.ts'
import { tableColumns } from './columns.ts'
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
  /** They are numbered from 1 and never removed; counting a million takes 20 ms. */
  count: countedByNumber(db),
  newest: lookBack(db, 'events', tableColumns(EventRow), {
    type: 'type = ?',
    delivery: 'EXISTS (SELECT 1 FROM deliveries WHERE eventId = events.id AND status = ?)',
  }),
})

function countedByNumber(db: Statements): () => number {
  const last = db.prepare<[], number | null>('SELECT max(seq) FROM events').pluck()
  return () => last.get() ?? 0
}
