/** §1.1: no e-mail or SMS is sent. What would have been sent is stored here, in the transaction of its cause (D53). */
import { z } from 'zod'
import { Columns } from './columns.ts'
import type { Statements } from './statements.ts'

export const MessageRow = z.object({
  id: z.string(),
  channel: z.enum(['email', 'sms']),
  to: z.string(),
  template: z.enum(['login_code', 'application_decision', 'checkout_receipt', 'refund_completed']),
  subject: z.string().nullable(),
  body: z.string(),
  relatedId: z.string(),
  createdAt: z.int(),
})

export type MessageRow = z.output<typeof MessageRow>

export function outboxStore(db: Statements) {
  const columns = new Columns(MessageRow)
  const insert = db.prepare<[unknown[]]>(`INSERT INTO outbox ${columns.insertion}`)
  const list = db.prepare<[], MessageRow>(`SELECT ${columns.list} FROM outbox ORDER BY seq`)
  const clear = db.prepare('DELETE FROM outbox')
  return {
    insert: (message: MessageRow): void => void insert.run(columns.valuesOf(message)),
    list: (): MessageRow[] => list.all(),
    clear: (): void => void clear.run(),
  }
}
