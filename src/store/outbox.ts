/** §1.1: no e-mail or SMS is sent. What would have been sent is captured here, in the transaction of its cause (D53). */
import type { Statements } from './statements.ts'

export interface MessageRow {
  id: string
  channel: 'email' | 'sms'
  to: string
  template: 'login_code' | 'application_decision' | 'checkout_receipt' | 'refund_completed'
  subject: string | null
  body: string
  relatedId: string
  createdAt: number
}

export function outboxStore(db: Statements) {
  const insert = db.prepare<[(string | number | null)[]]>(
    `INSERT INTO outbox (id, channel, recipient, template, subject, body, relatedId, createdAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const list = db.prepare<[], MessageRow>(
    `SELECT id, channel, recipient AS "to", template, subject, body, relatedId, createdAt FROM outbox ORDER BY seq`,
  )
  const clear = db.prepare('DELETE FROM outbox')
  return {
    insert({ id, channel, to, template, subject, body, relatedId, createdAt }: MessageRow): void {
      insert.run([id, channel, to, template, subject, body, relatedId, createdAt])
    },
    list: (): MessageRow[] => list.all(),
    clear(): void {
      clear.run()
    },
  }
}
