import type { EventType } from '../contract/event.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

/** An event is never changed: its body is what was true, and what is delivered. */
export interface EventRow {
  id: string
  type: EventType
  resourceId: string
  createdAt: number
  body: string
}

const COLUMNS = ['id', 'type', 'resourceId', 'createdAt', 'body'] as const satisfies (keyof EventRow)[]

export const eventStore = (db: Statements) =>
  table<EventRow>(db, 'events', COLUMNS, { filters: ['type', 'resourceId'] })
