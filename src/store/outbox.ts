/** §1.1: no e-mail or SMS is sent. What would have been sent is stored here, in the transaction of its cause (D53). */
import { z } from 'zod'
import { MESSAGE_TEMPLATES } from '../contract/tester.ts'
import { tableColumns } from './columns.ts'
import { lookBack } from './look-back.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

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

export function outboxStore(db: Statements) {
  const { insert, find, list, count, placeOf, search } = table<MessageRow>(db, 'outbox', MessageRow, {
    searched: { parts: ['to', 'subject', 'body'] },
  })
  const clear = db.prepare('DELETE FROM outbox')
  return {
    insert,
    find,
    search,
    list,
    count,
    placeOf,
    newest: lookBack(db, 'outbox', tableColumns(MessageRow), {
      template: 'template = ?',
      relatedId: 'relatedId = ?',
    }),
    clear: (): void => void clear.run(),
  }
}
