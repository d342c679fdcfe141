import type { Application } from '../domain/application.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

const COLUMNS = [
  'id',
  'checkoutId',
  'status',
  'contact',
  'wrongCodes',
  'lockedUntil',
  'method',
  'applicant',
  'decision',
  'card',
  'bankAccount',
  'createdAt',
  'updatedAt',
  'acceptedAt',
] as const satisfies (keyof Application)[]

type Nested = 'applicant' | 'decision' | 'card' | 'bankAccount'

/** What is nested is kept as JSON. */
type Row = Omit<Application, Nested> & Record<Nested, string | null>

const toRow = (application: Application): Row => ({
  ...application,
  applicant: application.applicant && JSON.stringify(application.applicant),
  decision: application.decision && JSON.stringify(application.decision),
  card: application.card && JSON.stringify(application.card),
  bankAccount: application.bankAccount && JSON.stringify(application.bankAccount),
})

const fromRow = (row: Row): Application => ({
  ...row,
  applicant: row.applicant && JSON.parse(row.applicant),
  decision: row.decision && JSON.parse(row.decision),
  card: row.card && JSON.parse(row.card),
  bankAccount: row.bankAccount && JSON.parse(row.bankAccount),
})

/** A checkout has one application at most. */
export function applicationStore(db: Statements) {
  const rows = table<Row>(db, 'applications', COLUMNS, {
    changing: COLUMNS.filter((column) => !['id', 'checkoutId', 'createdAt'].includes(column)),
  })
  const findByCheckout = db.prepare<[string], Row>(
    `SELECT ${COLUMNS.join(', ')} FROM applications WHERE checkoutId = ?`,
  )
  return {
    insert: (application: Application) => rows.insert(toRow(application)),
    update: (application: Application) => rows.update(toRow(application)),
    findByCheckout(checkoutId: string): Application | undefined {
      const row = findByCheckout.get(checkoutId)
      return row && fromRow(row)
    },
    count: rows.count,
  }
}
