/** §1.1: no e-mail or SMS is sent. Each message that would have been sent is a row, stored in its cause's transaction (D53). */
import { z } from 'zod'
import { MESSAGE_TEMPLATES } from '../../spec/contract/tester.ts'
import { lookBack } from './look-back.ts'
import type { Statements } from './statements.ts'
import { defineTable, Table } from './table.ts'

export const MessageRow = z.object({
  id: z.string(),
  channel: z.enum(['email', 'sms']),
  to: z.string(),
  template: z.enum(MESSAGE_TEMPLATES),
  subject: z.string().nullable(),
  body: z.string(),
  relatedId: z.string(),
  code: z.string().nullable(),
  createdAt: z.int(),
})

export type MessageRow = z.output<typeof MessageRow>

const MESSAGES = defineTable<MessageRow>('outbox', MessageRow, {
  searched: { parts: ['to', 'subject', 'body'] },
})
const LOOK_BACK = lookBack('outbox', MESSAGES.columns, {
  template: 'template = ?',
  relatedId: 'relatedId = ?',
})

export class OutboxTable extends Table<MessageRow> {
  readonly lookBack = LOOK_BACK(this.db)

  constructor(db: Statements) {
    super(db, MESSAGES)
  }

  clear(): void {
    this.db.run('DELETE FROM outbox')
  }
}
